'use strict';

// What every part of the page stands on: elements, requests, messages. Names of variables come from a file and enter
// the page as text only, never as markup.

export const $ = (id) => document.getElementById(id);

// An element with attributes and children; texts are texts, whatever they hold.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// The same for a part of a drawing.
export function make_svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// A button with words that calls `act`.
export function make_button(words, act, attributes = {}) {
  const button = make('button', { type: 'button', ...attributes }, words);
  button.addEventListener('click', act);
  return button;
}

// The server escapes names in its figures, and the page's policy runs no script that it did not bring.
// Until one for another width arrives a figure is hardly stretched: its letters would be as large as headings.
export function drawing(text) {
  const figure = new DOMParser().parseFromString(text, 'text/html').body.firstElementChild;
  if (figure) figure.style.maxWidth = `${Math.round(1.1 * figure.viewBox.baseVal.width)}px`;
  return figure;
}

// Names such as "constructor" must not find what every object has.
export const pick = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);

export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

// The model that is shown: what the server says of it, and its place in the list of models.
export const shown = { model: null, place: 0 };

// The server's answer, or an Error with a sentence for the reader.
export async function ask(path, body) {
  const headers = { 'Content-Type': 'application/json' };
  const address = shown.place > 0 ? `${path}?model=${shown.place}` : path;
  let answer;
  try {
    answer = await fetch(address, body && { method: 'POST', headers, body: JSON.stringify(body) });
  } catch {
    throw new Error('The server does not answer. Is olem serve still running?');
  }
  if (answer.ok) return answer;
  const content = await answer.json().catch(() => null);
  throw new Error(content?.error ?? `The server refused with status ${answer.status}.`);
}

export const ask_json = async (path, body) => (await ask(path, body)).json();

export function say(text, { error = false, place = 'status' } = {}) {
  $(place).textContent = text;
  $(place).classList.toggle('error', error);
}

// What a screen reader hears, once the levers rest: every number on the way would be noise.
let speaking = 0;
export function speak(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    $('spoken').textContent = text;
  }, 700);
}

export function download(content, name) {
  const address = URL.createObjectURL(content);
  make('a', { href: address, download: name }).click();
  // The browser reads the content after this task.
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// A browser may be told to keep nothing.
export const storage = (() => {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
})();

// Of a panel, without its margin: text in a figure is as large as that around it on any screen.
export const figure_width = (panel) => clamp(10 * Math.floor(panel.clientWidth / 10) - 20, 200, 2000);
