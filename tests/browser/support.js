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

// Runs olem to its end; its standard output comes back, a failure throws with what it said.
const run_olem = (...words) => execFileSync(olem, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

// Linear samplers: fitted in a tenth of a second.
function fit(task, name) {
  const file = path.join(scratch, name);
  run_olem('fit', task, '--sampler', 'linear', '--no-calibrate', '-o', file);
  return file;
}

const servers = new Set();

// {address, stop}: the server of a model, on a free port.
async function serve(model) {
  const child = spawn(olem, ['serve', model, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
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
async function open(browser, address, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    acceptDownloads: true,
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
  await page.goto(address);
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

const at_rest = (page) => page.locator('#answer[aria-busy="false"]').waitFor({ state: 'attached' });

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

module.exports = {
  clear,
  drop,
  field,
  fit,
  launch,
  open,
  pictures,
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
