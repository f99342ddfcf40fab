'use strict';

// Undo, redo, and the address. A state is a plain object; equal states have equal texts.

const kSameGesture = 800; // milliseconds: a lever that is dragged is one step

let past = [];
let future = [];
let present = '';
let gesture = { key: '', at: 0 };
let restore = () => {};
let shown = () => {};

// `apply(state)` brings a state back; `update({undo, redo})` says what can be done.
export function begin_history(state, { apply, update }) {
  restore = apply;
  shown = update;
  [past, future] = [[], []];
  present = JSON.stringify(state);
  gesture = { key: '', at: 0 };
  tell();
}

const tell = () => shown({ undo: past.length > 0, redo: future.length > 0 });

// After a change by a person; `key` says of what, so that a gesture is one step.
export function record(state, key) {
  const text = JSON.stringify(state);
  if (text === present) return;
  const now = performance.now();
  const same = key === gesture.key && now - gesture.at < kSameGesture && past.length > 0;
  gesture = { key, at: now };
  if (!same) past.push(present);
  if (past.length > 200) past.shift();
  present = text;
  future = [];
  tell();
}

function move(from, to) {
  if (from.length === 0) return;
  to.push(present);
  present = from.pop();
  gesture = { key: '', at: 0 };
  restore(JSON.parse(present));
  tell();
}
export const undo = () => move(past, future);
export const redo = () => move(future, past);

// State and address. What is as at the start is not in the address, which people can read:
//   #model=1a2b3c&set.dose=1.5&fix.rate=3&leave.price&at.weather=0.2&at.light=unknown&seen.CO2=0.04&group=North&want.yield=3..&target=0.8
export function address_of(state, start, id) {
  const parts = new URLSearchParams({ model: id });
  for (const [name, { mode, value }] of Object.entries(state.levers)) {
    const number = value === null ? '' : String(value);
    if (mode === 'leave') parts.append(`leave.${name}`, number);
    else if (mode === 'fixed') parts.append(`fix.${name}`, number);
    else if (value !== null) parts.append(`set.${name}`, number);
  }
  for (const [name, value] of Object.entries(state.context))
    if (value !== start.context[name]) parts.append(`at.${name}`, value === null ? 'unknown' : String(value));
  for (const [name, sides] of Object.entries(state.desired))
    if (JSON.stringify(sides) !== JSON.stringify(start.desired[name]))
      parts.append(`want.${name}`, sides.map((side) => side ?? '').join('..'));
  for (const [name, value] of Object.entries(state.seen)) if (value !== null) parts.append(`seen.${name}`, String(value));
  if (state.group !== start.group) parts.append('group', state.group ?? '');
  for (const key of ['target', 'proposals'])
    if (state[key] !== start[key]) parts.append(key, state[key] === null ? '' : String(state[key]));
  for (const scenario of state.scenarios) parts.append('scenario', JSON.stringify(scenario));
  return `#${parts}`;
}

const number_of = (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : null);

// The state that an address describes, beginning with `start`; names and values that are none of this model are left
// out. `id` is '' where the address has none.
export function state_in(hash, start) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const state = structuredClone(start);
  for (const [key, text] of parts) {
    const dot = key.indexOf('.');
    const [kind, name] = dot < 0 ? [key, ''] : [key.slice(0, dot), key.slice(dot + 1)];
    const lever = Object.hasOwn(state.levers, name) ? state.levers[name] : null;
    if (kind === 'set' && lever) Object.assign(lever, { mode: 'free', value: number_of(text) });
    if (kind === 'fix' && lever && number_of(text) !== null) Object.assign(lever, { mode: 'fixed', value: number_of(text) });
    if (kind === 'leave' && lever) Object.assign(lever, { mode: 'leave', value: number_of(text) });
    if (kind === 'at' && Object.hasOwn(state.context, name))
      state.context[name] = text === 'unknown' ? null : (number_of(text) ?? start.context[name]);
    if (kind === 'seen' && Object.hasOwn(state.seen, name)) state.seen[name] = number_of(text);
    const sides = text.split('..');
    if (kind === 'want' && Object.hasOwn(state.desired, name) && sides.length === 2)
      state.desired[name] = sides.map(number_of);
    if (kind === 'group') state.group = text || null;
    if (kind === 'target') state.target = number_of(text);
    if (kind === 'proposals') state.proposals = number_of(text) ?? start.proposals;
    if (kind === 'scenario') {
      try {
        state.scenarios.push(JSON.parse(text));
      } catch {
        // No scenario then.
      }
    }
  }
  return { id: parts.get('model') ?? '', state };
}
