'use strict';

// What the interval of a decision is made of, and what would change the answer: parts of a decision that was searched
// with members (fits to halves of the rows, other orders that the data allow). Decisions without them have none.

import { $, make, make_svg } from './basics.js';
import { term } from './glossary.js';
import { joined, percent_text, value_text } from './words.js';

const kSources = [
  ['draws', 'chance of the draws'],
  ['rows', 'the rows'],
  ['order', 'the order'],
  ['extrapolation', 'little data'],
];
const kMembers = { half: 'fits to halves of the rows', order: 'other orders that the data allow' };

// Shares of the variance as one bar with its legend.
function sources_bar(uncertainty) {
  const total = kSources.reduce((sum, [key]) => sum + (uncertainty[key] ?? 0), 0);
  if (!(total > 0)) return [];
  const shares = kSources.map(([key, words]) => [key, words, (uncertainty[key] ?? 0) / total]);
  const bar = make('div', { class: 'sources', 'aria-hidden': 'true' });
  for (const [key, , share] of shares) {
    const piece = make('i', { class: key });
    piece.style.width = `${100 * share}%`;
    bar.append(piece);
  }
  const legend = make('ul', { class: 'sources-legend' });
  for (const [key, words, share] of shares)
    legend.append(make('li', { class: key }, `${words} ${Math.round(100 * share)}\u202f%`));
  return [make('p', {}, term('sources', 'What the interval is made of'), ':'), bar, legend];
}

function members_text(members) {
  return Object.entries(kMembers)
    .map(([kind, words]) => [words, members.filter((one) => one.kind === kind).map(({ success }) => success)])
    .filter(([, values]) => values.length > 0)
    .map(([words, values]) => {
      const [low, high] = [Math.min(...values), Math.max(...values)].map(percent_text);
      return `${values.length} ${words} give ${low === high ? low : `${low} to ${high}`} for this decision`;
    });
}

const decision_text = ({ alterations }) =>
  joined(Object.entries(alterations).map(([name, value]) => `${name} to ${value_text(name, value, 3)}`)) || 'nothing';

// How strong something unobserved would have to be.
function hidden_cause_text({ breakdown, lever, outcome, left_out = [], curve = [] }) {
  const assumption = 'This holds if nothing unobserved moves both a lever and the outcome';
  const without = left_out.length > 0 ? ` (not examined for ${joined(left_out)})` : '';
  if (breakdown)
    return (
      `${assumption}. A hidden cause would make this decision worse than doing nothing only if it explained more than ` +
      `${Math.round(100 * breakdown * breakdown)}\u202f% of the noise of ${lever} and of ${outcome}${without}.`
    );
  const examined = left_out.length === 0 || curve.at(-1)?.[1] < curve[0]?.[1];
  if (!examined) return `${assumption}${without}.`;
  return (
    `${assumption}. Even a hidden cause that explains 90\u202f% of the noise of both would leave this decision better ` +
    `than doing nothing${without}.`
  );
}

// Success against the share of the noise of lever and outcome that something unobserved explains.
function hidden_cause_figure({ curve = [] }, without_action) {
  if (curve.length < 2) return [];
  const points = curve.map(([strength, success]) => [100 * strength * strength, 100 * (1 - success)]);
  const success = { class: 'success', d: `M${points.map((point) => point.join(' ')).join('L')}` };
  const without = { class: 'without', d: `M0 ${100 * (1 - without_action)}H100` };
  const [first, last] = [curve[0], curve.at(-1)].map((point) => percent_text(point[1]));
  const words = {
    role: 'img',
    'aria-label': `Success falls from ${first} to ${last}; without action it is ${percent_text(without_action)}.`,
  };
  return [
    make(
      'figure',
      { class: 'cause' },
      make_svg('svg', { ...words, viewBox: '0 0 100 100', preserveAspectRatio: 'none' }, make_svg('path', without), make_svg('path', success)),
      make(
        'figcaption',
        {},
        'Success, from 0\u202f% at the bottom to 100\u202f%, against the share of the noise of lever and outcome that a ' +
          'hidden cause explains, from 0\u202f% to 100\u202f%. Dashes: without action.',
      ),
    ),
  ];
}

function change_texts({ question, other_order, units, measure_next, hidden_cause }) {
  const texts = [];
  if (question) {
    const [first, second] = question.pair;
    texts.push(
      `Does ${first} come before ${second}? It was learned so, with success ${percent_text(question.as_learned)}. The ` +
        `other way round it is ${percent_text(question.other_way)}, and one would set ${decision_text(question.other_decision)}.`,
    );
  }
  if (other_order)
    texts.push(
      `If ${joined(other_order.pairs.map(([column, lever]) => `${column} comes before ${lever}`))}, success is ` +
        `${percent_text(other_order.success)} instead.`,
    );
  if (units)
    texts.push(
      `Without the units of the columns another order is learned: this decision has ${percent_text(units.success)} ` +
        `along it, and one would set ${decision_text(units.decision)}.`,
    );
  if (measure_next) {
    const what = {
      rows: 'twice as many rows',
      pair: `to know which of ${joined(measure_next.pair ?? [])} comes first`,
      region: `rows like this decision, with ${measure_next.variable} measured`,
    }[measure_next.kind];
    // Of the variance; the interval shrinks with its root.
    const left = Math.sqrt(Math.max(0, 1 - measure_next.reduction));
    texts.push(`To measure next: ${what} would shrink the interval to about ${Math.round(100 * left)}\u202f% of its width.`);
  }
  if (hidden_cause) texts.push(hidden_cause_text(hidden_cause));
  return texts;
}

// What other learners say of the decision.
function opinion_texts({ opinions = [], success_probability }) {
  return opinions.map(
    ({ learner, success }) =>
      `Along the order or graph of ${learner} this decision has ${percent_text(success)}` +
      `${Math.abs(success - success_probability) > 0.1 ? ', which disagrees.' : '.'}`,
  );
}

// Shows it for a decision of the server; nothing for null.
export function show_uncertainty(decision) {
  const parts = [];
  if (decision?.uncertainty) parts.push(...sources_bar(decision.uncertainty));
  const texts = [
    ...members_text(decision?.members ?? []).map((text) => `${text}.`),
    ...opinion_texts(decision ?? {}),
    ...change_texts(decision ?? {}),
  ];
  if (texts.length > 0) parts.push(make('ul', {}, ...texts.map((text) => make('li', {}, text))));
  if (decision?.hidden_cause) parts.push(...hidden_cause_figure(decision.hidden_cause, decision.without_action));
  $('uncertainty').hidden = parts.length === 0;
  $('uncertainty-parts').replaceChildren(...parts);
}
