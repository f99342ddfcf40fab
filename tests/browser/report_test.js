'use strict';

// The pages of olem report at every size: nothing lies over anything, nothing is cut, a tool finds no barrier.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { clear, crowded_task, fit, launch, overlaps, pictures, root, run_olem, scratch } = require('./support.js');

let browser;
const pages = new Map(); // name -> file

function report(name, ...words) {
  const json = path.join(scratch, `${name}.json`);
  fs.writeFileSync(json, run_olem(...words, '--json', '-q'));
  const file = path.join(scratch, `${name}.html`);
  run_olem('report', json, '-o', file);
  pages.set(name, file);
}

before(async () => {
  const bermuda = path.join(root, 'examples/bermuda');
  const task = path.join(bermuda, 'task.json');
  const model = fit(task, 'reef.olem', null, ['--orders', '2', '--halves', '2']);
  const log = path.join(scratch, 'decisions.jsonl');
  const rows = path.join(scratch, 'rows.csv');
  run_olem('decide', '--model', model, '--contexts', path.join(bermuda, 'contexts.csv'), '--log', log, '--quick', '-q');
  const ids = fs.readFileSync(log, 'utf8').trim().split('\n').map((line) => JSON.parse(line).id);
  fs.writeFileSync(rows, `decision,NEC\n${ids.map((id, i) => `${id},${i % 3 === 0 ? 9 : 1}`).join('\n')}\n`);
  report('check', 'check', '--log', log, '--data', rows, '--record');
  report('decide', 'decide', '--model', model, '--details', '--proposals', '3', '--log', log);
  report('explain', 'explain', '--model', model, '--at', 'TA=0.2');
  report('contexts', 'decide', '--model', model, '--details', '--quick', '--contexts', path.join(bermuda, 'contexts.csv'));
  const acted = path.join(scratch, 'acted');
  run_olem('simulate', 'acted', '-o', acted, '-q');
  report('fit', 'fit', path.join(acted, 'task.json'), '--sampler', 'linear', '-o', path.join(scratch, 'acted.olem'));
  const [crowd, names] = crowded_task();
  report('crowd', 'decide', '--model', fit(crowd, 'crowd.olem', names), '--details', '--context', 'outside_temperature=0', '--context', `${names[1]}=1000`);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  clear();
});

// At every place that a person scrolls to.
async function all_overlaps(page) {
  const found = new Set();
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let top = 0; top < height; top += 700) {
    await page.evaluate((y) => scrollTo({ top: y, behavior: 'instant' }), top);
    for (const one of await page.evaluate(overlaps)) found.add(one);
  }
  return [...found];
}

for (const colorScheme of ['light', 'dark']) {
  test(`no text of a report lies over another and no page is wider than its screen, ${colorScheme}`, async () => {
    const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    for (const [name, file] of pages) {
      await page.goto(`file://${file}`);
      // What is folded is there too.
      await page.evaluate(() => {
        for (const one of document.querySelectorAll('details')) one.open = true;
      });
      for (const width of [420, 768, 1280, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        assert.deepEqual(await all_overlaps(page), [], `${name} at ${width}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name} is ${wide} wide at ${width}`);
      }
      fs.mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: path.join(pictures, `report-${name}-${colorScheme}.png`), fullPage: true });
    }
    await context.close();
  });
}

test('axe finds no serious barrier on any report', async () => {
  const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 420],
  ]) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
    const page = await context.newPage();
    for (const [name, file] of pages) {
      await page.goto(`file://${file}`);
      await page.evaluate(axe);
      const { passes, found } = await page.evaluate(async () => {
        const result = await globalThis.axe.run(document, { resultTypes: ['violations', 'passes'] });
        return {
          passes: result.passes.length,
          found: result.violations
            .filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')}`),
        };
      });
      assert.ok(passes > 8, `${passes} rules were checked`);
      assert.deepEqual(found, [], `${name}, ${colorScheme} at ${width}`);
    }
    await context.close();
  }
});

test('a report says what its page says: rows that were set, how earlier decisions came out, where the numbers come from', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const text = async (name) => {
    await page.goto(`file://${pages.get(name)}`);
    return page.locator('main').innerText();
  };
  assert.match(await text('fit'), /price on sales\s+[\d.]+ ± [\d.]+ \(\d+ rows\)\s+[\d.]+ ± [\d.]+ \(\d+ rows\)\s+contradict each other/);
  assert.match(await text('decide'), /How earlier decisions came out[^]*in \d+ decisions; \d+ came true/);
  assert.match(await text('check'), /^Did earlier decisions come true[^]*Log: decisions\.jsonl, \d+ decisions\. Outcomes: rows\.csv, \d+ rows\. Made on /);
  assert.match(await text('explain'), /Data: data\.csv, 1000 rows\. Made on /);
  assert.match(await text('crowd'), /What should be changed to have yield at least 2 t\/ha and comfort between 1 and 6\?/);
  await context.close();
});
