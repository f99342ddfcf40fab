'use strict';

// The list of models, and a model that is still being learned.

import { $, ask_json, make, shown } from './basics.js';
import { show_glossary } from './glossary.js';

const kPause = 400; // milliseconds between two looks at the progress
const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

let models = [];
let version = '';

export async function load_models() {
  const answer = await ask_json('/api/models');
  if (models.length === 0) show_glossary(answer.glossary);
  ({ models, version } = answer);
  return models;
}

export const model_id = () => models[shown.place]?.id ?? '';
// The place of the model with this id, -1 when there is none.
export const place_of = (id) => models.findIndex((one) => one.id === id);

const title_of = ({ title, file }) => title || file || 'model';

// Links to the models, where there are several. `choose(place)` opens one.
export function show_list(choose) {
  $('models').hidden = models.length < 2;
  $('model-list').replaceChildren(
    ...models.map((one, place) => {
      const here = place === shown.place;
      const link = make('a', { href: one.id ? `#model=${one.id}` : '#', ...(here && { 'aria-current': 'page' }) });
      const state = one.state === 'learning' ? ' (learning)' : one.state === 'failed' ? ' (failed)' : '';
      link.append(title_of(one), make('small', {}, ` ${one.title ? one.file : ''}${state}`));
      link.addEventListener('click', (event) => {
        event.preventDefault();
        choose(place);
      });
      return make('li', {}, link);
    }),
  );
}

// "reef.olem, 2026-11-17 · data.csv, 300 rows · olem 0.2.0"
export function show_source() {
  const { file, date, title } = models[shown.place];
  const { data, fitted_by } = shown.model;
  const parts = [
    [title && file, date].filter((text) => text).join(', '),
    data && [data.source, `${data.rows} rows`].filter((text) => text).join(', '),
    `olem ${fitted_by || version}`,
  ];
  $('source').textContent = parts.filter((text) => text).join(' \u00b7 ');
  $('model-name').textContent = title_of(models[shown.place]);
}

// Shows how far learning is, until the model is there. An Error when it cannot be learned.
export async function wait_for_model(choose) {
  for (;;) {
    const { state, fraction, phase, error, file } = models[shown.place];
    $('learning').hidden = state === 'ready';
    if (state === 'ready') return;
    $('model-name').textContent = file;
    if (state === 'failed') {
      $('learning').classList.add('error');
      $('learning-bar').hidden = true;
      $('learning-text').textContent = `The model cannot be learned. ${error}`;
      throw new Error(error);
    }
    $('learning-bar').value = fraction;
    // Each phase has a bar of its own.
    const words = phase ? `${phase[0].toUpperCase()}${phase.slice(1)}: ` : '';
    $('learning-text').textContent = `${words}${Math.round(100 * fraction)}\u202f%`;
    await sleep(kPause);
    await load_models();
    show_list(choose);
  }
}
