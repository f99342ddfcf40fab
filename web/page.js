'use strict';

// The rehearsal page: levers, and what becomes of the outcome. The server computes all numbers and draws all figures.

import {
  $,
  ask,
  ask_json,
  clamp,
  download,
  drawing,
  figure_width,
  make,
  make_button,
  pick,
  say,
  shown,
  speak,
  storage,
} from './basics.js';
import { begin_contexts, clear_contexts } from './contexts.js';
import { term } from './glossary.js';
import { address_of, begin_history, record, redo, state_in, undo } from './history.js';
import { make_lever, nearest_value } from './levers.js';
import { load_models, model_id, place_of, show_list, show_source, wait_for_model } from './models.js';
import { show_order } from './order.js';
import { levers_over, seen_between, show_looking, show_plan } from './plan.js';
import { begin_scenarios, scenarios, set_scenarios, show as show_scenarios, show_next_name } from './scenarios.js';
import { show_realised } from './realised.js';
import { show_uncertainty } from './uncertainty.js';
import {
  about,
  coarse_text,
  forecast_text,
  in_numbers,
  is_box,
  joined,
  level_number,
  levels_text,
  number_text,
  own_word,
  percent_text,
  points_text,
  preferences_text,
  range_text,
  region_rows,
  value_text,
  wanted_text,
  with_unit,
} from './words.js';

// name -> {lever, start, value, note, known}; value null when it is not known
const contexts = new Map();
// name -> {lever, note, switches, mode, value, expected}; mode is leave, free or fixed, value null when nothing is set
const alterables = new Map();
// name -> {inputs: [low, high], bounds: [low or null, high or null]}
const wanted = new Map();
// name -> {input, value}: what was seen since levers were set, null where it was not
const seen = new Map();
// How a recommendation is searched: success that is enough, in shares, or null; how many decisions.
const search = { target: null, proposals: 1 };
// The last decision of the server: its id and warnings, the request to rehearse it, as text, and its values for people.
let kept = { id: '', warnings: [], state: '', exact: {}, rounded: {} };
let start_state;
// Where the rows of the model have groups: the one that is decided for, null for a new one.
let group = null;

// Sentences about fields that hold no usable number.
const problems = new Map();
function object_to(owner, sentence, ...fields) {
  if (sentence) problems.set(owner, sentence);
  else problems.delete(owner);
  for (const field of fields) field.setAttribute('aria-invalid', sentence !== '');
}
function refused(field, sentence, ask_again = true) {
  object_to(field, sentence, field);
  if (ask_again) rehearse();
}

// A variable's name, with what belongs to it below and, for some, beside it.
function make_group(name, id, beside, ...below) {
  const { label, unit } = about(name);
  const title = make('h3', { id, title: label ? `${name}: ${label}` : name }, unit ? `${name} (${unit})` : name);
  const head = make('div', { class: 'head' }, title, ...beside);
  const described = label ? [make('p', { class: 'note label' }, label)] : [];
  return make('div', { class: 'variable', role: 'group', 'aria-labelledby': id }, head, ...described, ...below);
}

function make_radios(name, labelled, choices, chosen) {
  const group = make('div', { class: 'switch', role: 'radiogroup', 'aria-labelledby': labelled });
  const radios = new Map();
  for (const [key, words] of choices) {
    const radio = make('input', { type: 'radio', name, value: key });
    radio.addEventListener('change', () => chosen(key));
    radios.set(key, radio);
    group.append(make('label', {}, radio, make('span', {}, words)));
  }
  return { group, radios };
}

// What the data say of a context variable: the share of the second of two levels, nothing of unordered levels.
function usual_text({ name, mean, low: least, high: most }) {
  const levels = Object.entries(about(name).levels ?? {});
  if (levels.length === 2) {
    const [[, low], [word, high]] = levels;
    return `${word} in ${percent_text((mean - low) / (high - low))} of the rows`;
  }
  if (levels.length > 2 && about(name).type === 'category') return '';
  return `${coarse_text(name, mean, { low: least, high: most })} on average in the data`;
}

function make_context(entry, place) {
  const title = `context-${place}`;
  const one = { value: entry.value, start: entry.value, last: entry.value };
  const changed = (value) => {
    one.value = value;
    one.last = value;
    took(entry.name);
  };
  one.lever = make_lever(entry, title, { optional: false, changed, refused });
  one.lever.mark(entry.value);
  contexts.set(entry.name, one);
  const beside = [];
  if (shown.model.can_draw_context) {
    const choices = [
      ['known', 'known'],
      ['unknown', 'not known'],
    ];
    const { group, radios } = make_radios(`${title}-known`, title, choices, (key) => {
      one.value = key === 'known' ? one.last : null;
      took(entry.name);
    });
    one.known = radios;
    beside.push(group);
  }
  one.note = make('p', { class: 'note' });
  one.usual = usual_text(entry);
  return make_group(entry.name, title, beside, one.lever.element, one.note);
}

const kModes = [
  ['leave', 'leave alone'],
  ['free', 'free'],
  ['fixed', 'fixed'],
];

function make_alterable(entry, place) {
  const title = `alterable-${place}`;
  const note = make('p', { class: 'note', id: `${title}-note` });
  const { name } = entry;
  const one = { name, entry, mode: 'free', value: null, expected: entry.expected, note };
  const changed = (value) => {
    one.value = value;
    // A fixed value that is wiped out is no longer fixed.
    if (value === null && one.mode === 'fixed') one.mode = 'free';
    took(name);
  };
  one.lever = make_lever(entry, title, { optional: true, changed, refused });
  one.lever.control.setAttribute('aria-describedby', note.id);
  const { group, radios } = make_radios(title, title, kModes, (mode) => {
    one.mode = mode;
    if (mode === 'fixed') one.value ??= nearest_value(entry, one.expected);
    took(`${name} mode`);
  });
  one.switches = radios;
  alterables.set(name, one);
  return make_group(name, title, [group], one.lever.element, note);
}

// The two sides of what is wanted of an outcome; an empty field leaves its side open.
function make_wanted(entry, place) {
  // Levels are what the task says.
  if (entry.wanted !== undefined)
    return make_group(entry.name, `wanted-${place}`, [make('div', { class: 'wanted' }, levels_text(entry))]);
  const one = { inputs: [], bounds: [entry.low, entry.high] };
  const check = () => {
    const [low, high] = one.bounds;
    if (one.inputs.some((input) => input.validity.badInput)) return `${entry.name} needs numbers, or empty fields.`;
    if (low === null || high === null || low <= high) return '';
    return `${entry.name} cannot be at least ${number_text(low)} and at most ${number_text(high)}.`;
  };
  const sides = ['from', 'to'].map((word, side) => {
    const input = make('input', { type: 'number', step: 'any', placeholder: 'open' });
    input.addEventListener('input', () => {
      one.bounds[side] = input.value === '' ? null : Number(input.value);
      const sentence = check();
      object_to(one, sentence, ...one.inputs);
      if (sentence) rehearse();
      else took(`${entry.name} ${word}`);
    });
    one.inputs.push(input);
    return make('label', {}, make('span', {}, word), make('span', { class: 'unseen' }, ` (${entry.name})`), input);
  });
  wanted.set(entry.name, one);
  return make_group(entry.name, `wanted-${place}`, [make('div', { class: 'wanted' }, ...sides)]);
}

// The choice between the groups of the rows; nothing for a model without them.
function make_groups() {
  if (!shown.model.group) return [];
  const { column, names } = shown.model.group;
  const choice = make(
    'select',
    { id: 'group', 'aria-labelledby': 'group-title' },
    make('option', { value: '' }, 'a new one'),
    ...names.map((name, i) => make('option', { value: i }, name)),
  );
  choice.addEventListener('change', () => {
    group = choice.value === '' ? null : names[choice.value];
    took('group');
  });
  return [make_group(column, 'group-title', [make('div', { class: 'wanted' }, choice)])];
}

// A field for what is seen between two steps; empty until then.
function make_seen({ name }, place) {
  const title = `seen-${place}`;
  const levels = Object.entries(about(name).levels ?? {});
  const input =
    levels.length > 0
      ? make(
          'select',
          { 'aria-labelledby': title },
          make('option', { value: '' }, 'not seen yet'),
          ...levels.map(([word, value]) => make('option', { value }, word)),
        )
      : make('input', { type: 'number', step: 'any', placeholder: 'not seen yet', 'aria-labelledby': title });
  const one = { input, value: null };
  input.addEventListener(levels.length > 0 ? 'change' : 'input', () => {
    const bad = levels.length === 0 && input.validity.badInput;
    object_to(input, bad ? `${name} needs a number, or an empty field.` : '', input);
    one.value = bad || input.value === '' ? null : Number(input.value);
    kept.state = ''; // the recommendation did not know it
    took(`${name} seen`);
  });
  seen.set(name, one);
  return make_group(name, title, [make('div', { class: 'wanted' }, input)]);
}

const set_value = (one) => (one.mode === 'leave' ? null : one.value);
const desired = () => Object.fromEntries([...wanted].map(([name, one]) => [name, [...one.bounds]]));

// What every request says. Throws a sentence where a field holds no usable number.
function conditions() {
  for (const sentence of problems.values()) throw new Error(sentence);
  const body = { context: Object.fromEntries([...contexts].map(([name, one]) => [name, one.value])) };
  if (is_box()) body.desired = desired();
  if (shown.model.group) body.group = group;
  return body;
}

const rehearsal_of = (body, value_of) => ({
  ...body,
  alterations: Object.fromEntries([...alterables].map(([name, one]) => [name, value_of(name, one)])),
});
const rehearsed = () => rehearsal_of(conditions(), (_, one) => set_value(one));

// For the server's search. With `exactly`, everything that is set on the page counts as fixed.
function switches(exactly) {
  return Object.fromEntries(
    [...alterables].map(([name, one]) => {
      const value = set_value(one);
      if (exactly) return [name, value ?? 'leave'];
      return [name, one.mode === 'fixed' ? value : one.mode];
    }),
  );
}

// All that a person can change, as a plain object.
function state() {
  return {
    context: Object.fromEntries([...contexts].map(([name, one]) => [name, one.value])),
    group,
    desired: desired(),
    levers: Object.fromEntries([...alterables].map(([name, { mode, value }]) => [name, { mode, value }])),
    seen: Object.fromEntries([...seen].map(([name, { value }]) => [name, value])),
    target: search.target,
    proposals: search.proposals,
    scenarios: scenarios(),
  };
}

function apply_setting({ context, group: chosen, desired: bounds, levers }) {
  if (shown.model.group && chosen !== undefined) {
    const place = shown.model.group.names.indexOf(chosen);
    group = place < 0 ? null : chosen;
    $('group').value = place < 0 ? '' : String(place);
  }
  for (const [name, one] of contexts) {
    const value = pick(context, name);
    if (value === undefined) continue;
    one.value = value;
    if (value !== null) one.last = value;
  }
  for (const [name, one] of wanted) {
    one.bounds = [...(pick(bounds, name) ?? one.bounds)];
    one.inputs.forEach((input, side) => {
      input.value = one.bounds[side] ?? '';
    });
    object_to(one, '', ...one.inputs);
  }
  for (const [name, one] of alterables) {
    const lever = pick(levers, name);
    if (lever === undefined) continue;
    const { mode, value } = lever;
    one.value = value === null ? null : nearest_value(one.entry, value);
    one.mode = !one.switches.has(mode) || (mode === 'fixed' && value === null) ? 'free' : mode;
  }
  problems.clear();
}

function show_search() {
  $('target').value = search.target === null ? '' : String(Number((100 * search.target).toPrecision(6)));
  $('alternatives').value = String(search.proposals - 1);
}

function apply(whole) {
  say('');
  apply_setting(whole);
  for (const [name, one] of seen) {
    one.value = pick(whole.seen, name) ?? null;
    one.input.value = one.value ?? '';
  }
  search.target = whole.target;
  search.proposals = clamp(Math.round(whole.proposals ?? 1), 1, 10);
  show_search();
  show_levers(true);
  if (JSON.stringify(whole.scenarios) !== JSON.stringify(scenarios())) set_scenarios(whole.scenarios);
  write_address();
  rehearse();
}

// The address follows at once, and then a few times a second: browsers refuse to write it at every step.
const kBetweenAddresses = 300; // milliseconds
let writing = 0;
let written = -Infinity;
function write_address() {
  clearTimeout(writing);
  const wait = written + kBetweenAddresses - performance.now();
  if (wait > 0) {
    writing = setTimeout(write_address, wait);
    return;
  }
  written = performance.now();
  history.replaceState(null, '', address_of(state(), start_state, model_id()));
}

// A person changed something.
function took(key) {
  record(state(), key);
  write_address();
  rehearse();
}

const is_recommended = (name, value) => value !== null && pick(kept.exact, name) === value;
// A value as people may set it: of a recommendation the digits that matter, unless the exact ones are asked for.
function shown_value(name, value) {
  if (own_word(name, value) !== undefined) return undefined;
  if ($('exact').checked) return String(value);
  const short = is_recommended(name, value) ? pick(kept.rounded, name) : undefined;
  return short === undefined ? undefined : String(short);
}
function lever_text(name, value) {
  const text = shown_value(name, value);
  return text === undefined ? value_text(name, value, 3) : with_unit(name, text.replace(/-/g, '\u2212'));
}

function note_text(one) {
  const word = own_word(one.name, one.expected);
  const otherwise = word ?? `about ${coarse_text(one.name, one.expected, one.entry)}`;
  if (one.mode === 'leave') return `left alone, ${otherwise} expected`;
  if (one.value === null) return `not set, ${otherwise} expected`;
  if (word !== undefined && own_word(one.name, one.value) === word) return 'as expected without action';
  return `instead of ${otherwise}`;
}

function show_levers(force = false) {
  const wish = wanted_text(desired());
  $('question').textContent = wish ? `What should be changed to have ${wish}?` : 'What should be changed?';
  document.title = `${wish || 'What should be changed?'} \u2013 rehearsal`;
  for (const one of contexts.values()) {
    const known = one.value !== null;
    one.lever.enable(known);
    one.lever.set(one.value ?? one.last, one.value ?? one.last, $('exact').checked ? String(one.last) : undefined, force);
    if (one.known) one.known.get(known ? 'known' : 'unknown').checked = true;
    one.note.textContent = known ? one.usual : 'not known: drawn given the values that are known';
  }
  for (const [name, one] of alterables) {
    one.lever.enable(one.mode !== 'leave');
    const value = set_value(one);
    one.lever.set(value, one.expected, value === null ? undefined : shown_value(name, value), force);
    one.lever.mark(one.expected);
    one.switches.get(one.mode).checked = true;
    one.note.textContent = note_text(one);
  }
}

// Asks for what becomes of the outcome. One request is under way at a time; what changes meanwhile is asked for once,
// when the answer is there, so that the newest state wins and none waits in line.
let under_way = false;
let changed_since = false;
async function rehearse() {
  show_levers();
  changed_since = true;
  if (under_way) return;
  under_way = true;
  $('answer').setAttribute('aria-busy', 'true');
  while (changed_since) {
    changed_since = false;
    try {
      const body = rehearsed();
      const width = figure_width($('figures'));
      const answer = await ask_json('/api/rehearse', { ...body, width });
      drawn_width = width;
      // The page was laid out anew meanwhile. A scroll bar that comes and goes is no reason to draw again.
      if (Math.abs(figure_width($('figures')) / width - 1) > 0.2) changed_since = true;
      const recommended = JSON.stringify(body) === kept.state;
      show_answer(answer, recommended ? kept.claim : null);
      if (recommended) $('answer').dataset.claim = 'whole';
      else refine(body);
      show_warnings([...answer.warnings, ...(recommended ? kept.warnings : [])]);
      for (const id of ['gain', 'plan', 'uncertainty']) $(id).classList.toggle('past', !recommended);
      $('no-rules').hidden = !shown.model.sequence || recommended;
      $('numbers').classList.remove('stale');
      if ($('status').classList.contains('error')) say('');
    } catch (error) {
      $('numbers').classList.add('stale');
      say(error.message, { error: true });
    }
  }
  under_way = false;
  $('answer').setAttribute('aria-busy', 'false');
}

// What is claimed of what is set: by the draws of the model, or with members by all that is uncertain about it.
function show_claim({ success_probability: success, interval, without_action: without, interval_without_action: idle }) {
  $('success').textContent = percent_text(success);
  $('interval-range').textContent = range_text(interval);
  $('without').textContent = percent_text(without);
  if (idle) $('interval-without').textContent = range_text(idle);
  const [low, high] = interval;
  for (const [name, value] of Object.entries({ success, low, high, without })) {
    $('gauge').style.setProperty(`--${name}`, value);
  }
}

// A model with members is asked for what they say when the levers rest; it takes longer than the plain number, which
// stands there meanwhile.
const kRest = 250; // milliseconds
let resting = 0;
function refine(body) {
  clearTimeout(resting);
  $('answer').dataset.claim = shown.model.members ? 'plain' : 'whole';
  if (!shown.model.members) return;
  const asked = JSON.stringify(body);
  const is_current = () => !under_way && problems.size === 0 && JSON.stringify(rehearsed()) === asked;
  resting = setTimeout(async () => {
    if (!is_current()) return;
    try {
      const claim = await ask_json('/api/interval', body);
      if (!is_current()) return;
      show_claim(claim);
      $('answer').dataset.claim = 'whole';
    } catch {
      // The plain number stays.
    }
  }, kRest);
}

function show_answer(answer, claim) {
  const { success_probability: success, without_action: without } = claim ?? answer;
  show_claim({ ...answer, ...claim });
  const expected = in_numbers(answer.expected);
  for (const [name, one] of alterables) one.expected = pick(expected, name) ?? one.expected;
  show_levers();
  const drawn = shown.model.outcome.map(({ name }) => pick(answer.svg, name)).filter((text) => text !== undefined);
  $('figures').replaceChildren(...drawn.map(drawing));
  $('forecast').textContent = forecast_text(answer.outcomes, answer.outcomes_without_action);
  const unit = shown.model.cost ? '' : ' standard deviations';
  $('cost-value').textContent = `${number_text(answer.cost, 3)}${unit}`;
  speak(`${percent_text(success)} probability of success, ${percent_text(without)} without action.`);
}

let drawn_width = 0;
new ResizeObserver(() => {
  if (shown.model && !$('rehearsal').hidden && figure_width($('figures')) !== drawn_width) rehearse();
}).observe($('figures'));

function show_warnings(warnings) {
  const texts = [...shown.model.warnings, ...warnings].map(({ text }) => text);
  $('warnings').replaceChildren(...[...new Set(texts)].map((text) => make('li', {}, text)));
}

function set_text(alterations, over = new Set()) {
  const values = [...alterables.keys()].filter((name) => !over.has(name)).map((name) => [name, pick(alterations, name) ?? null]);
  const set = values.filter(([, value]) => value !== null).map(([name, value]) => `${name} to ${lever_text(name, value)}`);
  const left = values.filter(([, value]) => value === null).map(([name]) => name);
  return { set, left };
}

// What it would be worth to know what was not known.
function worth_texts(unknown) {
  return (unknown ?? [])
    .filter(({ worth }) => typeof worth === 'number')
    .map(({ name, worth, standard_error: error }) =>
      worth > 2 * (error ?? 0)
        ? `To know ${name} first would raise the probability of success by ${points_text(worth)} on average.`
        : `To know ${name} first would hardly help (${points_text(worth)}).`,
    );
}

const kMostNamed = 6;
function gain_text(decision) {
  const later = new Set([...decision.over, ...Object.keys(decision.sequence?.rules ?? {})]);
  const { set, left } = set_text(decision.alterations, later);
  const idle = decision.no_influence ?? [];
  const none = idle.length === alterables.size; // the message says it
  const remarks = idle.length > 0 && !none ? [`${joined(idle)} cannot change the outcome.`] : [];
  remarks.push(...worth_texts(decision.unknown));
  if (decision.status !== 'done') remarks.unshift(decision.message);
  if (set.length === 0) return ['Nothing is to be set.', ...remarks].join(' ');
  // A long list of names hides what is to be done.
  const alone = left.length > kMostNamed ? `the other ${left.length}` : joined(left);
  const { success_probability: success, without_action: without } = decision;
  return [
    `Set ${joined(set)}${left.length > 0 ? `, and leave ${alone} alone` : ''}.`,
    `On fresh draws success has probability ${percent_text(success)}`,
    `(${range_text(decision.interval)}): ${points_text(success - without)} ${success < without ? 'less' : 'more'} than`,
    `without action (${percent_text(without)}).`,
    ...remarks,
  ].join(' ');
}

// Other decisions to choose from, each with a button that sets the levers to it.
function show_proposals(decision) {
  const list = (decision?.proposals ?? []).slice(1);
  $('proposals').hidden = search.proposals < 2 || !decision;
  if (list.length === 0) {
    const words = decision?.sequence
      ? 'A decision in steps has one plan and no alternatives.'
      : 'No other decision was found that differs visibly and is better than no action.';
    $('proposals').replaceChildren(make('p', {}, words));
    return;
  }
  const entries = list.map((one, i) => {
    const { set, left } = set_text(one.alterations);
    const take = make_button(
      'Take',
      () => {
        take_over(one.alterations);
        took(`alternative ${i + 1}`);
      },
      { 'aria-label': `Take alternative ${i + 1}` },
    );
    const words =
      `${percent_text(one.success_probability)}, cost ${number_text(one.cost, 3)}: ` +
      `${set.length > 0 ? `set ${joined(set)}` : 'nothing'}${left.length > 0 ? `; leave ${joined(left)}` : ''}`;
    return make('li', {}, take, make('span', {}, words));
  });
  $('proposals').replaceChildren(make('h3', {}, term('proposals', 'Alternatives')), make('ol', {}, ...entries));
}

// Asks the server for a decision; `exactly` for what it thinks of the one on the page.
async function decide(exactly) {
  const asked = conditions();
  const body = { ...asked, switches: switches(exactly) };
  const over = exactly ? new Set() : levers_over(seen);
  if (over.size > 0) {
    body.so_far = Object.fromEntries([...seen].map(([name, { value }]) => [name, value]).filter(([, value]) => value !== null));
    for (const name of over) {
      delete body.switches[name];
      const value = set_value(alterables.get(name));
      if (value !== null) body.so_far[name] = value;
    }
  }
  if (!exactly && search.target !== null) body.target = search.target;
  if (!exactly) body.proposals = search.proposals;
  const { id, decision, warnings, rounded: short } = await ask_json('/api/recommend', body);
  const rounded = in_numbers(short);
  for (const one of [decision, ...(decision.proposals ?? [])]) one.alterations = in_numbers(one.alterations);
  const value_of = (name, one) => (over.has(name) ? set_value(one) : (pick(decision.alterations, name) ?? null));
  decision.over = over;
  kept = { id, warnings, state: JSON.stringify(rehearsal_of(asked, value_of)), exact: decision.alterations, rounded, claim: decision };
  return decision;
}

function take_over(alterations, over = new Set()) {
  for (const [name, one] of alterables) {
    if (one.mode === 'free' && !over.has(name)) one.value = pick(alterations, name) ?? null;
  }
}

// What was said of the last recommendation no longer belongs to what is shown.
function forget_decision() {
  $('gain').hidden = true;
  $('proposals').hidden = true;
  show_plan(null);
  show_uncertainty(null);
  $('looking-parts').replaceChildren();
  say('', { place: 'looking-status' });
}

// Only one search at a time; its buttons wait.
async function while_busy(button, words, work, place = 'status') {
  const buttons = ['recommend', 'look', 'save-json', 'save-report'].map($);
  if (buttons.some((one) => one.getAttribute('aria-disabled'))) return;
  for (const one of buttons) one.setAttribute('aria-disabled', 'true');
  button.classList.add('busy');
  say(words, { place });
  try {
    await work();
  } catch (error) {
    const remedy = /time limit/.test(error.message) ? ' A server with more time: olem serve MODEL --time-limit 600.' : '';
    say(error.message + remedy, { error: true, place });
  }
  button.classList.remove('busy');
  for (const one of buttons) one.removeAttribute('aria-disabled');
}

let last_decision;
$('recommend').addEventListener('click', () =>
  while_busy($('recommend'), 'Looking for the best decision \u2026', async () => {
    last_decision = await decide(false);
    take_over(last_decision.alterations, last_decision.over);
    $('gain').textContent = gain_text(last_decision);
    $('gain').hidden = false;
    show_proposals(last_decision);
    show_plan(last_decision);
    show_uncertainty(last_decision);
    say('');
    record(state(), 'recommend');
    write_address();
    await rehearse();
    speak($('gain').textContent);
  }),
);

$('look').addEventListener('click', () =>
  while_busy(
    $('look'),
    'Planning with and without a look at each variable. This takes seconds, with nonlinear models minutes \u2026',
    async () => {
      $('looking-parts').replaceChildren();
      show_looking(await ask_json('/api/looking', { ...conditions(), switches: switches(false) }));
      say('', { place: 'looking-status' });
    },
    'looking-status',
  ),
);

$('exact').addEventListener('change', () => {
  show_levers(true);
  show_scenarios();
  if (last_decision && !$('gain').hidden) $('gain').textContent = gain_text(last_decision);
});

for (const [id, take] of [
  ['target', (value) => (search.target = value === null || value === 0 ? null : value / 100)],
  ['alternatives', (value) => (search.proposals = 1 + (value ?? 0))],
]) {
  const field = $(id);
  field.addEventListener('input', () => {
    const value = field.value === '' ? null : Number(field.value);
    const bad = !field.validity.valid;
    const words = id === 'target' ? 'The target is a percentage from 0 to 100.' : 'There can be 0 to 9 alternatives.';
    object_to(field, bad ? words : '', field);
    say(bad ? words : '', { error: bad });
    if (bad) return;
    take(value);
    record(state(), id);
    write_address();
  });
}

// What is saved is what the page shows: a recommendation, or a decision by hand, which the server then judges as it is.
for (const [button, kind, words] of [
  ['save-json', 'json', 'result'],
  ['save-report', 'html', 'report'],
]) {
  $(button).addEventListener('click', () =>
    while_busy($(button), `Preparing the ${words} \u2026`, async () => {
      if (kept.state !== JSON.stringify(rehearsed())) await decide(true);
      const content = await (await ask(`/api/result/${kept.id}.${kind}`)).blob();
      download(content, `decision.${kind}`);
      say(`The ${words} is saved as decision.${kind}.`);
    }),
  );
}

$('restart').addEventListener('click', () => {
  apply({ ...structuredClone(start_state), scenarios: scenarios() });
  record(state(), 'start again');
  forget_decision();
  say('');
});

$('undo').addEventListener('click', undo);
$('redo').addEventListener('click', redo);
addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || $('glossary').open) return;
  const key = event.key.toLowerCase();
  const back = key === 'z' && !event.shiftKey;
  const forth = (key === 'z' && event.shiftKey) || key === 'y';
  // In a field of text the browser's own.
  if ((!back && !forth) || event.target.type === 'text') return;
  event.preventDefault();
  if (back) undo();
  else redo();
});

$('link').addEventListener('click', async () => {
  history.replaceState(null, '', address_of(state(), start_state, model_id()));
  try {
    await navigator.clipboard.writeText(location.href);
    say('The link is copied. It opens this rehearsal wherever this model is served at this address.');
  } catch {
    say('The address of this page is the link: copy it from the address bar.');
  }
});

const dark = matchMedia('(prefers-color-scheme: dark)');
function show_theme() {
  const is_dark = (document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark';
  $('theme').textContent = is_dark ? 'Light' : 'Dark';
  $('theme').setAttribute('aria-label', `${$('theme').textContent}: switch to ${is_dark ? 'light' : 'dark'} colours`);
}
$('theme').addEventListener('click', () => {
  const theme = $('theme').textContent.toLowerCase();
  document.documentElement.dataset.theme = theme;
  show_theme();
  storage?.setItem('theme', theme);
});
dark.addEventListener('change', show_theme);

function show_model() {
  for (const map of [contexts, alterables, wanted, seen, problems]) map.clear();
  $('alterable').replaceChildren(...shown.model.alterable.map(make_alterable));
  group = shown.model.group?.value ?? null;
  $('context').replaceChildren(...make_groups(), ...shown.model.context.map(make_context));
  $('context-section').hidden = shown.model.context.length === 0 && !shown.model.group;
  $('several').hidden = shown.model.context.length === 0;
  $('desired').replaceChildren(
    ...(is_box() ? shown.model.outcome.map(make_wanted) : region_rows().map((row) => make('p', {}, row))),
  );
  $('seen').replaceChildren(...seen_between().map(make_seen));
  $('seen-section').hidden = seen.size === 0;
  $('preferences').textContent = preferences_text();
  forget_decision();
  kept = { id: '', warnings: [], state: '', exact: {}, rounded: {} };
  clear_contexts();
  show_order();
  show_realised();
}

const tools = ({ undo: back, redo: forth }) => {
  $('undo').setAttribute('aria-disabled', String(!back));
  $('redo').setAttribute('aria-disabled', String(!forth));
};

// Shows a model of the list with the state of the address where that is its own.
async function open_model(place, hash = '') {
  shown.place = place;
  $('rehearsal').hidden = true;
  show_list(choose);
  await wait_for_model(choose);
  if (shown.place !== place) return;
  shown.model = await ask_json('/api/model');
  if (shown.place !== place) return;
  for (const one of shown.model.context) one.value = level_number(one.name, one.value);
  for (const one of shown.model.alterable) one.expected = level_number(one.name, one.expected);
  show_source();
  $('rehearsal').hidden = false;
  show_model();
  apply_setting({
    context: {},
    group,
    desired: Object.fromEntries(shown.model.outcome.map(({ name, low, high }) => [name, [low ?? null, high ?? null]])),
    levers: {},
  });
  search.target = shown.model.target || null;
  search.proposals = shown.model.proposals;
  set_scenarios([]);
  start_state = state();
  const { id, state: linked } = state_in(hash, start_state);
  const own = id === model_id();
  apply(own ? linked : structuredClone(start_state));
  begin_history(state(), { apply, update: tools });
  show_next_name();
  say(id && !own ? 'The link was made with another model, so that its settings are not shown.' : '');
}

const failed = (error) => {
  say(error.message, { error: true });
  if ($('rehearsal').hidden) $('learning-text').textContent ||= error.message;
};
const choose = (place) => open_model(place).catch(failed);

addEventListener('hashchange', () => {
  const { id } = state_in(location.hash, start_state);
  const place = place_of(id);
  open_model(place < 0 ? shown.place : place, location.hash).catch(failed);
});

async function begin() {
  const theme = storage?.getItem('theme');
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
  show_theme();
  $('levers').addEventListener('submit', (event) => event.preventDefault());
  begin_scenarios({
    present: () => {
      const { context, group: chosen, desired: bounds, alterations } = rehearsed();
      const modes = Object.fromEntries([...alterables].map(([name, { mode }]) => [name, mode]));
      const is_plan = shown.model.sequence && kept.state === JSON.stringify(rehearsed());
      return {
        context,
        ...(chosen !== undefined && { group: chosen }),
        desired: bounds ?? {},
        levers: alterations,
        modes,
        ...(is_plan && { result: kept.id }),
        rounded: Object.fromEntries(
          Object.entries(kept.rounded).filter(([name]) => is_recommended(name, pick(alterations, name) ?? null)),
        ),
      };
    },
    changed: (key) => {
      record(state(), key);
      write_address();
    },
    open: ({ context, group: chosen, desired: bounds, levers, modes }) => {
      const settings = Object.entries(levers).map(([name, value]) => [name, { mode: pick(modes, name) ?? 'free', value }]);
      apply_setting({ context, group: chosen, desired: bounds, levers: Object.fromEntries(settings) });
      show_levers(true);
      $('question').scrollIntoView();
      took('open scenario');
    },
  });
  begin_contexts({
    conditions: () => {
      const { group: chosen, desired: bounds } = conditions();
      return { ...(chosen !== undefined && { group: chosen }), ...(bounds && { desired: bounds }) };
    },
    switches: () => switches(false),
    rehearse_row: (row) => {
      for (const [name, one] of contexts) one.value = pick(row.context, name) ?? null;
      take_over(row.alterations);
      forget_decision();
      $('question').scrollIntoView();
      took('row');
    },
  });
  try {
    const { hash } = location;
    await load_models();
    const id = new URLSearchParams(hash.slice(1)).get('model');
    const place = id ? place_of(id) : 0;
    await open_model(Math.max(0, place), hash);
  } catch (error) {
    $('learning').hidden = false;
    failed(error);
  }
}
begin();
