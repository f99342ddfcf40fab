'use strict';

// The order as ranks in groups, without arrows: neighbours need not influence each other.

import { $, make, shown } from './basics.js';
import { term } from './glossary.js';
import { about } from './words.js';

const kBasis = { shape: 'by shape', scale: 'by scale', nothing: 'not decided', knowledge: 'by knowledge', score: '' };
const kTerm = { shape: 'shape', scale: 'scale', nothing: 'undecided', knowledge: 'knowledge' };

export function show_order() {
  const { order, order_steps, context, alterable, outcome, undecided_steps, levers, rows_known, order_method } = shown.model;
  const names = (list) => new Set(list.map(({ name }) => name));
  const [observed, settable, wanted] = [names(context), names(alterable), names(outcome)];
  const steps = new Map(order_steps.map((step) => [step.name, step]));
  const groups = [
    ['Observed before the decision', (name) => observed.has(name)],
    ['Can be set, and what lies between', (name) => !observed.has(name) && !wanted.has(name)],
    ['Outcomes', (name) => wanted.has(name)],
  ];
  const entry = (name) => {
    const step = steps.get(name);
    const rank = order.indexOf(name) + 1;
    const look = settable.has(name) ? 'alterable' : wanted.has(name) ? 'outcome' : '';
    const open = step?.decided_by === 'nothing' || step?.decided_by === 'scale' ? ' open' : '';
    const label = about(name).label;
    const item = make('li', { class: `${look}${open}`, value: rank });
    item.append(make('span', { class: 'rank', 'aria-hidden': 'true' }, String(rank)));
    item.append(make('span', { class: 'name', ...(label && { title: label }) }, name));
    if (step && kBasis[step.decided_by]) {
      const rival = step.rival && step.decided_by !== 'knowledge' ? ` ${step.decided_by === 'nothing' ? 'against' : 'after'} ${step.rival}` : '';
      item.append(make('small', {}, `${kBasis[step.decided_by]}${rival}`));
    }
    return item;
  };
  $('order').replaceChildren(
    ...groups
      .map(([title, belongs], i) => [title, order.filter(belongs), i])
      .filter(([, list]) => list.length > 0)
      .map(([title, list, i]) =>
        make(
          'div',
          { class: 'stage', role: 'group', 'aria-labelledby': `stage-${i}` },
          make('h3', { id: `stage-${i}` }, title),
          make('ol', {}, ...list.map(entry)),
        ),
      ),
  );
  const bases = [...new Set(order_steps.map((step) => step.decided_by))].filter((basis) => kTerm[basis]);
  const said = $('order-rests');
  said.replaceChildren();
  if (bases.length > 0) {
    const steps_text = order_steps.length === 1 ? 'Its step' : `Its ${order_steps.length} steps`;
    said.append(`The order was learned by ${order_method}. ${steps_text}: `);
    bases.forEach((basis, i) => {
      const count = order_steps.filter((step) => step.decided_by === basis).length;
      said.append(i > 0 ? ', ' : '', `${count} `, term(kTerm[basis]));
    });
    said.append('.');
  }
  $('order-levers').textContent = [levers, rows_known].filter((text) => text).join(' ');
  const undecided = undecided_steps.join('; ');
  $('undecided').textContent = undecided
    ? `The data did not decide which of these comes first: ${undecided}. ` +
      'If they stand the other way round, the answer may change.'
    : '';
}
