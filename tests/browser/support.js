'use strict';

// Starts `olem serve` and a browser for the tests, and watches that nothing goes wrong unseen.

const assert = require('node:assert/strict');
const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { createInterface } = require('node:readline');
const { chromium } = require('playwright-core');

const root = path.resolve(__dirname, '../..');
const olem = process.env.OLEM ?? path.join(root, 'build/release/app/olem');
const pictures = path.join(root, 'build/browser');
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'olem-browser-'));

// Runs olem to its end; its standard output, a few megabytes for many contexts, comes back; a failure throws with what it said.
const run_olem = (...words) =>
  execFileSync(olem, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 });

// Linear samplers without members: fitted in a tenth of a second. With the order of the names that are `given` nothing is
// searched; other options stand behind it.
function fit(task, name, given = null, options = ['--quick']) {
  const file = path.join(scratch, name);
  const order = [];
  if (given) {
    const names = path.join(scratch, `${name}.order`);
    fs.writeFileSync(names, `${given.join('\n')}\n`);
    order.push('--order', names);
  }
  run_olem('fit', task, '--sampler', 'linear', '--no-calibrate', ...options, ...order, '-o', file);
  return file;
}

const servers = new Set();

// {address, stop}: the server of models, tasks and options, on a free port.
async function serve(...words) {
  const child = spawn(olem, ['serve', ...words, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  servers.add(child);
  const address = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    ended.then((code) => reject(new Error(`olem serve ended with ${code}.`)));
  });
  return {
    address,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

// Whatever a failed test has left behind.
function clear() {
  for (const server of servers) server.kill('SIGKILL');
  fs.rmSync(scratch, { recursive: true, force: true });
}

// Debian's browser in a closed network, as any user; its profile is new and empty.
function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

// A page that has been loaded. `trouble` collects whatever the browser complains about; `close()` fails when there is
// more than what is `expected`.
async function open(browser, address, { hash = '', ...options } = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    acceptDownloads: true,
    reducedMotion: 'reduce', // scrolling is done when it is asked for
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  const trouble = [];
  page.on('console', (message) => {
    if (message.type() !== 'log') trouble.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
  page.on('requestfailed', (request) => trouble.push(`failed: ${request.url()}`));
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (![address, `blob:${address}`].some((start) => request.url().startsWith(start)))
      trouble.push(`elsewhere: ${request.url()}`);
  });
  await page.goto(address + hash);
  await page.locator('svg.olem-plot').first().waitFor();
  await at_rest(page);
  return {
    page,
    async close(...expected) {
      await context.close();
      assert.deepEqual(
        trouble.filter((text) => !expected.some((pattern) => pattern.test(text))),
        [],
      );
    },
  };
}

// "67.6 %" as 0.676.
const share_of = (text) => Number(text.replace(/[^0-9.]/g, '')) / 100;
const success = async (page) => share_of(await page.locator('#success').textContent());
const without_action = async (page) => share_of(await page.locator('#without').textContent());

const at_rest = (page) => page.locator('#answer[aria-busy="false"][data-claim="whole"]').waitFor({ state: 'attached' });

// Does `action` and waits until the page shows the answer to the last request that it caused.
async function settled(page, action) {
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/rehearse'));
  await action();
  await answered;
  await at_rest(page);
}

// The group of a variable's controls by its name.
const variable = (page, name) => page.getByRole('group', { name, exact: true });
const slider = (page, name) => variable(page, name).getByRole('slider');
const field = (page, name) => variable(page, name).getByRole('spinbutton');

// The text of a file that `action` makes the browser save, and its name.
async function saved(page, action) {
  const [download] = await Promise.all([page.waitForEvent('download'), action()]);
  const file = path.join(scratch, `${Date.now()}-${download.suggestedFilename()}`);
  await download.saveAs(file);
  return { file, name: download.suggestedFilename(), text: fs.readFileSync(file, 'utf8') };
}

const press = (page, name) => page.getByRole('button', { name, exact: typeof name === 'string' }).click();
const recommend = (page) => settled(page, () => press(page, 'Recommend'));

// In the page: pairs of texts and fields that can both be seen and lie over each other. What is under something opaque,
// scrolled away or clipped cannot be seen.
function overlaps() {
  const boxes = [];
  const clip = (element, box) => {
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowX !== 'visible' || style.overflowY !== 'visible') {
        const edge = at.getBoundingClientRect();
        box.left = Math.max(box.left, edge.left);
        box.right = Math.min(box.right, edge.right);
        box.top = Math.max(box.top, edge.top);
        box.bottom = Math.min(box.bottom, edge.bottom);
      }
      if (style.position === 'fixed') break;
    }
    box.left = Math.max(box.left, 0);
    box.right = Math.min(box.right, innerWidth);
    box.top = Math.max(box.top, 0);
    box.bottom = Math.min(box.bottom, innerHeight);
    return box;
  };
  const add = (element, rect, text) => {
    // Letters do not fill the height of their line.
    const spare = text === null ? 0 : 0.22 * rect.height;
    const box = clip(element, { left: rect.left, right: rect.right, top: rect.top + spare, bottom: rect.bottom - spare });
    if (box.right - box.left > 2 && box.bottom - box.top > 2)
      boxes.push({ ...box, element, text: text ?? `<${element.localName} ${element.type}>` });
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    if (!text || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest('title, desc, noscript, script, option, .unseen')) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const rect of range.getClientRects()) add(element, rect, text.slice(0, 60));
  }
  for (const element of document.querySelectorAll('input:not([type=radio]), select')) {
    if (element.checkVisibility()) add(element, element.getBoundingClientRect(), null);
  }
  const opaque = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return !/rgba\(.*, 0(\.\d+)?\)|transparent/.test(colour);
  };
  // Whether what the element shows reaches the eye at this point.
  const is_seen = (element, x, y) => {
    for (const at of document.elementsFromPoint(x, y)) {
      if (at === element || element.contains(at)) return true;
      if (opaque(at) && !at.contains(element)) return false;
    }
    return true;
  };
  const found = [];
  boxes.sort((a, b) => a.top - b.top);
  for (const [i, a] of boxes.entries()) {
    for (let j = i + 1; j < boxes.length && boxes[j].top < a.bottom; ++j) {
      const b = boxes[j];
      if (a.element === b.element) continue;
      const [left, right] = [Math.max(a.left, b.left), Math.min(a.right, b.right)];
      const [top, bottom] = [Math.max(a.top, b.top), Math.min(a.bottom, b.bottom)];
      if (right - left < 2 || bottom - top < 2) continue;
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      if (is_seen(a.element, x, y) && is_seen(b.element, x, y)) found.push(`"${a.text}" and "${b.text}"`);
    }
  }
  return found.slice(0, 5);
}

// As a person drops a file of this text onto the page.
async function drop(page, name, text) {
  const transfer = await page.evaluateHandle(
    ([file_name, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], file_name, { type: 'text/csv' }));
      return data;
    },
    [name, text],
  );
  for (const kind of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent('#drop', kind, { dataTransfer: transfer });
}

// A task with 30 levers of all kinds, long names, units and labels: [its file, the names of its columns].
function crowded_task() {
  const lever = (i) =>
    i % 10 === 7 ? `a rather long name of lever number ${i} that nobody would want to type twice` : `lever_${i}`;
  const kinds = Array.from({ length: 30 }, (_, i) => (i % 6 === 3 ? 'switch' : i % 6 === 4 ? 'level' : i % 6 === 5 ? 'count' : 'real'));
  const names = ['outside_temperature', `unbroken_${'context'.repeat(9)}`, ...kinds.map((_, i) => lever(i)), 'yield', 'comfort'];
  const words = ['low', 'medium', 'high'];
  let seed = 7;
  const uniform = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const normal = () => uniform() + uniform() + uniform() + uniform() - 2;
  const lines = [names.join(',')];
  for (let row = 0; row < 260; ++row) {
    const context = [normal(), 1000 + 30 * normal()];
    let sum = context[0];
    const cells = kinds.map((kind, i) => {
      const number = kind === 'real' ? normal() : Math.floor(uniform() * (kind === 'switch' ? 2 : kind === 'level' ? 3 : 20));
      sum += (i % 4 === 0 ? 0.5 : 0.05) * (kind === 'count' ? number / 10 : number);
      return kind === 'switch' ? (number ? 'on' : 'off') : kind === 'level' ? words[number] : number.toFixed(kind === 'real' ? 4 : 0);
    });
    lines.push([...context.map((value) => value.toFixed(4)), ...cells, (sum + 0.3 * normal()).toFixed(4), (sum + normal()).toFixed(4)].join(','));
  }
  fs.writeFileSync(path.join(scratch, 'crowd.csv'), lines.join('\n'));
  const task = path.join(scratch, 'crowd.json');
  const alterable = Object.fromEntries(
    kinds.map((kind, i) => [lever(i), kind === 'real' ? [-2, 2] : kind === 'count' ? { min: 0, max: 19, step: 1 } : {}]),
  );
  const columns = { lever_0: { unit: 'mg/l', label: 'dose of the first additive' }, yield: { unit: 't/ha' } };
  for (const [i, kind] of kinds.entries())
    if (kind === 'level') columns[lever(i)] = { type: 'ordinal', levels: words };
  fs.writeFileSync(
    task,
    JSON.stringify({
      name: 'A crowd of levers with a name that goes on for longer than any heading should',
      data: 'crowd.csv',
      context: names.slice(0, 2),
      alterable,
      outcome: ['yield', 'comfort'],
      desired: { yield: [2, null], comfort: [1, 6] },
      columns,
    }),
  );
  return [task, names];
}

module.exports = {
  clear,
  crowded_task,
  drop,
  field,
  fit,
  launch,
  open,
  overlaps,
  pictures,
  press,
  recommend,
  root,
  run_olem,
  saved,
  scratch,
  serve,
  settled,
  slider,
  success,
  variable,
  without_action,
};
