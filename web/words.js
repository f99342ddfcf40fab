'use strict';

// Numbers, values and conditions in words.

import { pick, shown } from './basics.js';

export const rounded = (value, digits = 4) => String(Number(value.toPrecision(digits)));
const with_minus = (text) => text.replace(/-/g, '\u2212');
export const number_text = (value, digits) => with_minus(rounded(value, digits));
// Whole percents where the model has members: their interval is wider than the digits behind.
export const percent_text = (share) => `${(100 * share).toFixed(shown.model?.members ? 0 : 1)}\u202f%`;
export const range_text = ([low, high]) => `${percent_text(low)} to ${percent_text(high)}`;
export function points_text(difference) {
  const text = Math.abs(100 * difference).toFixed(shown.model?.members ? 0 : 1);
  return `${text} ${text === '1' ? 'point' : 'points'}`;
}

// What is known of a column: type, levels {word: number}, unit, label.
export const about = (name) => pick(shown.model?.column_types, name) ?? {};
export const with_unit = (name, text) => (about(name).unit ? `${text}\u202f${about(name).unit}` : text);
export const level_word = (name, value) =>
  Object.entries(about(name).levels ?? {}).find(([, number]) => number === value)?.[0];
// The number that the page computes with, of a value in an answer of the server: levels are words there.
export const level_number = (name, value) => (typeof value === 'string' ? pick(about(name).levels, value) : undefined) ?? value;
export const in_numbers = (values) =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, level_number(name, value)]));
// The same of levels that have words of their own: one that is called by its number is a number.
export function own_word(name, value) {
  const word = level_word(name, value);
  return word === String(value) ? undefined : word;
}
// A value for people: the word of its level, or the number with its unit.
export const value_text = (name, value, digits) =>
  own_word(name, value) ?? with_unit(name, number_text(value, digits));

// The same with no more digits than matter between `low` and `high`: a two-hundredth of that width.
export function coarse_text(name, value, { low, high }) {
  const word = own_word(name, value);
  if (word !== undefined || !(high > low)) return word ?? value_text(name, value, 3);
  const decimals = Math.min(12, Math.max(0, 2 - Math.floor(Math.log10(high - low))));
  return with_unit(name, with_minus(String(Number(value.toFixed(decimals)) + 0)));
}

export function joined(parts) {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

// "0.5 a - b \u2264 2"
export function condition_text(terms, bound) {
  const words = terms
    .filter(([, weight]) => weight !== 0)
    .map(([name, weight], i) => {
      const sign = weight < 0 ? '\u2212' : i > 0 ? '+' : '';
      const size = Math.abs(weight) === 1 ? '' : number_text(Math.abs(weight));
      return [sign, size, name].filter((text) => text).join('\u00a0');
    });
  return `${words.join(' ')} \u2264 ${number_text(bound)}`;
}

export const levels_text = ({ wanted }) => (wanted?.values ?? [wanted]).join(' or ');

export const is_box = () => !shown.model.region;

// The conditions of a region that is no box: flat sides, or a ball or an ellipse around a point.
export function region_rows() {
  const { M, d, centre, radius } = shown.model.region;
  const names = shown.model.outcome.map(({ name }) => name);
  if (M)
    return M.map((row, i) =>
      condition_text(
        row.map((weight, j) => [names[j], weight]),
        d[i],
      ),
    );
  const within = names.map(
    (name, j) => `${name} within ${number_text(Array.isArray(radius) ? radius[j] : radius)} of ${with_unit(name, number_text(centre[j]))}`,
  );
  return names.length > 1 ? [`${joined(within)}, together in the ellipse`] : within;
}

// "NEC between 0.5 and 2" of {outcome: [low, high]}; open sides are null.
export function wanted_text(desired) {
  if (!is_box()) return joined(region_rows());
  const texts = shown.model.outcome.map((entry) => {
    const { name } = entry;
    if (entry.wanted !== undefined) return `${name} = ${levels_text(entry)}`;
    const [low, high] = (pick(desired, name) ?? []).map((value) => value !== null && number_text(value));
    if (low && high) return `${name} between ${low} and ${with_unit(name, high)}`;
    return low ? `${name} at least ${with_unit(name, low)}` : high ? `${name} at most ${with_unit(name, high)}` : '';
  });
  return joined(texts.filter((text) => text));
}

// "2 per unit of TA from \u22120.2" of an entry of the task's cost: a weight, or {weight, datum, power}.
function cost_text([name, entry]) {
  const { weight, datum, power } = typeof entry === 'number' ? { weight: entry } : entry;
  const { type } = about(name);
  if (type === 'binary' || type === 'category') return `${number_text(weight)} for another level of ${name}`;
  const from = datum === undefined ? '' : ` from ${number_text(datum)}`;
  if (power === 2) return `${number_text(weight)} times the squared distance of ${name}${from || ' from its expected value'}`;
  return `${number_text(weight)} per ${type === 'ordinal' ? 'level' : 'unit'} of ${name}${from}`;
}

// What the task asks of every recommendation.
export function preferences_text() {
  const { constraints, max_alterations, cost } = shown.model;
  const texts = (constraints ?? []).map(({ weights, max }) => condition_text(Object.entries(weights), max));
  const rules = texts.length > 0 ? [`A recommendation keeps to ${joined(texts)}.`] : [];
  if (max_alterations) rules.push(`It sets at most ${max_alterations} of these.`);
  if (cost) {
    rules.push(`A change costs ${joined(Object.entries(cost).map(cost_text))}.`);
    rules.push('Of decisions that are equally good the cheapest is recommended.');
  }
  return rules.join(' ');
}

export function forecast_text(outcomes, without) {
  const shares = (levels) => joined(Object.entries(levels).map(([word, share]) => `${word} ${percent_text(share)}`));
  const range = ({ name, mean, low, high, levels }) =>
    levels ? shares(levels) : `${with_unit(name, number_text(mean))} (${number_text(low)} to ${number_text(high)})`;
  const texts = outcomes.map((one, i) => `${one.name} at ${range(one)}, without action at ${range(without[i])}`);
  return `Expected, with the range of four in five cases: ${texts.join('; ')}.`;
}
