'use strict';

// Settings that are kept under letters and laid side by side, all on the same draws.

import { $, ask_json, download, drawing, figure_width, make, make_button, pick, say, shown } from './basics.js';
import { term } from './glossary.js';
import { number_text, percent_text, points_text, range_text, value_text, with_unit } from './words.js';

export const kMostScenarios = 12;
const place = 'scenarios-status';

// {name, context, desired, levers: {name: value or null}, modes: {name: mode}, rounded: {name: value with the digits that
// matter}, result: id of the plan that it is}
let kept = [];
let answer = null; // of the server, for `kept`
let act = {}; // what the page does: open(scenario), changed()

export function begin_scenarios(actions) {
  act = actions;
  kept = [];
  answer = null;
  $('keep').addEventListener('click', keep);
  $('scenarios-csv').addEventListener('click', () =>
    save(() => download(new Blob([answer.csv], { type: 'text/csv' }), 'scenarios.csv')),
  );
  $('scenarios-report').addEventListener('click', () =>
    save(() => download(new Blob([answer.report], { type: 'text/html' }), 'scenarios.html')),
  );
}

const save = (work) => {
  if (answer) work();
  else say('There is nothing to save yet.', { place });
};

// As the state of the page holds them.
export const scenarios = () => structuredClone(kept);

// Takes over scenarios of a state; those that are none of this model are left out.
export function set_scenarios(list) {
  const known = new Set(shown.model.alterable.map(({ name }) => name));
  const usable = (one) =>
    typeof one?.name === 'string' && one.name && one.context && one.desired && one.levers &&
    Object.keys(one.levers).every((name) => known.has(name));
  kept = structuredClone(list.filter(usable).slice(0, kMostScenarios));
  return show();
}

function next_name() {
  const names = new Set(kept.map(({ name }) => name));
  return [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].find((letter) => !names.has(letter));
}

export function show_next_name() {
  const full = kept.length >= kMostScenarios;
  $('keep').textContent = full ? `${kMostScenarios} scenarios are kept` : `Keep as scenario ${next_name()}`;
  $('keep').toggleAttribute('disabled', full);
}

function keep() {
  let setting;
  try {
    setting = act.present();
  } catch (error) {
    say(error.message, { error: true });
    return;
  }
  const name = next_name();
  kept.push({ name, ...setting });
  act.changed(`keep ${name}`);
  show();
  say(`Kept as scenario ${name}.`);
}

const request_of = ({ name, context, group, desired, levers, result }) => ({
  name,
  context,
  ...(group !== undefined && { group }),
  ...(typeof result === 'string' && { result }),
  alterations: levers,
  ...(Object.keys(desired).length > 0 && { desired }),
});

let newest = 0;
let asked_width = 0; // of the figures that are there or on their way
export async function show() {
  show_next_name();
  const number = ++newest;
  $('scenarios-full').hidden = kept.length === 0;
  $('scenarios-empty').hidden = kept.length > 0;
  answer = null;
  if (kept.length === 0) return;
  const width = figure_width($('scenario-figures'));
  asked_width = width;
  try {
    const compared = await ask_json('/api/compare', { scenarios: kept.map(request_of), width });
    if (number !== newest) return;
    answer = compared;
    show_table();
    $('scenario-figures').replaceChildren(
      ...shown.model.outcome.map(({ name }) => drawing(pick(answer.svg, name))).filter((figure) => figure),
    );
    say('', { place });
  } catch (error) {
    if (number === newest) say(error.message, { error: true, place });
  }
}

// What is hidden has no width.
new ResizeObserver(() => {
  const panel = $('scenario-figures');
  if (kept.length > 0 && panel.clientWidth > 0 && figure_width(panel) !== asked_width) show();
}).observe($('scenario-figures'));

function rename(scenario, input) {
  const name = input.value.trim();
  if (!name || name.length > 40 || kept.some((one) => one !== scenario && one.name === name)) {
    input.value = scenario.name;
    return;
  }
  scenario.name = name;
  act.changed(`rename ${name}`);
  show();
}

function head_of(scenario, row) {
  const input = make('input', { type: 'text', value: scenario.name, 'aria-label': `Name of scenario ${scenario.name}` });
  input.addEventListener('change', () => rename(scenario, input));
  const open = make_button('Open', () => act.open(scenario), { 'aria-label': `Open scenario ${scenario.name}` });
  const remove = make_button(
    'Remove',
    () => {
      kept = kept.filter((one) => one !== scenario);
      act.changed(`remove ${scenario.name}`);
      show();
    },
    { 'aria-label': `Remove scenario ${scenario.name}` },
  );
  const badge = row.best ? [make('span', { class: 'badge' }, 'best')] : [];
  return make(
    'th',
    { scope: 'col', class: row.best ? 'best' : '' },
    make('span', { class: 'scenario-name' }, input, ...badge),
    make('span', { class: 'scenario-actions' }, open, remove),
  );
}

function verdict(row) {
  if (row.best) return 'most probable';
  return `${points_text(row.behind)} behind${row.as_good ? ', which may be chance' : ''}`;
}

function show_table() {
  const { rows } = answer;
  const line = (title, cell, look = '') =>
    make(
      'tr',
      { class: look },
      make('th', { scope: 'row' }, title),
      ...rows.map((row, i) => make('td', { class: row.best ? 'best' : '' }, cell(row, kept[i], i))),
    );
  const { alterable, context, outcome } = shown.model;
  const lines = [
    line(term('success'), (row) => percent_text(row.success_probability), 'strong'),
    line(term('interval'), (row) => range_text(row.interval)),
    ...(kept.length > 1 ? [line('compared', verdict)] : []),
    line(term('without'), (row) => percent_text(row.without_action)),
    line(term('cost'), (row) => number_text(row.cost, 3)),
    ...(shown.model.sequence ? [line('later steps', (row) => (row.in_steps ? 'by the rules of the plan' : 'without rules'))] : []),
    ...alterable.map(({ name, low, high }) =>
      line(`set ${name}`, (_, one) => {
        const value = pick(one.levers, name) ?? null;
        if (value === null) return 'leave';
        const short = $('exact').checked ? value : pick(one.rounded, name);
        // A link may hold anything: only what is hardly another value.
        return Math.abs(short - value) <= (high - low) / 20 ? value_text(name, short, 17) : value_text(name, value, 3);
      }),
    ),
    ...(shown.model.group ? [line(shown.model.group.column, (_, one) => one.group ?? 'a new one')] : []),
    ...context.map(({ name }) =>
      line(`observed ${name}`, (_, one) => {
        const value = pick(one.context, name) ?? null;
        return value === null ? 'not known' : value_text(name, value);
      }),
    ),
    ...outcome.map(({ name }, k) =>
      line(`expected ${name}`, ({ outcomes }) =>
        outcomes[k].levels
          ? Object.entries(outcomes[k].levels)
              .map(([word, share]) => `${word} ${percent_text(share)}`)
              .join(', ')
          : with_unit(name, number_text(outcomes[k].mean, 3)),
      ),
    ),
  ];
  const head = make('tr', {}, make('td', {}), ...rows.map((row, i) => head_of(kept[i], row)));
  $('scenario-table').replaceChildren(
    make('table', {}, make('thead', {}, head), make('tbody', {}, ...lines)),
  );
  const remarks = [];
  if (!answer.same_context) remarks.push('The scenarios have different contexts.');
  if (!answer.same_desired) remarks.push('The scenarios have different desired ranges.');
  $('scenarios-remark').textContent = remarks.join(' ');
}
