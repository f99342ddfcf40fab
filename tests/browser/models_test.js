'use strict';

// Which model it is, what its words and its order mean, models that are learned first, several of them, and the report.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { after, before, test } = require('node:test');
const {
  clear,
  field,
  fit,
  launch,
  open,
  overlaps,
  pictures,
  press,
  recommend,
  root,
  saved,
  scratch,
  serve,
  settled,
  success,
} = require('./support.js');

const task = path.join(root, 'examples/bermuda/task.json');
let browser;
let model;
let server;

// The same task with other wishes, so that it is another model.
function other_task(name, changes) {
  const file = path.join(scratch, `${name}.json`);
  const data = path.join(root, 'examples/bermuda/data.csv');
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(task, 'utf8')), data, name, ...changes }));
  return file;
}

before(async () => {
  model = fit(task, 'bermuda.olem');
  server = await serve(model);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  clear();
});

test('the page names the model, its data with their rows, and the date', async () => {
  const { page, close } = await open(browser, server.address);
  const written = fs.statSync(model).mtime;
  const day = [written.getFullYear(), written.getMonth() + 1, written.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
  assert.equal(await page.locator('#model-name').textContent(), 'bermuda.olem');
  const source = await page.locator('#source').textContent();
  assert.ok(source.startsWith(`${day} `), source);
  assert.match(source, / \u00b7 data\.csv, 1000 rows \u00b7 olem \d/);
  assert.ok(await page.locator('#models').isHidden());
  await close();
});

test('words are explained where they stand, on hover, on focus and in a panel', async () => {
  const { page, close } = await open(browser, server.address);
  const tip = page.getByRole('tooltip');
  const word = page.locator('#numbers').getByRole('button', { name: 'probability of success' });
  assert.ok(await tip.isHidden());
  await word.hover();
  assert.match(await tip.textContent(), /share of draws from the model/);
  await page.mouse.move(2, 2);
  await tip.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: '95 % interval' }).focus();
  assert.match(await tip.textContent(), /95 times of 100/);
  assert.equal(await page.locator(':focus').getAttribute('aria-describedby'), 'tip');
  await page.keyboard.press('Escape');
  assert.ok(await tip.isHidden());
  await page.keyboard.press('Enter');
  const panel = page.getByRole('dialog', { name: 'Words on this page' });
  await panel.waitFor();
  assert.match(await panel.locator('dt.chosen').textContent(), /95 % interval/);
  assert.ok((await panel.locator('dt').count()) > 15);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  // Every word that is marked has a meaning.
  const unknown = await page.evaluate(() =>
    [...document.querySelectorAll('[data-term]')].filter((one) => !document.getElementById(`word-${one.dataset.term}`)).length,
  );
  assert.equal(unknown, 0);
  await close();
});

test('the order is ranks in groups with what they rest on, and no chain', async () => {
  const { page, close } = await open(browser, server.address);
  const section = page.locator('#order-section');
  const words = await section.innerText();
  assert.match(words, /ranks, not a chain of causes/);
  assert.doesNotMatch(words, /\u2192|->|>/);
  assert.deepEqual(await section.locator('.stage h3').allTextContents(), [
    'Observed before the decision',
    'Can be set, and what lies between',
    'Outcomes',
  ]);
  const ranks = await section.locator('.rank').allTextContents();
  assert.deepEqual(ranks.map(Number).sort((a, b) => a - b), [...Array(11).keys()].map((i) => i + 1));
  const answer = await (await page.request.get(`${server.address}api/model`)).json();
  assert.ok(answer.order_steps.length >= 9);
  for (const { name, decided_by } of answer.order_steps) {
    const entry = section.locator('li', { has: page.locator(`.name:text-is("${name}")`) });
    const said = { shape: 'by shape', scale: 'by scale', nothing: 'not decided', knowledge: 'by knowledge' }[decided_by];
    assert.ok((await entry.innerText()).includes(said), name);
  }
  assert.match(words, /Its \d+ steps: \d/);
  await close();
});

test('a task is learned first, with its progress on the page', async () => {
  // Networks take their time.
  const own = await serve(other_task('slow', {}), '--sampler', 'spline', '--ensemble', '30', '--quick');
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(own.address);
  await page.getByRole('heading', { name: 'The model is being learned' }).waitFor();
  assert.ok(await page.getByRole('progressbar').isVisible());
  assert.match(await page.locator('#learning-text').textContent(), /\d+.%$/);
  assert.equal((await page.request.get(`${own.address}api/model`)).status(), 503);
  const seen = [];
  await page.exposeFunction('saw', (phase, value) => seen.push([phase, value]));
  await page.evaluate(() => {
    const [bar, text] = ['learning-bar', 'learning-text'].map((id) => document.getElementById(id));
    new MutationObserver(() => globalThis.saw(text.textContent.split(':')[0], bar.value)).observe(text, { childList: true });
  });
  await page.locator('svg.olem-plot').first().waitFor({ timeout: 240000 });
  assert.ok(await page.locator('#learning').isHidden());
  assert.ok(new Set(seen.map(([phase, value]) => `${phase} ${value}`)).size > 1, 'the bar moved');
  // In a phase never back.
  for (const [i, [phase, value]] of seen.entries())
    if (i > 0 && seen[i - 1][0] === phase) assert.ok(value >= seen[i - 1][1], `${phase}: ${value}`);
  assert.match(await page.locator('#source').textContent(), /^slow\.json, /);
  await context.close();
  await own.stop();
});

test('what cannot be learned is said on the page, without folders', async () => {
  const bad = other_task('bad', { before: [['NEC', 'Light']] });
  const own = await serve(bad).catch((error) => error);
  // Found while the task is read, it ends the server at once; found later, the page says it.
  if (own instanceof Error) {
    assert.match(own.message, /ended with [34]/);
    return;
  }
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(own.address);
  await page.locator('#learning.error').waitFor();
  const text = await page.locator('#learning-text').textContent();
  assert.match(text, /^The model cannot be learned\. /);
  assert.ok(!text.includes(scratch));
  await context.close();
  await own.stop();
});

test('several models stand in a list, each with its own rehearsal and link', async () => {
  const second = fit(other_task('gentle', { desired: { NEC: [0, 3] } }), 'gentle.olem');
  const own = await serve(model, second);
  const { page, close } = await open(browser, own.address);
  const links = page.getByRole('navigation', { name: 'Models' }).getByRole('link');
  assert.equal(await links.count(), 2);
  assert.equal(await links.first().getAttribute('aria-current'), 'page');
  const first = await success(page);
  await settled(page, () => field(page, 'TA').fill('0.4'));
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/rehearse?model=1'));
  await links.nth(1).click();
  await answered;
  await page.locator('#question', { hasText: 'NEC between 0 and 3' }).waitFor();
  await page.locator('#answer[aria-busy="false"]').waitFor({ state: 'attached' });
  assert.ok((await success(page)) > first);
  assert.equal(await field(page, 'TA').inputValue(), '');
  assert.equal(await links.nth(1).getAttribute('aria-current'), 'page');
  assert.equal(await page.locator('#model-name').textContent(), 'gentle');
  await field(page, 'DIC').fill('0.5');
  await page.waitForFunction(() => location.hash.includes('set.DIC=0.5'));
  const { hash } = new URL(page.url());
  await close();
  const linked = await open(browser, own.address, { hash });
  assert.match(await linked.page.locator('#question').textContent(), /NEC between 0 and 3/);
  assert.equal(await field(linked.page, 'DIC').inputValue(), '0.5');
  await linked.close();
  await own.stop();
});

test('the report has data, rows and date, uncertainty beside the headline, and options folded', async () => {
  const { page, close } = await open(browser, server.address);
  await recommend(page);
  const large = await page.locator('#success').textContent();
  const report = await saved(page, () => press(page, 'Save as report'));
  await close();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const paper = await context.newPage();
  await paper.goto(`file://${report.file}`);
  const byline = await paper.locator('.byline').textContent();
  assert.match(byline, /^Data: data\.csv, 1000 rows\. Made on \d{4}-\d\d-\d\d with olem \d/);
  // One number everywhere.
  const answer = (await paper.locator('.answer').textContent()).replaceAll('\u202f', ' ');
  assert.ok(answer.includes(large.replace('\u202f', ' ')), answer);
  const titles = await paper.locator('h2').allTextContents();
  assert.equal(titles[0], 'Uncertainty');
  for (const title of ['What was asked for', 'The decision', 'The order', 'Words', 'How this was made'])
    assert.ok(titles.includes(title), title);
  const options = paper.locator('details', { hasText: 'settings' });
  assert.equal(await options.locator('table').isVisible(), false);
  await options.locator('summary').click();
  assert.ok(await options.locator('table').isVisible());
  assert.match(await paper.locator('body').innerText(), /ranks, not a chain of causes/);
  for (const width of [420, 1280]) {
    await paper.setViewportSize({ width, height: 900 });
    assert.deepEqual(await paper.evaluate(overlaps), [], `${width}`);
    await paper.screenshot({ path: path.join(pictures, `report-${width}.png`), fullPage: true });
  }
  await context.close();
});
