'use strict';

// node tools/photograph_pages.js FOLDER: the rehearsal page after a recommendation, and the top of a report, as PNG.
// tools/make_figures.py calls it.

const path = require('node:path');
const { clear, launch, open, root, run_olem, scratch, serve, settled } = require('../tests/browser/support.js');

const folder = process.argv[2];
const task = path.join(root, 'examples/bermuda/task.json');

async function photograph_rehearsal(browser) {
  const model = path.join(scratch, 'reef.olem');
  run_olem('fit', task, '--no-calibrate', '-q', '-o', model);
  const server = await serve(model);
  const { page, close } = await open(browser, server.address, { viewport: { width: 1200, height: 900 } });
  await settled(page, () => page.getByRole('button', { name: 'Recommend' }).click());
  await page.evaluate(() => document.activeElement.blur());
  await page.screenshot({ path: path.join(folder, 'rehearsal-page.png') });
  await close();
  await server.stop();
}

async function photograph_report(browser) {
  const file = path.join(scratch, 'report.html');
  run_olem('decide', task, '-q', '--report', file);
  const context = await browser.newContext({ viewport: { width: 1000, height: 1100 } });
  const page = await context.newPage();
  await page.goto(`file://${file}`);
  await page.screenshot({ path: path.join(folder, 'report.png') });
  await context.close();
}

(async () => {
  const browser = await launch();
  try {
    await photograph_rehearsal(browser);
    await photograph_report(browser);
  } finally {
    await browser.close();
    clear();
  }
})();
