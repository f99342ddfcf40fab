'use strict';

// The rehearsal page: levers, and what becomes of the outcome. The server computes all numbers and draws all figures;
// names of variables come from a file and enter the page as text only, never as markup.

const $ = (id) => document.getElementById(id);

// An element with attributes and children; texts are texts, whatever they hold.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Names such as "constructor" must not find what every object has.
const pick = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const rounded = (value, digits = 4) => String(Number(value.toPrecision(digits)));
const number_text = (value, digits) => rounded(value, digits).replace(/-/g, '\u2212');
const percent_text = (share) => `${(100 * share).toFixed(1)}\u202f%`;
const range_text = ([low, high]) => `${percent_text(low)} to ${percent_text(high)}`;

// What is known of a column: type, levels {word: number}, unit, label.
const about = (name) => pick(model.column_types, name) ?? {};
const with_unit = (name, text) => (about(name).unit ? `${text}\u202f${about(name).unit}` : text);
// A value for people: the word of its level, or the number with its unit.
function value_text(name, value) {
  const level = Object.entries(about(name).levels ?? {}).find(([, number]) => number === value);
  return level ? level[0] : with_unit(name, number_text(value));
}

function joined(parts) {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

// The server's answer, or an Error with a sentence for the reader.
async function ask(path, body) {
  const headers = { 'Content-Type': 'application/json' };
  let answer;
  try {
    answer = await fetch(path, body && { method: 'POST', headers, body: JSON.stringify(body) });
  } catch {
    throw new Error('The server does not answer. Is olem serve still running?');
  }
  if (answer.ok) return answer;
  const content = await answer.json().catch(() => null);
  throw new Error(content?.error ?? `The server refused with status ${answer.status}.`);
}

const ask_json = async (path, body) => (await ask(path, body)).json();

function say(text, { error = false, place = 'status' } = {}) {
  $(place).textContent = text;
  $(place).classList.toggle('error', error);
}

// What a screen reader hears, once the levers rest: every number on the way would be noise.
let speaking = 0;
function speak(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    $('spoken').textContent = text;
  }, 700);
}

function download(content, name) {
  const address = URL.createObjectURL(content);
  make('a', { href: address, download: name }).click();
  // The browser reads the content after this task.
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

let model;
// name -> {lever, start, value}
const contexts = new Map();
// name -> {lever, note, switches, mode, value, expected}; mode is leave, free or fixed, value null when nothing is set
const alterables = new Map();
// name -> {inputs: [low, high], bounds: [low or null, high or null]}
const wanted = new Map();
// The last decision of the server: its id and warnings, and the request to rehearse it, as text.
let kept = { id: '', warnings: [], state: '' };

// Sentences about fields that hold no usable number.
const problems = new Map();
function object_to(owner, sentence, ...fields) {
  if (sentence) problems.set(owner, sentence);
  else problems.delete(owner);
  for (const field of fields) field.setAttribute('aria-invalid', sentence !== '');
}

// Of the domain of a lever: an interval, or some values.
const nearest_value = ({ low, high, values }, value) =>
  values ? values.reduce((a, b) => (Math.abs(b - value) < Math.abs(a - value) ? b : a)) : clamp(value, low, high);

// A slider and a field for one number. `set(value, place)` shows the value, or for null an empty field with the thumb at
// `place`; `changed(value)` is called with what a person enters, null for an empty field where `optional`.
function make_lever(entry, title, { optional, changed }) {
  const { low, high } = entry;
  const span = high > low ? high - low : 1;
  // Between 100 and 1000 steps of a round size.
  const digits = clamp(3 - Math.ceil(Math.log10(span)), 0, 20);
  const steps = Math.round(clamp(span * 10 ** digits, 100, 1000));
  const share = (value) => clamp((value - low) / span, 0, 1);
  const slider = make('input', { type: 'range', min: 0, max: steps, 'aria-labelledby': title });
  const field = make('input', { type: 'number', step: 'any', 'aria-labelledby': title });
  if (optional) field.placeholder = 'not set';
  const tick = make('i', { class: 'tick' });
  const marks = make('div', { class: 'marks', 'aria-hidden': 'true' }, tick);
  marks.prepend(data_figure(entry, share));

  slider.addEventListener('input', () => {
    const at = Number(slider.value);
    const between = Number((low + (span * at) / steps).toFixed(digits));
    const value = at === 0 ? low : at === steps ? high : entry.values ? nearest_value(entry, between) : between;
    enter(value);
    field.value = rounded(value);
  });
  field.addEventListener('input', () => {
    const value = field.value === '' ? null : Number(field.value);
    if (field.validity.badInput || (value === null && !optional)) {
      refuse(`${entry.name} needs a number.`);
    } else if (optional && value !== null && (value < low || value > high)) {
      refuse(`${entry.name} can be set from ${number_text(low)} to ${number_text(high)}.`);
    } else if (value !== null && entry.values && !entry.values.includes(value)) {
      refuse(`${entry.name} can be set to ${number_text(nearest_value(entry, value))}, but not to ${number_text(value)}.`);
    } else {
      enter(value);
    }
  });

  // What could not be used gives way to what is in force.
  field.addEventListener('blur', () => {
    if (problems.has(field)) rehearse();
  });

  function refuse(sentence) {
    object_to(field, sentence, field);
    rehearse();
  }
  function enter(value) {
    object_to(field, '', field);
    changed(value);
  }
  const beyond = (value) => value !== null && (value < entry.data_low || value > entry.data_high);
  return {
    element: make('div', { class: 'lever' }, make('div', { class: 'scale' }, marks, slider), field),
    slider,
    mark(value) {
      tick.style.left = `${100 * share(value)}%`;
    },
    set(value, place) {
      slider.value = Math.round(steps * share(value ?? place));
      slider.setAttribute('aria-valuetext', value === null ? `not set, about ${rounded(place, 3)}` : rounded(value));
      slider.classList.toggle('unset', value === null);
      this.element.classList.toggle('beyond', beyond(value));
      // What a person is writing is not rewritten under the cursor.
      if (document.activeElement !== field) {
        field.value = value === null ? '' : rounded(value);
        object_to(field, '', field);
      }
    },
    enable(on) {
      slider.disabled = !on;
      field.disabled = !on;
    },
  };
}

// The values of a column in the data as bars along its lever, or where they lie if no more is known.
function data_figure({ data_counts, data_low, data_high }, share) {
  const counts = data_counts?.length ? data_counts : [1];
  const width = (data_high - data_low) / counts.length;
  const top = Math.max(...counts);
  const space = 'http://www.w3.org/2000/svg';
  const figure = document.createElementNS(space, 'svg');
  if (counts.length === 1) figure.setAttribute('class', 'flat');
  figure.setAttribute('viewBox', '0 0 100 100');
  figure.setAttribute('preserveAspectRatio', 'none');
  const bars = document.createElementNS(space, 'path');
  const bar = (count, i) => {
    const [left, right] = [i, i + 1].map((edge) => 100 * share(data_low + edge * width));
    return `M${left} 100V${100 - (100 * count) / top}H${right}V100Z`;
  };
  bars.setAttribute('d', counts.map(bar).join(''));
  figure.append(bars);
  return figure;
}

// A list of values in place of a lever; with `optional` also none of them.
function make_choice(entry, title, { optional, changed }) {
  const values = entry.values ?? Object.values(entry.about.levels);
  const select = make('select', { 'aria-labelledby': title });
  if (optional) select.append(make('option', { value: '' }, 'not set'));
  select.append(...values.map((value) => make('option', { value }, value_text(entry.name, value))));
  select.addEventListener('change', () => changed(select.value === '' ? null : Number(select.value)));
  return {
    element: make('div', { class: 'lever' }, select),
    slider: select,
    mark() {},
    set(value) {
      select.value = value === null ? '' : String(value);
    },
    enable(on) {
      select.disabled = !on;
    },
  };
}

// A variable's name, with what belongs to it below and, for some, beside it.
function make_group(name, id, beside, ...below) {
  const { label, unit } = about(name);
  const title = make('h3', { id, title: label ? `${name}: ${label}` : name }, unit ? `${name} (${unit})` : name);
  const head = make('div', { class: 'head' }, title, ...beside);
  return make('div', { class: 'variable', role: 'group', 'aria-labelledby': id }, head, ...below);
}

function make_context(entry, place) {
  const title = `context-${place}`;
  const one = { value: entry.value, start: entry.value };
  const changed = (value) => {
    one.value = value;
    rehearse();
  };
  const levels = Object.keys(entry.about?.levels ?? {});
  one.lever = (levels.length > 0 ? make_choice : make_lever)(entry, title, { optional: false, changed });
  one.lever.mark(entry.value);
  contexts.set(entry.name, one);
  const mean = with_unit(entry.name, number_text(entry.mean, 3));
  const note = make('p', { class: 'note' }, entry.about?.label ?? `${mean} on average in the data`);
  return make_group(entry.name, title, [], one.lever.element, note);
}

const kMostChoices = 30;

const kModes = [
  ['leave', 'leave alone'],
  ['free', 'free'],
  ['fixed', 'fixed'],
];

function make_alterable(entry, place) {
  const title = `alterable-${place}`;
  const note = make('p', { class: 'note', id: `${title}-note` });
  const { name, values } = entry;
  const one = { name, mode: 'free', value: null, expected: entry.expected, note, switches: new Map() };
  const changed = (value) => {
    one.value = value;
    // A fixed value that is wiped out is no longer fixed.
    if (value === null && one.mode === 'fixed') one.mode = 'free';
    rehearse();
  };
  one.lever = (values?.length <= kMostChoices ? make_choice : make_lever)(entry, title, { optional: true, changed });
  one.lever.slider.setAttribute('aria-describedby', note.id);
  const group = make('div', { class: 'switch', role: 'radiogroup', 'aria-labelledby': title });
  for (const [mode, words] of kModes) {
    const radio = make('input', { type: 'radio', name: title, value: mode });
    radio.addEventListener('change', () => {
      one.mode = mode;
      if (mode === 'fixed') one.value ??= nearest_value(entry, one.expected);
      rehearse();
    });
    one.switches.set(mode, radio);
    group.append(make('label', {}, radio, make('span', {}, words)));
  }
  alterables.set(entry.name, one);
  return make_group(entry.name, title, [group], one.lever.element, note);
}

const levels_text = ({ wanted: given }) => (given?.values ?? [given]).join(' or ');

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
      object_to(one, check(), ...one.inputs);
      rehearse();
    });
    one.inputs.push(input);
    return make('label', {}, make('span', {}, word), make('span', { class: 'unseen' }, ` (${entry.name})`), input);
  });
  wanted.set(entry.name, one);
  return make_group(entry.name, `wanted-${place}`, [make('div', { class: 'wanted' }, ...sides)]);
}

const is_box = () => !model.region;
const set_value = (one) => (one.mode === 'leave' ? null : one.value);

// What every request says. Throws a sentence where a field holds no usable number.
function conditions() {
  for (const sentence of problems.values()) throw new Error(sentence);
  const body = { context: Object.fromEntries([...contexts].map(([name, one]) => [name, one.value])) };
  if (is_box()) body.desired = Object.fromEntries([...wanted].map(([name, one]) => [name, one.bounds]));
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

function wanted_text() {
  const texts = [...wanted].map(([name, { bounds }]) => {
    const [low, high] = bounds.map((value) => value !== null && number_text(value));
    if (low && high) return `${name} between ${low} and ${high}`;
    return low ? `${name} at least ${low}` : high ? `${name} at most ${high}` : '';
  });
  const levels = model.outcome.filter((entry) => entry.wanted !== undefined);
  texts.push(...levels.map((entry) => `${entry.name} = ${levels_text(entry)}`));
  return joined(texts.filter((text) => text));
}

// "0.5 a - b \u2264 2"
function condition_text(terms, bound) {
  const words = terms
    .filter(([, weight]) => weight !== 0)
    .map(([name, weight], i) => {
      const sign = weight < 0 ? '\u2212' : i > 0 ? '+' : '';
      const size = Math.abs(weight) === 1 ? '' : number_text(Math.abs(weight));
      return [sign, size, name].filter((text) => text).join('\u00a0');
    });
  return `${words.join(' ')} \u2264 ${number_text(bound)}`;
}

const region_rows = () =>
  model.region.M.map((row, i) =>
    condition_text(
      row.map((weight, j) => [model.outcome[j].name, weight]),
      model.region.d[i],
    ),
  );

// What the task asks of every recommendation.
function wishes_text() {
  const texts = (model.constraints ?? []).map(({ weights, max }) => condition_text(Object.entries(weights), max));
  const rules = texts.length > 0 ? [`A recommendation keeps to ${joined(texts)}.`] : [];
  if (model.max_alterations) rules.push(`It sets at most ${model.max_alterations} of these.`);
  if (model.cost) {
    const costs = Object.entries(model.cost).map(([name, weight]) => `${number_text(weight)} for ${name}`);
    rules.push(`Changes cost ${joined(costs)} a unit; of decisions that are as good the cheapest is recommended.`);
  }
  return rules.join(' ');
}

function note_text(one) {
  const word = value_text(one.name, one.expected);
  const is_level = Object.values(about(one.name).levels ?? {}).includes(one.expected);
  const otherwise = is_level ? word : `about ${number_text(one.expected, 3)}`;
  if (one.mode === 'leave') return `left alone, ${otherwise} to be expected`;
  return one.value === null ? `not set, ${otherwise} to be expected` : `instead of ${otherwise}`;
}

function show_levers() {
  const wish = is_box() ? wanted_text() : joined(region_rows());
  $('question').textContent = wish ? `What should be changed to have ${wish}?` : 'What should be changed?';
  document.title = `${wish || 'What should be changed?'} \u2013 rehearsal`;
  for (const one of contexts.values()) one.lever.set(one.value, one.value);
  for (const one of alterables.values()) {
    one.lever.enable(one.mode !== 'leave');
    one.lever.set(set_value(one), one.expected);
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
      const width = figure_width();
      const answer = await ask_json('/api/rehearse', { ...body, width });
      drawn_width = width;
      const recommended = JSON.stringify(body) === kept.state;
      show_answer(answer);
      show_warnings([...answer.warnings, ...(recommended ? kept.warnings : [])]);
      $('gain').classList.toggle('past', !recommended);
      $('numbers').classList.remove('stale');
      if ($('status').classList.contains('error')) say('');
    } catch (error) {
      $('numbers').classList.add('stale');
      say(error.message, { error: true });
    }
  }
  under_way = false;
  $('answer').setAttribute('aria-busy', 'false');
  show_interval();
}

// The interval of the members takes longer than the number; it follows when no lever moves.
async function show_interval() {
  const state = JSON.stringify(rehearsed());
  try {
    const answer = await ask_json('/api/interval', JSON.parse(state));
    if (!answer.members || JSON.stringify(rehearsed()) !== state) return;
    const [low, high] = answer.interval;
    $('interval').textContent = `95\u202f% interval ${range_text(answer.interval)}, with rows and order`;
    for (const [name, value] of Object.entries({ low, high })) $('gauge').style.setProperty(`--${name}`, value);
  } catch {
    // The plain interval stays.
  }
}

function show_answer(answer) {
  const { success_probability: success, without_action: without } = answer;
  $('success').textContent = percent_text(success);
  $('without').textContent = percent_text(without);
  $('interval').textContent = `95\u202f% interval ${range_text(answer.interval)}`;
  $('interval-without').textContent = range_text(answer.interval_without_action);
  const [low, high] = answer.interval;
  for (const [name, value] of Object.entries({ success, low, high, without })) {
    $('gauge').style.setProperty(`--${name}`, value);
  }
  for (const [name, one] of alterables) one.expected = pick(answer.expected, name) ?? one.expected;
  show_levers();
  show_figures(answer.svg);
  $('forecast').textContent = forecast_text(answer.outcomes, answer.outcomes_without_action);
  speak(`${percent_text(success)} probability of success, ${percent_text(without)} without action.`);
}

function forecast_text(outcomes, without) {
  const shares = (levels) => joined(Object.entries(levels).map(([word, share]) => `${word} ${percent_text(share)}`));
  const range = ({ mean, low, high, levels }) =>
    levels ? shares(levels) : `${number_text(mean)} (${number_text(low)} to ${number_text(high)})`;
  const texts = outcomes.map((one, i) => `${one.name} at ${range(one)}, without action at ${range(without[i])}`);
  return `To be expected, with the range of four in five cases: ${texts.join('; ')}.`;
}

// Of the panel, without its margin: text in a figure is as large as that around it on any screen.
const figure_width = () => clamp(10 * Math.floor($('figures').clientWidth / 10) - 20, 200, 2000);
let drawn_width = 0;
new ResizeObserver(() => {
  if (model && figure_width() !== drawn_width) rehearse();
}).observe($('figures'));

// The server escapes names in its figures, and the page's policy runs no script that it did not bring.
function show_figures(figures) {
  const drawn = model.outcome.map(({ name }) => pick(figures, name)).filter((text) => text !== undefined);
  $('figures').replaceChildren(
    ...drawn.map((text) => new DOMParser().parseFromString(text, 'text/html').body.firstElementChild),
  );
}

function show_warnings(warnings) {
  const texts = [...model.warnings, ...warnings].map(({ text }) => text);
  $('warnings').replaceChildren(...[...new Set(texts)].map((text) => make('li', {}, text)));
}

function gain_text(decision) {
  const values = [...alterables.keys()].map((name) => [name, pick(decision.alterations, name) ?? null]);
  const set = values.filter(([, value]) => value !== null).map(([name, value]) => `${name} to ${value_text(name, value)}`);
  const left = values.filter(([, value]) => value === null).map(([name]) => name);
  const idle = decision.no_influence ?? [];
  const remarks = idle.length > 0 ? [`${joined(idle)} cannot change the outcome.`] : [];
  if (decision.status !== 'done') remarks.unshift(decision.message);
  if (set.length === 0) return ['Nothing is to be set.', ...remarks].join(' ');
  const { success_probability: success, without_action: without } = decision;
  const points = 100 * (success - without);
  return [
    `Set ${joined(set)}${left.length > 0 ? `, and leave ${joined(left)} alone` : ''}.`,
    `In draws that the search has not seen, success has probability ${percent_text(success)}`,
    `(${range_text(decision.interval)}): ${Math.abs(points).toFixed(1)} points ${points < 0 ? 'less' : 'more'} than`,
    `without action (${percent_text(without)}).`,
    ...remarks,
  ].join(' ');
}

// Asks the server for a decision; `exactly` for what it thinks of the one on the page.
async function decide(exactly) {
  const asked = conditions();
  const { id, decision, warnings } = await ask_json('/api/recommend', { ...asked, switches: switches(exactly) });
  const value_of = (name) => pick(decision.alterations, name) ?? null;
  kept = { id, warnings, state: JSON.stringify(rehearsal_of(asked, value_of)) };
  return decision;
}

function take_over(alterations) {
  for (const [name, one] of alterables) {
    if (one.mode === 'free') one.value = pick(alterations, name) ?? null;
  }
}

// Only one search at a time; its buttons wait.
async function while_busy(button, words, work) {
  const buttons = ['recommend', 'save-json', 'save-report'].map($);
  if (buttons.some((one) => one.getAttribute('aria-disabled'))) return;
  for (const one of buttons) one.setAttribute('aria-disabled', 'true');
  button.classList.add('busy');
  say(words);
  try {
    await work();
  } catch (error) {
    say(error.message, { error: true });
  }
  button.classList.remove('busy');
  for (const one of buttons) one.removeAttribute('aria-disabled');
}

$('recommend').addEventListener('click', () =>
  while_busy($('recommend'), 'Looking for the best decision \u2026', async () => {
    const decision = await decide(false);
    take_over(decision.alterations);
    $('gain').textContent = gain_text(decision);
    $('gain').hidden = false;
    say('');
    await rehearse();
    speak($('gain').textContent);
  }),
);

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

function start() {
  for (const one of contexts.values()) one.value = one.start;
  for (const one of alterables.values()) Object.assign(one, { mode: 'free', value: null });
  for (const entry of is_box() ? model.outcome : []) {
    const one = wanted.get(entry.name);
    if (!one) continue;
    one.bounds = [entry.low, entry.high];
    one.inputs.forEach((input, side) => {
      input.value = one.bounds[side] ?? '';
    });
    object_to(one, '', ...one.inputs);
  }
  $('gain').hidden = true;
  say('');
  rehearse();
}
$('restart').addEventListener('click', start);

function text_of(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('The file is no text in UTF-8. Save it as CSV in UTF-8.');
  }
}

let table_text = '';
let newest;
async function decide_contexts(file) {
  newest = file;
  const place = 'several-status';
  $('table').hidden = true;
  $('download').hidden = true;
  say(`Deciding the contexts of ${file.name} \u2026`, { place });
  try {
    const csv = text_of(await file.arrayBuffer());
    const { desired } = conditions();
    const answer = await ask_json('/api/contexts', { csv, desired, switches: switches(false) });
    if (file !== newest) return;
    table_text = answer.csv;
    show_table(answer.rows);
    const mean = (key) => percent_text(answer.rows.reduce((sum, row) => sum + row[key], 0) / answer.rows.length);
    const [success, without] = [mean('success_probability'), mean('without_action')];
    const doubts = answer.warnings.map(({ text }) => ` ${text}`).join('');
    say(
      `${file.name}: ${answer.rows.length} contexts, success with probability ${success} on average, without action ` +
        `${without}.${doubts}`,
      { place },
    );
  } catch (error) {
    say(error.message, { error: true, place });
  }
}

// Takes a row's context and decision to the levers.
function row_button(row, place) {
  const button = make('button', { type: 'button', 'aria-label': `Rehearse context ${place}` }, place);
  button.addEventListener('click', () => {
    for (const [name, one] of contexts) one.value = pick(row.context, name);
    take_over(row.alterations);
    $('gain').hidden = true;
    $('question').scrollIntoView();
    rehearse();
  });
  return button;
}

function show_table(rows) {
  const cell = (text, look = '') => make('td', { class: look }, text);
  const set = (name, value) => (value === null ? cell('leave', 'left') : cell(value_text(name, value)));
  const names = ['', ...contexts.keys(), ...[...alterables.keys()].map((name) => `set ${name}`)];
  const header = [...names, 'success', '95\u202f% interval', 'without action'];
  const lines = rows.map((row, i) => [
    make('th', { scope: 'row' }, row_button(row, i + 1)),
    ...[...contexts.keys()].map((name) => cell(value_text(name, pick(row.context, name)))),
    ...[...alterables.keys()].map((name) => set(name, pick(row.alterations, name) ?? null)),
    cell(percent_text(row.success_probability), 'strong'),
    cell(range_text(row.interval)),
    cell(percent_text(row.without_action)),
  ]);
  const head = make('thead', {}, make('tr', {}, ...header.map((text) => make('th', { scope: 'col' }, text))));
  const body = make('tbody', {}, ...lines.map((cells) => make('tr', {}, ...cells)));
  $('table').replaceChildren(make('table', {}, head, body));
  $('table').hidden = false;
  $('download').hidden = false;
}

$('file').addEventListener('change', () => {
  const [file] = $('file').files;
  if (file) decide_contexts(file);
  // The same file, mended, can be chosen again.
  $('file').value = '';
});
$('download').addEventListener('click', () => download(new Blob([table_text], { type: 'text/csv' }), 'decisions.csv'));

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

// A browser may be told to keep nothing.
let storage;
try {
  storage = localStorage;
} catch {
  storage = undefined;
}
const dark = matchMedia('(prefers-color-scheme: dark)');
function show_theme() {
  const is_dark = (document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark';
  $('theme').textContent = is_dark ? 'Light' : 'Dark';
  $('theme').setAttribute('aria-label', `Switch to ${is_dark ? 'light' : 'dark'} colours`);
}
$('theme').addEventListener('click', () => {
  const theme = $('theme').textContent.toLowerCase();
  document.documentElement.dataset.theme = theme;
  show_theme();
  storage?.setItem('theme', theme);
});
dark.addEventListener('change', show_theme);

function show_model() {
  $('alterable').replaceChildren(...model.alterable.map(make_alterable));
  $('context').replaceChildren(...model.context.map(make_context));
  $('context-section').hidden = model.context.length === 0;
  $('several').hidden = model.context.length === 0;
  $('desired').replaceChildren(
    ...(is_box() ? model.outcome.map(make_wanted) : region_rows().map((row) => make('p', {}, row))),
  );
  const roles = new Map([
    ...model.alterable.map(({ name }) => [name, 'alterable']),
    ...model.outcome.map(({ name }) => [name, 'outcome']),
  ]);
  $('order').replaceChildren(...model.order.map((name) => make('li', { class: roles.get(name) ?? '' }, name)));
  $('wishes').textContent = wishes_text();
  const undecided = model.undecided_steps.join('; ');
  if (undecided) {
    $('undecided').textContent =
      `The data did not decide which of these comes first: ${undecided}. ` +
      'If they stand the other way round, the answer may change.';
  }
}

async function begin() {
  const theme = storage?.getItem('theme');
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
  show_theme();
  $('levers').addEventListener('submit', (event) => event.preventDefault());
  try {
    model = await ask_json('/api/model');
    show_model();
    start();
  } catch (error) {
    say(error.message, { error: true });
  }
}
begin();
