'use strict';

// Numbers, values and conditions in words.

import { pick, shown } from './basics.js';

export const rounded = (value, digits = 4) => String(Number(value.toPrecision(digits)));
const with_minus = (text) => text.replace(/-/g, '\u2212');
export const number_text = (value, digits) => with_minus(rounded(value, digits));
// Whole percents where the model has members: what they tell is not known finer.
export const percent_text = (share) => `${(100 * share).toFixed(shown.model?.members ? 0 : 1)}\u202f%`;
export const range_text = ([low, high]) => `${percent_text(low)} to ${percent_text(high)}`;
export const points_text = (difference) => `${Math.abs(100 * difference).toFixed(1)} points`;

// What is known of a column: type, levels {word: number}, unit, label.
export const about = (name) => pick(shown.model?.column_types, name) ?? {};
export const with_unit = (name, text) => (about(name).unit ? `${text}\u202f${about(name).unit}` : text);
export const level_word = (name, value) =>
  Object.entries(about(name).levels ?? {}).find(([, number]) => number === value)?.[0];
// A value for people: the word of its level, or the number with its unit.
export const value_text = (name, value, digits) =>
  level_word(name, value) ?? with_unit(name, number_text(value, digits));

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

export const region_rows = () =>
  shown.model.region.M.map((row, i) =>
    condition_text(
      row.map((weight, j) => [shown.model.outcome[j].name, weight]),
      shown.model.region.d[i],
    ),
  );

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

// What the task asks of every recommendation.
export function preferences_text() {
  const { constraints, max_alterations, cost } = shown.model;
  const texts = (constraints ?? []).map(({ weights, max }) => condition_text(Object.entries(weights), max));
  const rules = texts.length > 0 ? [`A recommendation keeps to ${joined(texts)}.`] : [];
  if (max_alterations) rules.push(`It sets at most ${max_alterations} of these.`);
  if (cost) {
    const costs = Object.entries(cost).map(([name, weight]) => `${number_text(weight)} for ${name}`);
    rules.push(`Changes cost ${joined(costs)} a unit; of decisions that are as good the cheapest is recommended.`);
  }
  return rules.join(' ');
}

export function forecast_text(outcomes, without) {
  const shares = (levels) => joined(Object.entries(levels).map(([word, share]) => `${word} ${percent_text(share)}`));
  const range = ({ name, mean, low, high, levels }) =>
    levels ? shares(levels) : `${with_unit(name, number_text(mean))} (${number_text(low)} to ${number_text(high)})`;
  const texts = outcomes.map((one, i) => `${one.name} at ${range(one)}, without action at ${range(without[i])}`);
  return `To be expected, with the range of four in five cases: ${texts.join('; ')}.`;
}
