'use strict';

// How earlier decisions came out, beside what was claimed of them: the server was started with their log.

import { $, make, shown } from './basics.js';

// Shares of decisions that came true are known exactly: with the decimals of the sentences above the table.
const percent_text = (share) => `${(100 * share).toFixed(1)}\u202f%`;

const kHeads = ['claimed', 'decisions', 'mean claim', 'came true', 'share', '95\u202f% interval'];

const band_text = ({ from, to }) =>
  from === 0 ? `below ${Math.round(100 * to)}\u202f%` : `${Math.round(100 * from)} to ${Math.round(100 * to)}\u202f%`;

function band_row(band) {
  const cells = [
    String(band.decisions),
    percent_text(band.claimed),
    String(band.came_true),
    percent_text(band.share),
    band.interval.map(percent_text).join(' to '),
  ];
  return make('tr', {}, make('th', { scope: 'row' }, band_text(band)), ...cells.map((text) => make('td', {}, text)));
}

export function show_realised() {
  const { realised } = shown.model;
  $('realised-section').hidden = !realised;
  if (!realised) return;
  $('realised-text').textContent = realised.sentences.join(' ');
  const head = make('thead', {}, make('tr', {}, ...kHeads.map((text) => make('th', { scope: 'col' }, text))));
  const body = make('tbody', {}, ...realised.bands.map(band_row));
  $('realised-table').hidden = realised.bands.length === 0;
  $('realised-table').replaceChildren(make('table', {}, head, body));
}
