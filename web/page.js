'use strict';

// The rehearsal page: levers on the right, what becomes of the outcome on the left. All figures are drawn and all numbers
// computed by the server; names of variables come from a file and enter the page as text only, never as markup.

const $ = (id) => document.getElementById(id);

// An element with attributes and children; texts are texts, whatever they hold.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}

// Names such as "constructor" must not find what every object has.
const pick = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const rounded = (value) => String(Number(value.toPrecision(4)));
const number_text = (value) => rounded(value).replace(/-/g, '\u2212');
const percent_text = (share) => `${(100 * share).toFixed(1)}\u202f%`;
const range_text = ([low, high]) => `${percent_text(low)} to ${percent_text(high)}`;

function joined(parts) {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

// The server's answer, or an Error with a sentence for the reader.
async function ask(path, body) {
  const request = body === undefined ? {} : {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, request);
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
  speaking = setTimeout(() => { $('spoken').textContent = text; }, 700);
}

function download(content, name) {
  const address = URL.createObjectURL(content);
  make('a', { href: address, download: name }).click();
  // The browser reads the content after this task.
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

let model;
// name -> {lever, note, start, value}
const contexts = new Map();
// name -> {lever, note, switches, mode, value, expected}; mode is leave, free or fixed, value null when nothing is set
const alterables = new Map();
// name -> {inputs: [low, high], bounds: [low or null, high or null]}
const wanted = new Map();
// Fields that hold no usable number, each with a sentence.
const problems = new Map();
function object_to(owner, sentence, ...fields) {
  if (sentence) problems.set(owner, sentence); else problems.delete(owner);
  for (const field of fields) field.setAttribute('aria-invalid', sentence !== '');
}
// The last decision of the server: its id, and the request for which the page shows exactly that decision.
let kept = { id: '', state: '' };

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
  const field = make('input', { type: 'number', step: 'any', 'aria-labelledby': title, placeholder: optional ? 'not set' : '' });
  const tick = make('i', { class: 'tick' });
  const marks = make('div', { class: 'marks', 'aria-hidden': 'true' }, tick);
  if (entry.data_counts?.length) marks.prepend(data_figure(entry, share));

  slider.addEventListener('input', () => {
    const at = Number(slider.value);
    const value = at === 0 ? low : at === steps ? high : Number((low + (span * at) / steps).toFixed(digits));
    enter(value);
    field.value = rounded(value);
  });
  field.addEventListener('input', () => {
    const value = field.value === '' ? null : Number(field.value);
    if (field.validity.badInput || (value === null && !optional)) {
      refuse(`${entry.name} needs a number.`);
    } else if (optional && value !== null && (value < low || value > high)) {
      refuse(`${entry.name} can be set from ${number_text(low)} to ${number_text(high)}.`);
    } else {
      enter(value);
    }
  });

  // What could not be used gives way to what is in force.
  field.addEventListener('blur', () => { if (problems.has(field)) rehearse(); });

  function refuse(sentence) {
    object_to(field, sentence, field);
    rehearse();
  }
  function enter(value) {
    object_to(field, '', field);
    changed(value);
  }
  return {
    element: make('div', { class: 'lever' }, make('div', { class: 'scale' }, marks, slider), field),
    slider,
    mark(value) { tick.style.left = `${100 * share(value)}%`; },
    set(value, place) {
      slider.value = Math.round(steps * share(value ?? place));
      slider.setAttribute('aria-valuetext', value === null ? `not set, about ${rounded(place)}` : rounded(value));
      slider.classList.toggle('unset', value === null);
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

// The values of a column in the data, as bars along its lever.
function data_figure(entry, share) {
  const { data_counts: counts, data_low, data_high } = entry;
  const width = (data_high - data_low) / counts.length;
  const top = Math.max(...counts);
  const space = 'http://www.w3.org/2000/svg';
  const figure = document.createElementNS(space, 'svg');
  figure.setAttribute('viewBox', '0 0 100 100');
  figure.setAttribute('preserveAspectRatio', 'none');
  const bars = document.createElementNS(space, 'path');
  bars.setAttribute('d', counts.map((count, i) => {
    const left = 100 * share(data_low + i * width);
    const right = 100 * share(data_low + (i + 1) * width);
    return `M${left} 100V${100 - (100 * count) / top}H${right}V100Z`;
  }).join(''));
  figure.append(bars);
  return figure;
}

function make_context(entry, place) {
  const title = `context-${place}`;
  const one = { value: entry.value, start: entry.value, note: make('p', { class: 'note' }) };
  one.lever = make_lever(entry, title, {
    optional: false,
    changed(value) { one.value = value; rehearse(); },
  });
  one.lever.mark(entry.value);
  contexts.set(entry.name, one);
  one.note.textContent = `${number_text(entry.mean)} on average in the data`;
  return make('div', { class: 'variable', role: 'group', 'aria-labelledby': title },
    make('div', { class: 'head' }, make('h3', { id: title, title: entry.name }, entry.name)), one.lever.element, one.note);
}

const kModes = [['leave', 'leave alone'], ['free', 'free'], ['fixed', 'fixed']];

function make_alterable(entry, place) {
  const title = `alterable-${place}`;
  const note = make('p', { class: 'note', id: `${title}-note` });
  const one = { mode: 'free', value: null, expected: entry.expected, note, switches: new Map() };
  one.lever = make_lever(entry, title, {
    optional: true,
    changed(value) {
      one.value = value;
      // A fixed value that is wiped out is no longer fixed.
      if (value === null && one.mode === 'fixed') one.mode = 'free';
      rehearse();
    },
  });
  one.lever.slider.setAttribute('aria-describedby', note.id);
  const group = make('div', { class: 'switch', role: 'radiogroup', 'aria-labelledby': title });
  for (const [mode, words] of kModes) {
    const radio = make('input', { type: 'radio', name: title, value: mode });
    radio.addEventListener('change', () => {
      one.mode = mode;
      if (mode === 'fixed') one.value ??= clamp(one.expected, entry.low, entry.high);
      rehearse();
    });
    one.switches.set(mode, radio);
    group.append(make('label', {}, radio, make('span', {}, words)));
  }
  alterables.set(entry.name, one);
  return make('div', { class: 'variable', role: 'group', 'aria-labelledby': title },
    make('div', { class: 'head' }, make('h3', { id: title, title: entry.name }, entry.name), group), one.lever.element, note);
}

// The two sides of what is wanted of an outcome; an empty field leaves its side open.
function make_wanted(entry, place) {
  const one = { inputs: [], bounds: [entry.low, entry.high] };
  const row = make('div', { class: 'wanted', role: 'group', 'aria-labelledby': `wanted-${place}` },
    make('h3', { id: `wanted-${place}`, title: entry.name }, entry.name));
  for (const side of [0, 1]) {
    const input = make('input', { type: 'number', step: 'any', placeholder: 'open', id: `wanted-${place}-${side}` });
    input.addEventListener('input', () => {
      one.bounds[side] = input.value === '' ? null : Number(input.value);
      const [low, high] = one.bounds;
      const wrong = one.inputs.some((field) => field.validity.badInput) ? `${entry.name} needs numbers, or empty fields.`
        : low !== null && high !== null && low > high ? `${entry.name} cannot be at least ${number_text(low)} and at most ${
          number_text(high)}.` : '';
      object_to(one, wrong, ...one.inputs);
      rehearse();
    });
    one.inputs.push(input);
    row.append(make('label', { for: input.id }, make('span', {}, side ? 'to' : 'from'),
      make('span', { class: 'unseen' }, ` (${entry.name})`)), input);
  }
  wanted.set(entry.name, one);
  return row;
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

function rehearsed() {
  return { ...conditions(), alterations: Object.fromEntries([...alterables].map(([name, one]) => [name, set_value(one)])) };
}

// For the server's search. With `exactly`, everything that is set on the page counts as fixed.
function switches(exactly) {
  return Object.fromEntries([...alterables].map(([name, one]) => {
    const value = set_value(one);
    if (exactly) return [name, value ?? 'leave'];
    return [name, one.mode === 'fixed' ? value : one.mode];
  }));
}

function wanted_text() {
  const parts = [];
  for (const [name, { bounds: [low, high] }] of wanted) {
    if (low !== null && high !== null) parts.push(`${name} between ${number_text(low)} and ${number_text(high)}`);
    else if (low !== null) parts.push(`${name} at least ${number_text(low)}`);
    else if (high !== null) parts.push(`${name} at most ${number_text(high)}`);
  }
  return joined(parts);
}

function region_rows() {
  return model.region.M.map((row, i) => {
    const terms = row.map((weight, j) => [weight, model.outcome[j].name]).filter(([weight]) => weight !== 0);
    return `${terms.map(([weight, name]) => `${number_text(weight)} ${name}`).join(' + ')} \u2264 ${number_text(model.region.d[i])}`;
  });
}

function note_text(one) {
  const about = number_text(one.expected);
  if (one.mode === 'leave') return `left alone, about ${about} to be expected`;
  return one.value === null ? `not set, about ${about} to be expected` : `instead of about ${about}`;
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
      show_answer(await ask_json('/api/rehearse', body));
      $('gain').classList.toggle('past', JSON.stringify(body) !== kept.state);
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

function show_answer(answer) {
  const { success_probability: success, without_action: without } = answer;
  $('success').textContent = percent_text(success);
  $('without').textContent = percent_text(without);
  $('interval').textContent = `95\u202f% interval ${range_text(answer.interval)}`;
  $('interval-without').textContent = range_text(answer.interval_without_action);
  for (const [name, value] of [['success', success], ['low', answer.interval[0]], ['high', answer.interval[1]],
    ['without', without]]) $('gauge').style.setProperty(`--${name}`, value);
  for (const [name, one] of alterables) one.expected = pick(answer.expected, name) ?? one.expected;
  show_levers();
  for (const [name, one] of [...alterables, ...contexts]) {
    one.lever.element.parentElement.classList.toggle('beyond', answer.extrapolated.includes(name));
  }
  show_figures(answer.svg);
  $('forecast').replaceChildren(...answer.outcomes.flatMap((outcome, i) => forecast_of(outcome, answer.outcomes_without_action[i])));
  show_warnings(answer);
  speak(`${percent_text(success)} probability of success, ${percent_text(without)} without action.`);
}

function forecast_of(outcome, without) {
  const range = ({ mean, low, high }) => `${number_text(mean)} (${number_text(low)} to ${number_text(high)})`;
  return [make('span', {}, `${outcome.name} is to be expected at ${range(outcome)}, without action at ${range(without)}; in ` +
    'brackets the range of four in five cases. ')];
}

// The server escapes names in its figures, and the page's policy runs no script that it did not bring.
function show_figures(figures) {
  const drawn = model.outcome.map(({ name }) => pick(figures, name)).filter((text) => text !== undefined);
  $('figures').replaceChildren(...drawn.map((text) => new DOMParser().parseFromString(text, 'text/html').body.firstElementChild));
}

const kBeyond = ' Beyond the data the models guess.';
function show_warnings(answer) {
  const texts = [...model.warnings, ...answer.warnings].map((warning) => warning.text ?? warning);
  if (answer.extrapolated.length > 0) texts.unshift(`There is little data around the values of ${joined(answer.extrapolated)}.${kBeyond}`);
  $('warnings').replaceChildren(...[...new Set(texts)].map((text) => make('li', {}, text)));
}

function gain_text(decision) {
  const set = [];
  const left = [];
  for (const name of alterables.keys()) {
    const value = pick(decision.alterations, name) ?? null;
    if (value === null) left.push(name); else set.push(`${name} to ${number_text(value)}`);
  }
  if (set.length === 0) return `Nothing needs to be set. ${decision.message}`;
  const { success_probability: success, without_action: without } = decision;
  const points = 100 * (success - without);
  const gain = `${Math.abs(points).toFixed(1)} points ${points < 0 ? 'less' : 'more'} than without action`;
  return `Set ${joined(set)}${left.length > 0 ? `, and leave ${joined(left)} alone` : ''}. In draws that the search has not seen, ` +
    `success has probability ${percent_text(success)} (${range_text(decision.interval)}): ${gain} (${percent_text(without)}).${
      decision.status === 'done' ? '' : ` ${decision.message}`}`;
}

async function recommend(exactly) {
  const { id, decision, warnings } = await ask_json('/api/recommend', { ...conditions(), switches: switches(exactly) });
  for (const [name, one] of alterables) {
    if (one.mode === 'free') one.value = pick(decision.alterations, name) ?? null;
  }
  kept = { id, state: JSON.stringify(rehearsed()) };
  return { decision, warnings };
}

// Only one search at a time; its buttons wait.
async function while_busy(button, words, work) {
  const buttons = ['recommend', 'save-json', 'save-report'].map($);
  if (buttons.some((one) => one.getAttribute('aria-disabled'))) return;
  for (const one of buttons) one.setAttribute('aria-disabled', 'true');
  button.classList.add('busy');
  say(words);
  try {
    say(await work());
  } catch (error) {
    say(error.message, { error: true });
  }
  button.classList.remove('busy');
  for (const one of buttons) one.removeAttribute('aria-disabled');
}

$('recommend').addEventListener('click', () => while_busy($('recommend'), 'Looking for the best decision \u2026', async () => {
  const { decision } = await recommend(false);
  $('gain').textContent = gain_text(decision);
  $('gain').hidden = false;
  await rehearse();
  speak($('gain').textContent);
  return '';
}));

// What is saved is what the page shows: a recommendation, or a decision by hand, which the server then judges as it is.
for (const [button, kind, words] of [['save-json', 'json', 'result'], ['save-report', 'html', 'report']]) {
  $(button).addEventListener('click', () => while_busy($(button), `Preparing the ${words} \u2026`, async () => {
    if (kept.state !== JSON.stringify(rehearsed())) await recommend(true);
    const content = await (await ask(`/api/result/${kept.id}.${kind}`)).blob();
    download(content, `decision.${kind}`);
    return `The ${words} is saved as decision.${kind}.`;
  }));
}

function start() {
  for (const one of contexts.values()) one.value = one.start;
  for (const one of alterables.values()) Object.assign(one, { mode: 'free', value: null });
  for (const entry of is_box() ? model.outcome : []) {
    const one = wanted.get(entry.name);
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

let table_text = '';
let newest;
async function decide_contexts(file) {
  newest = file;
  const tell = (text, error = false) => say(text, { error, place: 'several-status' });
  $('table').hidden = true;
  $('download').hidden = true;
  tell(`Deciding the contexts of ${file.name} \u2026`);
  try {
    const csv = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    const { context, ...others } = conditions();
    const { rows, csv: text } = await ask_json('/api/contexts', { csv, ...others, switches: switches(false) });
    if (file !== newest) return;
    table_text = text;
    show_table(rows);
    const mean = (key) => percent_text(rows.reduce((sum, row) => sum + row[key], 0) / rows.length);
    tell(`${rows.length} contexts of ${file.name}: success has probability ${mean('success_probability')} on average, without action ${
      mean('without_action')}.`);
  } catch (error) {
    tell(error instanceof TypeError ? `${file.name} is no text in UTF-8. Save it as CSV in UTF-8.` : error.message, true);
  }
}

function show_table(rows) {
  const given = [...contexts.keys()];
  const set = [...alterables.keys()];
  const head = (text, scope) => make('th', { scope }, text);
  const header = make('tr', {}, head('', 'col'), ...given.map((name) => head(name, 'col')),
    ...set.map((name) => head(`set ${name}`, 'col')), head('success', 'col'), head('95\u202f% interval', 'col'), head('without action', 'col'));
  const lines = rows.map((row, i) => make('tr', {}, head(i + 1, 'row'),
    ...given.map((name) => make('td', {}, number_text(pick(row.context, name)))),
    ...set.map((name) => {
      const value = pick(row.alterations, name) ?? null;
      return value === null ? make('td', { class: 'left' }, 'leave') : make('td', { class: 'set' }, number_text(value));
    }),
    make('td', { class: 'strong' }, percent_text(row.success_probability)), make('td', {}, range_text(row.interval)),
    make('td', {}, percent_text(row.without_action))));
  $('table').replaceChildren(make('table', {}, make('thead', {}, header), make('tbody', {}, ...lines)));
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
addEventListener('dragleave', (event) => { if (!event.relatedTarget) $('drop').classList.remove('over'); });
addEventListener('drop', (event) => {
  const [file] = event.dataTransfer.files;
  if (!file) return;
  event.preventDefault();
  $('drop').classList.remove('over');
  $('several').scrollIntoView();
  decide_contexts(file);
});

// A browser may be told to keep nothing.
const storage = (() => { try { return localStorage; } catch { return undefined; } })();
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
  $('desired').replaceChildren(...(is_box() ? model.outcome.map(make_wanted) : region_rows().map((row) => make('p', {}, row))));
  const roles = new Map([...model.alterable.map(({ name }) => [name, 'alterable']), ...model.outcome.map(({ name }) => [name, 'outcome'])]);
  $('order').replaceChildren(...model.order.map((name) => make('li', { class: roles.get(name) ?? '' }, name)));
  $('undecided').textContent = model.undecided_steps.length === 0 ? '' :
    `The data did not decide which of these comes first: ${model.undecided_steps.join('; ')}. If they stand the other way round, ` +
    'the answer may change.';
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
