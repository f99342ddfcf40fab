'use strict';

// A table of contexts, each with its decision.

import { $, ask_json, download, make, pick, say, shown } from './basics.js';
import { in_numbers, percent_text, range_text, value_text } from './words.js';

const place = 'several-status';
let act = {}; // what the page does: conditions(), switches(), rehearse_row(row)
let table_text = '';
let newest;

function text_of(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('The file is no text in UTF-8. Save it as CSV in UTF-8.');
  }
}

async function decide_contexts(file) {
  newest = file;
  $('table').hidden = true;
  $('download').hidden = true;
  say(`Deciding the contexts of ${file.name} \u2026`, { place });
  try {
    const csv = text_of(await file.arrayBuffer());
    const answer = await ask_json('/api/contexts', { csv, ...act.conditions(), switches: act.switches() });
    if (file !== newest) return;
    table_text = answer.csv;
    const rows = answer.rows.map((row) => ({ ...row, context: in_numbers(row.context), alterations: in_numbers(row.alterations) }));
    show_table(rows);
    const mean = (key) => percent_text(answer.rows.reduce((sum, row) => sum + row[key], 0) / answer.rows.length);
    const [success, without] = [mean('success_probability'), mean('without_action')];
    const warnings = answer.warnings.map(({ text }) => ` ${text}`).join('');
    say(
      `${file.name}: ${answer.rows.length} contexts, success with probability ${success} on average, without action ` +
        `${without}.${warnings}`,
      { place },
    );
  } catch (error) {
    say(error.message, { error: true, place });
  }
}

// Takes a row's context and decision to the levers.
function row_button(row, number) {
  const button = make('button', { type: 'button', 'aria-label': `Rehearse context ${number}` }, number);
  button.addEventListener('click', () => act.rehearse_row(row));
  return button;
}

function show_table(rows) {
  const names = (list) => list.map(({ name }) => name);
  const [context, alterable] = [names(shown.model.context), names(shown.model.alterable)];
  const cell = (text, look = '') => make('td', { class: look }, text);
  const set = (name, value) => (value === null ? cell('leave', 'left') : cell(value_text(name, value)));
  const seen = (name, value) => (value === null ? cell('not known', 'left') : cell(value_text(name, value)));
  const header = ['', ...context, ...alterable.map((name) => `set ${name}`)];
  header.push('success', '95\u202f% interval', 'without action');
  const lines = rows.map((row, i) => [
    make('th', { scope: 'row' }, row_button(row, i + 1)),
    ...context.map((name) => seen(name, pick(row.context, name) ?? null)),
    ...alterable.map((name) => set(name, pick(row.alterations, name) ?? null)),
    cell(percent_text(row.success_probability), 'strong'),
    cell(range_text(row.interval)),
    cell(percent_text(row.without_action)),
  ]);
  const title = (text) => (text ? make('th', { scope: 'col', title: text }, text) : make('td', {}));
  const head = make('thead', {}, make('tr', {}, ...header.map(title)));
  const body = make('tbody', {}, ...lines.map((cells) => make('tr', {}, ...cells)));
  $('table').replaceChildren(make('table', {}, head, body));
  $('table').hidden = false;
  $('download').hidden = false;
}

export function clear_contexts() {
  newest = undefined;
  $('table').hidden = true;
  $('download').hidden = true;
  say('', { place });
}

export function begin_contexts(actions) {
  act = actions;
  $('file').addEventListener('change', () => {
    const [file] = $('file').files;
    if (file) decide_contexts(file);
    // The same file, mended, can be chosen again.
    $('file').value = '';
  });
  $('download').addEventListener('click', () =>
    download(new Blob([table_text], { type: 'text/csv' }), 'decisions.csv'),
  );
  // A file that misses the zone would replace the page: it counts as well.
  for (const kind of ['dragenter', 'dragover']) {
    addEventListener(kind, (event) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      $('drop').classList.add('over');
    });
  }
  addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) $('drop').classList.remove('over');
  });
  addEventListener('drop', (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    $('drop').classList.remove('over');
    $('several').scrollIntoView();
    decide_contexts(file);
  });
}
