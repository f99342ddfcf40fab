'use strict';

// Words explained where they stand: a word with data-term is a button, which shows its meaning when it is pointed at or
// has the focus, and opens the panel with all of them when it is pressed. The meanings come from the server, so that
// page and report say the same.

import { $, clamp, make, make_button } from './basics.js';

const meanings = new Map();
const tip = make('div', { id: 'tip', role: 'tooltip', hidden: '' });

function show_tip(button) {
  tip.textContent = meanings.get(button.dataset.term)?.text ?? '';
  if (!tip.textContent) return;
  tip.hidden = false;
  button.setAttribute('aria-describedby', 'tip');
  const at = button.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const left = clamp(at.left, 8, Math.max(8, innerWidth - size.width - 8));
  const below = at.bottom + 6 + size.height <= innerHeight;
  tip.style.left = `${left}px`;
  tip.style.top = `${below ? at.bottom + 6 : Math.max(4, at.top - 6 - size.height)}px`;
}

function hide_tip(button) {
  tip.hidden = true;
  button?.removeAttribute('aria-describedby');
}

// A button for a word; without `words` the word of the glossary stands there.
export function term(key, words) {
  const button = make_button(words ?? meanings.get(key)?.word ?? key, () => open_glossary(key), {
    class: 'term',
    'data-term': key,
  });
  watch(button);
  return button;
}

function watch(button) {
  for (const kind of ['mouseenter', 'focus']) button.addEventListener(kind, () => show_tip(button));
  for (const kind of ['mouseleave', 'blur']) button.addEventListener(kind, () => hide_tip(button));
}

function open_glossary(key) {
  hide_tip(document.activeElement);
  $('glossary').showModal();
  const entry = key && $(`word-${key}`);
  if (!entry) return;
  entry.scrollIntoView({ block: 'start' });
  for (const one of $('words').querySelectorAll('.chosen')) one.classList.remove('chosen');
  entry.classList.add('chosen');
}

export function show_glossary(entries) {
  for (const { key, word, text } of entries) meanings.set(key, { word, text });
  $('words').replaceChildren(
    ...entries.flatMap(({ key, word, text }) => [make('dt', { id: `word-${key}` }, word), make('dd', {}, text)]),
  );
  document.body.append(tip);
  for (const button of document.querySelectorAll('button[data-term]')) {
    watch(button);
    button.addEventListener('click', () => open_glossary(button.dataset.term));
  }
  $('open-glossary').addEventListener('click', () => open_glossary());
  $('close-glossary').addEventListener('click', () => $('glossary').close());
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide_tip(document.activeElement);
  });
  // A tip that stays where its word was would point at something else.
  addEventListener('scroll', () => hide_tip(document.activeElement), { passive: true });
}
