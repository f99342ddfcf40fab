'use strict';

// The controls: one for each variable, as its type asks for. Each has the same face: `element`, `control` (what a label
// describes), `set(value, place, text)` to show a value, or for null nothing with the mark at `place`, `mark(value)` for
// what is expected, and `enable(on)`. `changed(value)` is called with what a person enters, null for nothing where
// `optional`; `refused(field, sentence)` with what is wrong, '' when nothing is.

import { clamp, make, make_button, make_svg } from './basics.js';
import { about, level_word, number_text, own_word, rounded, value_text, with_unit } from './words.js';

const kMostSegments = 6;

// Of the domain of a lever: an interval, or some values.
export const nearest_value = ({ low, high, values }, value) =>
  values?.length
    ? values.reduce((a, b) => (Math.abs(b - value) < Math.abs(a - value) ? b : a))
    : clamp(value, low, high);

// The values of a column in the data as bars along its lever, or where they lie if no more is known.
function data_figure({ data_counts, data_low, data_high }, share) {
  const counts = data_counts?.length ? data_counts : [1];
  const width = (data_high - data_low) / counts.length;
  const top = Math.max(...counts);
  const bar = (count, i) => {
    const [left, right] = [i, i + 1].map((edge) => 100 * share(data_low + edge * width));
    return `M${left} 100V${100 - (100 * count) / top}H${right}V100Z`;
  };
  const kind = counts.length === 1 ? { class: 'flat' } : {};
  const bars = make_svg('path', { d: counts.map(bar).join('') });
  return make_svg('svg', { ...kind, viewBox: '0 0 100 100', preserveAspectRatio: 'none' }, bars);
}

// A slider and a field for one number; with buttons for the next value where there are steps.
function make_slider(entry, title, { optional, changed, refused }) {
  const { name, low, high } = entry;
  const span = high > low ? high - low : 1;
  // Between 100 and 1000 steps of a round size.
  const digits = clamp(3 - Math.ceil(Math.log10(span)), 0, 20);
  const steps = Math.round(clamp(span * 10 ** digits, 100, 1000));
  const share = (value) => clamp((value - low) / span, 0, 1);
  const list = entry.values?.length ? entry.values : null;
  const whole = !list && about(name).type === 'count';
  const slider = make('input', { type: 'range', min: 0, max: steps, 'aria-labelledby': title });
  const field = make('input', { type: 'number', step: 'any', 'aria-labelledby': title });
  if (optional) field.placeholder = 'not set';
  const tick = make('i', { class: 'tick' });
  const marks = make('div', { class: 'marks', 'aria-hidden': 'true' }, tick);
  marks.prepend(data_figure(entry, share));
  let current = null;
  let expected = low;

  const permitted = (value) => (list ? nearest_value(entry, value) : whole ? Math.round(value) : value);
  slider.addEventListener('input', () => {
    const at = Number(slider.value);
    const between = Number((low + (span * at) / steps).toFixed(digits));
    const value = at === 0 ? low : at === steps ? high : permitted(between);
    enter(value);
    field.value = rounded(value);
  });
  field.addEventListener('input', () => {
    const value = field.value === '' ? null : Number(field.value);
    if (field.validity.badInput || (value === null && !optional)) {
      refused(field, `${name} needs a number.`);
    } else if (optional && value !== null && (value < low || value > high)) {
      refused(field, `${name} can be set from ${number_text(low)} to ${number_text(high)}.`);
    } else if (value !== null && list && !list.includes(value)) {
      refused(field, `${name} can be set to ${number_text(nearest_value(entry, value))}, but not to ${number_text(value)}.`);
    } else {
      enter(value);
    }
  });
  // What could not be used gives way to what is in force.
  field.addEventListener('blur', () => {
    if (field.getAttribute('aria-invalid') === 'true') refused(field, '');
  });
  const enter = (value) => {
    refused(field, '', false);
    changed(value);
  };

  // The next value above or below; from nothing, the one nearest to what is expected.
  function step_by(direction) {
    const from = current ?? expected;
    let next;
    if (current === null) next = nearest_value(entry, list ? from : Math.round(from));
    else if (list) next = list[clamp(list.indexOf(nearest_value(entry, from)) + direction, 0, list.length - 1)];
    else next = Math.round(from) + direction;
    enter(clamp(next, optional ? low : -Infinity, optional ? high : Infinity));
  }
  const buttons =
    list || whole
      ? [
          ['\u2212', 'less', -1],
          ['+', 'more', 1],
        ].map(([sign, words, direction]) =>
          make_button(sign, () => step_by(direction), { class: 'step', 'aria-label': `${words} ${name}` }),
        )
      : [];
  const ends = make(
    'div',
    { class: 'ends', 'aria-hidden': 'true' },
    ...[low, high].map((value) => make('span', {}, with_unit(name, number_text(value, 3)))),
  );
  const entry_box = make('div', { class: 'entry' }, ...buttons.slice(0, 1), field, ...buttons.slice(1));
  const beyond = (value) => value !== null && (value < entry.data_low || value > entry.data_high);
  return {
    element: make('div', { class: 'lever' }, make('div', { class: 'scale' }, marks, slider, ends), entry_box),
    control: slider,
    mark(value) {
      expected = value;
      tick.style.left = `${100 * share(value)}%`;
    },
    set(value, place, text, force = false) {
      current = value;
      slider.value = Math.round(steps * share(value ?? place));
      const words = value === null ? `not set, about ${rounded(place, 3)}` : rounded(value);
      slider.setAttribute('aria-valuetext', with_unit(name, words));
      slider.classList.toggle('unset', value === null);
      this.element.classList.toggle('beyond', beyond(value));
      // What a person is writing is not rewritten under the cursor.
      if (force || document.activeElement !== field) {
        field.value = value === null ? '' : (text ?? rounded(value));
        refused(field, '', false);
      }
      field.title = value === null ? '' : `exactly ${value}`;
    },
    enable(on) {
      for (const one of [slider, field, ...buttons]) one.disabled = !on;
    },
  };
}

// Yes or no: a switch between its two words.
function make_switch(entry, title, { optional, changed }) {
  const [no, yes] = entry.values?.length ? entry.values : Object.values(about(entry.name).levels);
  const box = make('input', { type: 'checkbox', role: 'switch', 'aria-labelledby': title });
  const [no_word, yes_word] = [no, yes].map((value) => make('span', {}, value_text(entry.name, value)));
  const clear = make_button('not set', () => changed(null), { class: 'clear' });
  box.addEventListener('change', () => changed(box.checked ? yes : no));
  const parts = [make('label', { class: 'toggle' }, no_word, box, yes_word)];
  if (optional) parts.push(clear);
  return {
    element: make('div', { class: 'lever' }, ...parts),
    control: box,
    mark() {},
    set(value, place) {
      box.checked = (value ?? place) === yes;
      box.classList.toggle('unset', value === null);
      no_word.classList.toggle('chosen', value === no);
      yes_word.classList.toggle('chosen', value === yes);
      clear.setAttribute('aria-pressed', String(value === null));
    },
    enable(on) {
      box.disabled = !on;
      clear.disabled = !on;
    },
  };
}

// A few levels side by side; with `optional` also none of them.
function make_segments(entry, title, { optional, changed }) {
  const values = entry.values?.length ? entry.values : Object.values(about(entry.name).levels);
  const choices = optional ? [null, ...values] : values;
  const group = make('div', { class: 'switch', role: 'radiogroup', 'aria-labelledby': title });
  const radios = choices.map((value) => {
    const radio = make('input', { type: 'radio', name: `${title}-level` });
    radio.addEventListener('change', () => changed(value));
    group.append(make('label', {}, radio, make('span', {}, value === null ? 'not set' : value_text(entry.name, value))));
    return radio;
  });
  return {
    element: make('div', { class: 'lever' }, group),
    control: group,
    mark() {},
    set(value) {
      choices.forEach((choice, i) => {
        radios[i].checked = choice === value;
      });
    },
    enable(on) {
      for (const radio of radios) radio.disabled = !on;
    },
  };
}

// Many levels: a list.
function make_list(entry, title, { optional, changed }) {
  const values = entry.values?.length ? entry.values : Object.values(about(entry.name).levels);
  const select = make('select', { 'aria-labelledby': title });
  if (optional) select.append(make('option', { value: '' }, 'not set'));
  select.append(...values.map((value) => make('option', { value }, value_text(entry.name, value))));
  select.addEventListener('change', () => changed(select.value === '' ? null : Number(select.value)));
  return {
    element: make('div', { class: 'lever' }, select),
    control: select,
    mark() {},
    set(value) {
      select.value = value === null ? '' : String(value);
    },
    enable(on) {
      select.disabled = !on;
    },
  };
}

export function make_lever(entry, title, options) {
  const words = Object.values(about(entry.name).levels ?? {});
  const values = entry.values?.length ? entry.values : words;
  if (words.length === 0 || values.some((value) => level_word(entry.name, value) === undefined))
    return make_slider(entry, title, options);
  // Many levels that are numbers in their order have a scale.
  const are_numbers = about(entry.name).type === 'ordinal' && words.every((value) => own_word(entry.name, value) === undefined);
  if (values.length > kMostSegments && are_numbers) return make_slider({ ...entry, values }, title, options);
  if (values.length === 2 && about(entry.name).type === 'binary') return make_switch(entry, title, options);
  return (values.length <= kMostSegments ? make_segments : make_list)(entry, title, options);
}
