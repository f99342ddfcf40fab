'use strict';

// The part of the page about earlier decisions, where the server was given their log.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { clear, fit, launch, open, root, run_olem, scratch, serve } = require('./support.js');

const kTask = path.join(root, 'examples/bermuda/task.json');
let browser;
let model;

before(async () => {
  model = fit(kTask, 'realised.olem');
  browser = await launch();
});
after(async () => {
  await browser?.close();
  clear();
});

test('without a log there is no such part', async () => {
  const server = await serve(model);
  const { page, close } = await open(browser, server.address);
  assert.equal(await page.locator('#realised-section').isVisible(), false);
  await close();
  await server.stop();
});

test('claims stand beside what came out', async () => {
  const log = path.join(scratch, 'decisions.jsonl');
  const rows = path.join(scratch, 'rows.csv');
  run_olem('decide', '--model', model, '--contexts', path.join(root, 'examples/bermuda/contexts.csv'), '--log', log, '--quick');
  const ids = fs.readFileSync(log, 'utf8').trim().split('\n').map((line) => JSON.parse(line).id);
  const cells = ids.map((id, i) => `${id},${i % 3 === 0 ? 9 : 1}`);
  fs.writeFileSync(rows, `decision,NEC\n${cells.join('\n')}\n`);
  run_olem('check', '--log', log, '--data', rows, '--record');
  const came = ids.filter((_, i) => i % 3 !== 0).length;
  const server = await serve(model, '--log', log);
  const { page, close } = await open(browser, server.address);
  const section = page.getByRole('region', { name: 'How earlier decisions came out' });
  assert.match(await section.locator('#realised-text').textContent(), new RegExp(`average in ${ids.length} decisions; ${came} came true`));
  const counts = await section.locator('tbody tr td:nth-child(2)').allTextContents();
  assert.equal(counts.reduce((sum, text) => sum + Number(text), 0), ids.length);
  await close();
  await server.stop();
});
