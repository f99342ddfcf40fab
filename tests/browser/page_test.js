'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { after, before, test } = require('node:test');
const {
  clear,
  drop,
  field,
  fit,
  launch,
  open,
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
} = require('./support.js');

const contexts = fs.readFileSync(path.join(root, 'examples/bermuda/contexts.csv'), 'utf8');
let browser;
let server;

before(async () => {
  server = await serve(fit(path.join(root, 'examples/bermuda/task.json'), 'bermuda.olem'));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  clear();
});

const mode = (page, name, words) => variable(page, name).getByRole('radio', { name: words });
const figure = (page) => page.locator('#figures').innerHTML();

test('opens with the question, both probabilities, the figure and the order', async () => {
  const { page, close } = await open(browser, server.address);
  assert.equal(
    await page.getByRole('heading', { level: 1 }).textContent(),
    'What should be changed to have NEC between 0.5 and 2?',
  );
  // Nothing is set yet, so that nothing can differ.
  assert.equal(await success(page), await without_action(page));
  assert.ok((await success(page)) > 0.3 && (await success(page)) < 0.6);
  assert.match(await page.locator('#interval').textContent(), /^95.% interval \d+\.\d.% to \d+\.\d.%$/);
  assert.equal(await page.locator('#figures > svg').count(), 1);
  const order = await page.locator('#order li .name').allTextContents();
  assert.equal(order.length, 11);
  assert.equal(order.at(-1), 'NEC');
  await close();
});

test('a lever moved by the keyboard moves the number and the figure', async () => {
  const { page, close } = await open(browser, server.address);
  const before_it = [await success(page), await figure(page)];
  assert.equal(await field(page, 'TA').inputValue(), '');
  await slider(page, 'TA').focus();
  await settled(page, () => page.keyboard.press('Home'));
  assert.equal(await field(page, 'TA').inputValue(), '-1');
  assert.equal(await slider(page, 'TA').getAttribute('aria-valuetext'), '-1');
  assert.notEqual(await success(page), before_it[0]);
  assert.notEqual(await figure(page), before_it[1]);
  const at_home = await success(page);
  await settled(page, () => page.keyboard.press('End'));
  assert.equal(await field(page, 'TA').inputValue(), '1');
  assert.notEqual(await success(page), at_home);
  await settled(page, () => field(page, 'TA').fill(''));
  assert.equal(await success(page), before_it[0]);
  await close();
});

test('a lever dragged by the mouse is followed, one request at a time', async () => {
  const { page, close } = await open(browser, server.address);
  let waiting = 0;
  let most = 0;
  let answers = 0;
  page.on('request', () => {
    most = Math.max(most, ++waiting);
  });
  page.on('requestfinished', () => {
    --waiting;
    ++answers;
  });
  await slider(page, 'Light').scrollIntoViewIfNeeded();
  const box = await slider(page, 'Light').boundingBox();
  const y = box.y + box.height / 2;
  const start = Number(await field(page, 'Light').inputValue());
  const seen = new Set();
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  for (let i = 1; i <= 20; ++i) {
    await page.mouse.move(box.x + box.width * (0.5 - 0.02 * i), y);
    seen.add(await success(page));
  }
  await settled(page, () => page.mouse.move(box.x + box.width * 0.05, y));
  await page.mouse.up();
  assert.equal(most, 1);
  assert.ok(answers <= 22, `${answers} answers`);
  assert.ok(seen.size > 2, 'the number followed the lever');
  assert.ok(Number(await field(page, 'Light').inputValue()) < start);
  await settled(page, () => press(page, 'Start again'));
  assert.equal(Number(await field(page, 'Light').inputValue()), start);
  await close();
});

test('what is left alone is not set, and comes back when it is free', async () => {
  const { page, close } = await open(browser, server.address);
  await settled(page, () => field(page, 'TA').fill('0.4'));
  const with_it = await success(page);
  await settled(page, () => mode(page, 'TA', 'leave alone').check());
  assert.ok(await slider(page, 'TA').isDisabled());
  assert.equal(await success(page), await without_action(page));
  await settled(page, () => mode(page, 'TA', 'free').check());
  assert.ok(await slider(page, 'TA').isEnabled());
  assert.equal(await success(page), with_it);
  await close();
});

test('the axis of the figure rests while a lever moves a little, so that the shape is seen to move', async () => {
  const { page, close } = await open(browser, server.address);
  const texts = () => page.locator('#figures text').allTextContents();
  await settled(page, () => field(page, 'TA').fill('0.1'));
  const before_it = [await texts(), await figure(page)];
  await settled(page, () => field(page, 'TA').fill('0.12'));
  assert.deepEqual(await texts(), before_it[0]);
  assert.notEqual(await figure(page), before_it[1]);
  await close();
});

test('the bounds of what is wanted can be edited and left open', async () => {
  const { page, close } = await open(browser, server.address);
  const question = page.getByRole('heading', { level: 1 });
  const first = await success(page);
  const [low, high] = [page.getByLabel('from (NEC)'), page.getByLabel('to (NEC)')];
  await settled(page, () => low.fill('0'));
  assert.ok((await success(page)) > first);
  await settled(page, () => low.fill(''));
  assert.equal(await question.textContent(), 'What should be changed to have NEC at most 2?');
  await high.fill('-1');
  await page.locator('#answer[aria-busy="false"]').waitFor({ state: 'attached' });
  await low.fill('1');
  assert.equal(await page.locator('#status').textContent(), 'NEC cannot be at least 1 and at most \u22121.');
  assert.equal(await high.getAttribute('aria-invalid'), 'true');
  await settled(page, () => high.fill('9'));
  assert.equal(await page.locator('#status').textContent(), '');
  await field(page, 'TA').fill('7');
  assert.equal(await page.locator('#status').textContent(), 'TA can be set from \u22121 to 1.');
  await close();
});

test('a recommendation moves the levers, raises the probability and keeps what is fixed', async () => {
  const { page, close } = await open(browser, server.address);
  await recommend(page);
  const free = await success(page);
  assert.ok(free > (await without_action(page)) + 0.1);
  assert.match(await page.locator('#gain').textContent(), /^Set .* points more than without action/);
  assert.notEqual(await field(page, 'TA').inputValue(), '');

  await settled(page, () => field(page, 'DIC').fill('-0.5'));
  assert.match(await page.locator('#gain').getAttribute('class'), /past/);
  await settled(page, () => mode(page, 'DIC', 'fixed').check());
  await settled(page, () => mode(page, 'Omega', 'leave alone').check());
  const by_hand = await success(page);
  await recommend(page);
  assert.equal(await field(page, 'DIC').inputValue(), '-0.5');
  assert.equal(await field(page, 'Omega').inputValue(), '');
  assert.ok((await success(page)) > by_hand);
  assert.ok((await success(page)) < free);
  assert.match(await page.locator('#gain').textContent(), /Set DIC to \u22120\.5/);
  await close();
});

test('a dropped CSV file becomes a table of decisions that can be downloaded', async () => {
  const { page, close } = await open(browser, server.address);
  await settled(page, () => field(page, 'Chla').fill('0.25'));
  await settled(page, () => mode(page, 'Chla', 'fixed').check());
  await drop(page, 'few.csv', contexts.split('\n').slice(0, 6).join('\n'));
  const rows = page.locator('#table tbody tr');
  await rows.first().waitFor();
  assert.equal(await rows.count(), 5);
  assert.match(await page.locator('#several-status').textContent(), /^few\.csv: 5 contexts, success with probability /);
  const header = await page.locator('#table thead :is(th, td)').allTextContents();
  const cells = await rows.first().locator('td').allTextContents();
  assert.equal(cells[header.indexOf('Light') - 1], '1.299');
  assert.equal(cells[header.indexOf('set Chla') - 1], '0.25');
  const { name, text } = await saved(page, () => press(page, 'Download the table as CSV'));
  assert.equal(name, 'decisions.csv');
  const lines = text.trim().split('\n');
  assert.equal(lines.length, 6);
  assert.match(lines[0], /Light/);
  assert.match(lines[1], /1\.2991924518678504/);

  // A row can be rehearsed.
  await settled(page, () => press(page, 'Rehearse context 2'));
  assert.equal(await field(page, 'Light').inputValue(), '-1.186');
  const second = await rows.nth(1).locator('td').allTextContents();
  assert.equal((await field(page, 'TA').inputValue()).replace('-', '\u2212'), second[header.indexOf('set TA') - 1]);
  await close();
});

test('a file chosen by its button counts as a dropped one, and a bad one gets the reason', async () => {
  const { page, close } = await open(browser, server.address);
  const give = (text) =>
    page
      .getByLabel('CSV file of contexts')
      .setInputFiles({ name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  const status = page.locator('#several-status');
  await give('Light,Temp,Sal\n0.1,0.2,0.3\n0.1,high,0.3\n');
  await page.locator('#several-status.error').waitFor();
  assert.match(await status.textContent(), /line 3.*Temp|Temp.*line 3/);
  await give(Buffer.from([0x4c, 0xff, 0xfe, 0x0a]));
  await page.getByText('The file is no text in UTF-8').waitFor();
  assert.ok(await page.locator('#table').isHidden());
  await give('Light,Temp,Sal\n0.1,0.2,0.3\n');
  await page.locator('#table tbody tr').waitFor();
  await close(/status of 400/);
});

test('a decision is saved as the JSON of olem decide and as a page that stands alone', async () => {
  const { page, close } = await open(browser, server.address);
  const nothing = JSON.parse((await saved(page, () => press(page, 'Save as JSON'))).text);
  assert.deepEqual(new Set(Object.values(nothing.decisions[0].alterations)), new Set([null]));
  await recommend(page);
  const json = await saved(page, () => press(page, 'Save as JSON'));
  assert.equal(json.name, 'decision.json');
  const [decision] = JSON.parse(json.text).decisions;
  assert.equal(JSON.parse(json.text).verb, 'decide');
  await page.getByLabel('exact values').check();
  assert.equal(decision.alterations.TA, Number(await field(page, 'TA').inputValue()));
  const made = path.join(scratch, 'made.html');
  run_olem('report', json.file, '-o', made);

  const report = await saved(page, () => press(page, 'Save as report'));
  assert.equal(report.name, 'decision.html');
  assert.match(report.text, /What should be changed to have NEC between 0\.5 and 2\?/);
  assert.match(report.text, /Success over each variable/);
  // The name of the SVG dialect is no address.
  assert.doesNotMatch(
    report.text.replaceAll('xmlns="http://www.w3.org/2000/svg"', ''),
    /https?:|\bsrc=|\bhref=|<script|@import|url\(/i,
  );

  // By hand: what is saved is what the page shows, wishes included.
  await settled(page, () => page.getByLabel('to (NEC)').fill('3'));
  await settled(page, () => field(page, 'TA').fill('0.125'));
  await settled(page, () => mode(page, 'DIC', 'leave alone').check());
  const own = JSON.parse((await saved(page, () => press(page, 'Save as JSON'))).text);
  assert.equal(own.decisions[0].alterations.TA, 0.125);
  assert.equal(own.decisions[0].alterations.DIC ?? null, null);
  assert.deepEqual(own.task.desired.NEC, [0.5, 3]);
  assert.equal(await field(page, 'TA').inputValue(), '0.125');
  await close();
});

// The least contrast of any text to what is behind it, with the text.
const least_contrast = (page) =>
  page.evaluate(() => {
    const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
    const luminance = (colour) => {
      const [red, green, blue] = channels(colour).map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        if ((channels(colour)[3] ?? 1) === 1) return colour;
      }
      return 'rgb(255, 255, 255)';
    };
    let least = { contrast: 21, text: '' };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (walker.currentNode.data.trim() === '' || !element.checkVisibility()) continue;
      if (element.closest('title, desc, noscript, .unseen')) continue;
      const style = getComputedStyle(element);
      const [one, other] = [luminance(element.closest('svg') ? style.fill : style.color), luminance(behind(element))];
      const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      if (contrast < least.contrast) least = { contrast, text: walker.currentNode.data };
    }
    return least;
  });

test('light and dark follow the system and the button, and are legible', async () => {
  const shots = [];
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await open(browser, server.address, { colorScheme });
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await recommend(page);
    const { contrast, text } = await least_contrast(page);
    assert.ok(contrast >= 4.5, `${colorScheme}: "${text}" has a contrast of ${contrast}`);
    fs.mkdirSync(pictures, { recursive: true });
    shots.push(await page.screenshot({ path: path.join(pictures, `${colorScheme}.png`), fullPage: true }));
    const first = await paper();
    await press(page, /switch to/);
    const second = await paper();
    assert.deepEqual([first, second].sort(), ['rgb(23, 25, 29)', 'rgb(255, 255, 255)']);
    assert.equal(first === 'rgb(23, 25, 29)', colorScheme === 'dark');
    await page.reload();
    assert.equal(await paper(), second);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await paper(), 'rgb(255, 255, 255)');
    assert.ok(await page.getByRole('button', { name: 'Recommend' }).isHidden());
    await close();
  }
  assert.notDeepEqual(shots[0], shots[1]);
});

test('no width between a telephone and a large screen needs to be scrolled sideways', async () => {
  const { page, close } = await open(browser, server.address);
  await drop(page, 'few.csv', contexts.split('\n').slice(0, 3).join('\n'));
  await page.locator('#table tbody tr').first().waitFor();
  for (const width of [360, 600, 959, 960, 1600]) {
    await page.setViewportSize({ width, height: 800 });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `at ${width}`);
  }
  await page.setViewportSize({ width: 360, height: 640 });
  await slider(page, 'Sal').scrollIntoViewIfNeeded();
  // The number stays in sight while the last lever moves.
  const box = await page.locator('#success').boundingBox();
  assert.ok(box.y >= 0 && box.y + box.height <= 640);
  // The figure is drawn anew for the width, so that its text keeps its size.
  await page.waitForFunction(() => document.querySelector('svg.olem-plot').viewBox.baseVal.width < 360);
  await page.screenshot({ path: path.join(pictures, 'narrow.png'), fullPage: true });
  await close();
});

test('a screen reader hears the number when the lever rests', async () => {
  const { page, close } = await open(browser, server.address);
  await settled(page, () => field(page, 'TA').fill('0.3'));
  const heard = `${await page.locator('#success').textContent()} probability of success`;
  await page.locator('[aria-live="polite"]', { hasText: heard }).waitFor({ state: 'attached' });
  await close();
});

test('hostile names are shown as text and run nothing', async () => {
  const names = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(2)>',
    '__proto__',
    'constructor',
    `long ${'x'.repeat(300)}`,
    `it's "quoted" & <b>bold</b>`,
  ];
  const lines = [names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',')];
  for (let i = 0; i < 120; ++i) {
    const noise = (k) => Math.sin(12.9898 * (i + 1) * (k + 1)) * 2;
    const row = names.map((_, k) => noise(k));
    row[5] = row[0] + 0.5 * row[1] - row[2] + 0.1 * row[5];
    lines.push(row.join(','));
  }
  fs.writeFileSync(path.join(scratch, 'hostile.csv'), lines.join('\n'));
  const task = path.join(scratch, 'hostile.json');
  fs.writeFileSync(
    task,
    JSON.stringify({
      data: 'hostile.csv',
      context: [names[0]],
      alterable: Object.fromEntries(names.slice(1, 5).map((name) => [name, [-2, 2]])),
      outcome: [names[5]],
      desired: { [names[5]]: [0.5, 2] },
      observed: { [names[0]]: 0.1 },
    }),
  );
  const hostile = await serve(fit(task, 'hostile.olem'));
  const { page, close } = await open(browser, hostile.address);
  assert.deepEqual((await page.locator('#order li .name').allTextContents()).sort(), [...names].sort());
  assert.deepEqual(await page.locator('#alterable h3').allTextContents(), names.slice(1, 5));
  assert.ok((await page.getByRole('heading', { level: 1 }).textContent()).includes(names[5]));
  await recommend(page);
  await settled(page, () => field(page, '__proto__').fill('1.5'));
  await settled(page, () => mode(page, 'constructor', 'leave alone').check());
  await drop(page, 'few.csv', `"${names[0]}"\n0.5\n`);
  await page.locator('#table tbody tr').waitFor();
  assert.equal(await page.evaluate(() => document.querySelectorAll('script:not([src]), img, b').length), 0);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  const own = JSON.parse((await saved(page, () => press(page, 'Save as JSON'))).text);
  assert.equal(Object.entries(own.decisions[0].alterations).find(([name]) => name === '__proto__')[1], 1.5);
  const report = await saved(page, () => press(page, 'Save as report'));
  assert.doesNotMatch(report.text, /<script|<img|<b>bold/);
  await close();
  await hostile.stop();
});

test('preferences of the task and a region that is no box are said in words', async () => {
  const bermuda = JSON.parse(fs.readFileSync(path.join(root, 'examples/bermuda/task.json'), 'utf8'));
  const task = path.join(scratch, 'wishes.json');
  const wishes = {
    data: path.join(root, 'examples/bermuda/data.csv'),
    desired: { M: [[-2], [1]], d: [-1, 2] },
    max_alterations: 2,
    constraints: [{ weights: { DIC: 1, TA: -0.5 }, max: 0.25 }],
    cost: { DIC: 1, TA: 2 },
  };
  fs.writeFileSync(task, JSON.stringify({ ...bermuda, ...wishes }));
  const own = await serve(fit(task, 'wishes.olem'));
  const { page, close } = await open(browser, own.address);
  const plain = async (id) => (await page.locator(id).innerText()).replaceAll('\u00a0', ' ').replaceAll('\u2212', '-');
  assert.match(await plain('#desired'), /^- 2 NEC \u2264 -1\s+NEC \u2264 2$/);
  assert.equal(await page.locator('#desired input').count(), 0);
  const told = await plain('#preferences');
  assert.match(told, /keeps to DIC - 0\.5 TA \u2264 0\.25\./);
  assert.match(told, /sets at most 2 of these/);
  assert.match(told, /A change costs 1 per unit of DIC and 2 per unit of TA\./);
  await recommend(page);
  const set = await page
    .locator('#alterable input[type=number]')
    .evaluateAll((all) => all.filter((one) => one.value).length);
  assert.ok(set >= 1 && set <= 2);
  assert.ok((await success(page)) > (await without_action(page)));
  await close();
  await own.stop();
});

test('a cost with a datum and a square, and a region that is a ball, are said in words', async () => {
  const given = JSON.parse(fs.readFileSync(path.join(root, 'examples/bermuda/task.json'), 'utf8'));
  const task = path.join(scratch, 'ball.json');
  const changes = {
    data: path.join(root, 'examples/bermuda/data.csv'),
    desired: { centre: [1.25], radius: 0.75 },
    cost: { DIC: { weight: 10, datum: 0, power: 2 }, TA: { weight: 2, datum: -0.2 }, Omega: 1.5, Chla: { weight: 3, power: 2 } },
  };
  fs.writeFileSync(task, JSON.stringify({ ...given, ...changes }));
  const own = await serve(fit(task, 'ball.olem'));
  const { page, close } = await open(browser, own.address);
  assert.equal(await page.locator('#desired').innerText(), 'NEC within 0.75 of 1.25');
  const told = (await page.locator('#preferences').innerText()).replaceAll('\u2212', '-');
  for (const words of [
    '10 times the squared distance of DIC from 0',
    '2 per unit of TA from -0.2',
    '1.5 per unit of Omega',
    '3 times the squared distance of Chla from its expected value',
  ])
    assert.ok(told.includes(words), `${words} in ${told}`);
  await settled(page, () => field(page, 'DIC').fill('0.5'));
  assert.equal(await page.locator('#cost-value').textContent(), '2.5');
  await recommend(page);
  assert.ok((await success(page)) > (await without_action(page)));
  await close();
  await own.stop();
});

test('when the server is gone the page says so', async () => {
  const own = await serve(path.join(scratch, 'bermuda.olem'));
  const { page, close } = await open(browser, own.address);
  assert.equal(await own.stop(), 0);
  await field(page, 'TA').fill('0.3');
  await page.locator('#status', { hasText: 'The server does not answer. Is olem serve still running?' }).waitFor();
  assert.match(await page.locator('#numbers').getAttribute('class'), /stale/);
  await close(/ERR_CONNECTION_REFUSED/, /^failed: /);
});
