'use strict';

// A decision in steps: what is set now, what will be seen then, and by which rule later levers answer to it.

import { $, make, shown } from './basics.js';
import { term } from './glossary.js';
import { condition_text, joined, number_text, percent_text, points_text, value_text, with_unit } from './words.js';

// "0.3 + 0.5 x \u2212 0.1 x\u00b2"
function sum_text({ constant, slopes, squares }) {
  const terms = [
    ...Object.entries(slopes ?? {}),
    ...Object.entries(squares ?? {}).map(([name, weight]) => [`${name}\u00b2`, weight]),
  ];
  return terms
    .filter(([, weight]) => weight !== 0)
    .reduce(
      (text, [name, weight]) =>
        `${text} ${weight < 0 ? '\u2212' : '+'} ${number_text(Math.abs(weight), 3)}\u00a0${name}`,
      number_text(constant, 3),
    );
}

// ", as far as Omega + 2 DIC \u2264 0.2" of the constraints that cut a rule.
const limits_text = ({ limits = [] }) =>
  limits.length > 0
    ? `, as far as ${joined(limits.map(({ weights, max }) => condition_text(Object.entries(weights), max)))}`
    : '';

function rule_text(name, rule) {
  return `${free_rule_text(name, rule)}${limits_text(rule)}`;
}

const is_constant = ({ slopes, squares }) => [slopes, squares].every((of) => Object.values(of ?? {}).every((weight) => weight === 0));

// The value of a rule that is the same whatever is seen, in words; undefined where it depends on what is seen.
function constant_text(name, rule) {
  const words = (value) => (typeof value === 'number' ? value_text(name, value, 3) : value);
  if (rule.form === 'affine') {
    if (!is_constant(rule)) return undefined;
    const value = Math.min(rule.max, Math.max(rule.min, rule.constant));
    return words(Math.abs(value) < 1e-9 * (rule.max - rule.min) ? 0 : value);
  }
  if (rule.form === 'table') {
    const values = new Set(rule.cells.map(({ value }) => value));
    return values.size === 1 ? words([...values][0]) : undefined;
  }
  if (!rule.scores.every(is_constant)) return undefined;
  return words(rule.scores.reduce((a, b) => (b.constant > a.constant ? b : a)).value);
}

function free_rule_text(name, rule) {
  const constant = constant_text(name, rule);
  if (constant !== undefined) return `${name} to ${constant}`;
  if (rule.form === 'affine')
    return (
      `${name} to ${sum_text(rule)}, within ${number_text(rule.min, 3)} and ` +
      with_unit(name, number_text(rule.max, 3))
    );
  if (rule.form === 'table') {
    const words = (of, value) => (typeof value === 'number' ? value_text(of, value, 3) : value);
    return (
      `${name} to ` +
      joined(
        rule.cells.map(({ seen, value }) => {
          const given = joined(Object.entries(seen).map(([input, level]) => `${input} is ${words(input, level)}`));
          return `${words(name, value)} where ${given}`;
        }),
      )
    );
  }
  return `${name} to the value with the highest score by ${joined(rule.inputs)}`;
}

// The variables that are seen between steps, with the step after which: [{name, step}].
export const seen_between = () =>
  (shown.model.sequence ?? []).flatMap(({ then_observe }, step) => (then_observe ?? []).map((name) => ({ name, step })));

// Of a sequence with values seen: the levers of steps that are over.
export function levers_over(seen) {
  const steps = seen_between().filter(({ name }) => (seen.get(name)?.value ?? null) !== null);
  const last = Math.max(-1, ...steps.map(({ step }) => step));
  return new Set((shown.model.sequence ?? []).slice(0, last + 1).flatMap(({ alter }) => alter));
}

// Probabilities as bars on one scale, the text beside them: [[class, share]].
function bars(parts) {
  return parts.map(([kind, share]) => {
    const bar = make('div', { class: 'share', 'aria-hidden': 'true' });
    const piece = make('i', { class: kind });
    piece.style.width = `${100 * Math.min(1, Math.max(0, share))}%`;
    bar.append(piece);
    return bar;
  });
}

const kWorthSaying = 0.01; // less is chance

function change_or_watch({ name, changed, watched, difference, value }) {
  const at = value === undefined || value === null ? '' : ` to ${typeof value === 'number' ? value_text(name, value, 3) : value}`;
  const advice = difference > kWorthSaying ? 'change it' : difference < -kWorthSaying ? 'watch it' : 'either';
  return make(
    'li',
    {},
    `${name}: ${percent_text(changed)} changed${at}, ${percent_text(watched)} left alone and watched: ${advice}`,
    ...bars([['changed', changed], ['watched', watched]]),
  );
}

// What seeing each variable first is worth, and whether to change or to watch each lever, as the server found it.
export function show_looking({ variables, levers }) {
  const rows = variables.map(({ name, seen, unseen, gain }) =>
    make(
      'li',
      {},
      `${name}: ${points_text(Math.max(0, gain))} (${percent_text(unseen)} unseen, ${percent_text(seen)} seen)`,
      ...bars([['seen', seen], ['not-seen', unseen]]),
    ),
  );
  const parts = [
    make('p', {}, term('looking', 'Worth of looking'), rows.length > 0 ? ', the most first:' : ': nothing can be seen before a lever is set.'),
    make('ul', { class: 'bars' }, ...rows),
  ];
  if (levers.length > 0)
    parts.push(make('p', {}, 'Change it or watch it, with levers after it answering:'), make('ul', { class: 'bars' }, ...levers.map(change_or_watch)));
  $('looking-parts').replaceChildren(...parts);
}

// Shows the plan of a decision of the server; nothing for one that is taken at once.
export function show_plan(decision) {
  const sequence = decision?.sequence;
  $('plan').hidden = !sequence;
  if (!sequence) return;
  const entries = sequence.steps.map(({ alter, then_observe }, i) => {
    const rules = alter.filter((name) => Object.hasOwn(sequence.rules, name));
    const said =
      i === 0
        ? `Now: ${joined(alter)} as set on this page.`
        : rules.length > 0
          ? `Then set ${joined(rules.map((name) => rule_text(name, sequence.rules[name])))}.`
          : `Then leave ${joined(alter)} alone.`;
    const seen = then_observe?.length > 0 ? ` Then observe ${joined(then_observe)}.` : '';
    return make('li', {}, said + seen);
  });
  const gain = decision.success_probability - sequence.at_once;
  const cost = shown.model.cost ? `The plan costs ${number_text(decision.cost, 3)} on average, later steps included. ` : '';
  $('plan').replaceChildren(
    make('h3', {}, term('steps', 'In steps')),
    make('ol', {}, ...entries),
    make(
      'p',
      { class: 'note' },
      `With all levers set at once success would have probability ${percent_text(sequence.at_once)}: looking first adds ` +
        `${gain > 0.005 ? points_text(gain) : 'nothing measurable'}. ${cost}The figure shows the present step alone.`,
    ),
  );
}
