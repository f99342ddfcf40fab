'use strict';

// Scenarios, undo and links, and what the levers of all types offer.

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

let browser;
let bermuda;
let room; // with switches, levels and counts, units and labels

function room_task() {
  const rows = ['outside,season,heating,window,crew,room,comfort'];
  let seed = 1;
  const uniform = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let i = 0; i < 300; ++i) {
    const outside = uniform() + uniform() + uniform() - 1.5;
    const season = outside + 0.5 * uniform() > 0.2 ? 'summer' : 'winter';
    const heating = uniform() < 0.5;
    const window = Math.floor(3 * uniform());
    const crew = Math.floor(40 * uniform());
    const warm = 18 + 2 * outside + 6 * heating - window + 0.05 * crew + uniform() + uniform() - 1;
    const comfort = warm + 3 * uniform() > 22 ? 'good' : 'poor';
    const words = [heating ? 'on' : 'off', ['shut', 'ajar', 'open'][window]];
    rows.push([outside.toFixed(4), season, ...words, crew, warm.toFixed(4), comfort].join(','));
  }
  fs.writeFileSync(path.join(scratch, 'room.csv'), rows.join('\n'));
  const task = path.join(scratch, 'room.json');
  fs.writeFileSync(
    task,
    JSON.stringify({
      name: 'A room',
      data: 'room.csv',
      context: ['outside', 'season'],
      alterable: { heating: {}, window: {}, crew: { min: 0, max: 39, step: 1 } },
      outcome: ['room', 'comfort'],
      desired: { room: [20, null], comfort: 'good' },
      observed: { outside: 0, season: 'winter' },
      cost: { heating: 2, crew: 0.1 },
      columns: {
        outside: { unit: 'K', label: 'Temperature outside, against the mean' },
        window: { type: 'ordinal', levels: ['shut', 'ajar', 'open'] },
        crew: { unit: 'people' },
        room: { unit: '°C' },
      },
    }),
  );
  return task;
}

before(async () => {
  bermuda = await serve(fit(path.join(root, 'examples/bermuda/task.json'), 'bermuda.olem'));
  room = await serve(fit(room_task(), 'room.olem'));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await bermuda?.stop();
  await room?.stop();
  clear();
});

const cell = async (page, row, column) =>
  (await page.locator('#scenario-table tbody tr', { hasText: row }).locator('td').nth(column).textContent()).trim();

// Keeps the present setting and waits until it stands in the table.
async function keep(page, count) {
  const compared = page.waitForResponse((response) => response.url().includes('/api/compare'));
  await page.locator('#keep').click();
  await compared;
  await page.waitForFunction(
    (columns) => document.querySelectorAll('#scenario-table thead th').length === columns,
    count,
  );
}

test('scenarios stand side by side with the number of the page, the best is marked, and they are exported', async () => {
  const { page, close } = await open(browser, bermuda.address);
  await keep(page, 1);
  await recommend(page);
  const best = await page.locator('#success').textContent();
  await keep(page, 2);
  await settled(page, () => field(page, 'TA').fill('-1'));
  const worse = await page.locator('#success').textContent();
  await keep(page, 3);

  const names = page.locator('#scenario-table thead input');
  assert.deepEqual(await names.evaluateAll((all) => all.map((one) => one.value)), ['A', 'B', 'C']);
  // One number for one decision: the large one and that of the table.
  assert.equal(await cell(page, 'probability of success', 0), await page.locator('#without').textContent());
  assert.equal(await cell(page, 'probability of success', 1), best);
  assert.equal(await cell(page, 'probability of success', 2), worse);
  assert.match(await cell(page, '95', 1), /^\d+\.\d.% to \d+\.\d.%$/);
  assert.equal(await cell(page, 'set TA', 0), 'leave');
  assert.equal(await cell(page, 'set TA', 2), '\u22121');
  assert.equal(await cell(page, 'cost', 0), '0');
  assert.ok(Number(await cell(page, 'cost', 1)) > 0);
  assert.equal(await page.locator('#scenario-table .badge').count(), 1);
  assert.equal(await page.locator('#scenario-table thead th.best input').inputValue(), 'B');
  assert.match(await cell(page, 'compared', 0), /points behind$/);
  // Laid over each other: one line for each, and one without action.
  const legend = await page.locator('#scenario-figures').textContent();
  for (const words of ['without action', 'where it is wanted']) assert.ok(legend.includes(words));
  assert.equal(await page.locator('#scenario-figures > svg').count(), 1);

  const csv = await saved(page, () => press(page, 'Save scenarios as CSV'));
  assert.equal(csv.name, 'scenarios.csv');
  const lines = csv.text.trim().split('\n');
  assert.equal(lines.length, 4);
  assert.match(lines[0], /^scenario,.*success_probability,low,high,without_action,cost,best,"?mean NEC"?$/);
  assert.match(lines[2], /,best,/);
  const report = await saved(page, () => press(page, 'Save scenarios as report'));
  assert.equal(report.name, 'scenarios.html');
  assert.match(report.text, /Which of 3 scenarios is best to have NEC between 0\.5 and 2\?/);
  assert.match(report.text, /data\.csv, 1000 rows/);
  assert.doesNotMatch(report.text, /<script|\bsrc=|\bhref=/);

  // Renamed, opened, removed.
  await settled(page, () => variable(page, 'DIC').getByRole('radio', { name: 'fixed' }).check());
  await names.nth(1).fill('with the pump');
  await names.nth(1).press('Enter');
  await page.getByRole('button', { name: 'Open scenario with the pump' }).waitFor();
  await settled(page, () => press(page, 'Open scenario with the pump'));
  assert.equal(await page.locator('#success').textContent(), best);
  assert.ok(await variable(page, 'DIC').getByRole('radio', { name: 'free' }).isChecked(), 'with its switches');
  await press(page, 'Remove scenario C');
  await page.waitForFunction(() => document.querySelectorAll('#scenario-table thead th').length === 2);
  await page.locator('#keep', { hasText: 'Keep as scenario B' }).waitFor();
  await close();
});

test('undo and redo by keys and buttons, a dragged lever being one step', async () => {
  const { page, close } = await open(browser, bermuda.address);
  const undo = page.getByRole('button', { name: 'Undo' });
  const redo = page.getByRole('button', { name: 'Redo' });
  const disabled = async (button) => (await button.getAttribute('aria-disabled')) === 'true';
  const first = await success(page);
  assert.ok((await disabled(undo)) && (await disabled(redo)));
  await slider(page, 'TA').focus();
  for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowRight');
  await settled(page, () => page.keyboard.press('End'));
  const moved = await success(page);
  await settled(page, () => variable(page, 'DIC').getByRole('radio', { name: 'fixed' }).check());
  await keep(page, 1);

  await page.locator('#status', { hasText: 'Kept as scenario A.' }).waitFor();
  await page.keyboard.press('Control+z');
  await page.waitForFunction(() => document.getElementById('scenarios-full').hidden);
  // What was said of the undone step is not said any more.
  await page.waitForFunction(() => document.getElementById('status').textContent === '');
  await settled(page, () => page.keyboard.press('Control+z'));
  assert.ok(await variable(page, 'DIC').getByRole('radio', { name: 'free' }).isChecked());
  assert.equal(await success(page), moved);
  await settled(page, () => undo.click());
  assert.equal(await field(page, 'TA').inputValue(), '');
  assert.equal(await success(page), first);
  assert.ok(await disabled(undo));
  await settled(page, () => page.keyboard.press('Control+Shift+z'));
  assert.equal(await field(page, 'TA').inputValue(), '1');
  await settled(page, () => redo.click());
  assert.ok(await variable(page, 'DIC').getByRole('radio', { name: 'fixed' }).isChecked());
  // In a field that is being written too.
  await settled(page, () => field(page, 'TA').fill('0.5'));
  await settled(page, () => page.keyboard.press('Control+z'));
  assert.equal(await field(page, 'TA').inputValue(), '1');
  await close();
});

test('the address holds the rehearsal: reload and a link open the same one on the same model', async () => {
  const { page, close } = await open(browser, bermuda.address);
  await settled(page, () => field(page, 'TA').fill('0.3'));
  await settled(page, () => field(page, 'DIC').fill('-0.25'));
  await settled(page, () => variable(page, 'DIC').getByRole('radio', { name: 'fixed' }).check());
  await settled(page, () => variable(page, 'Omega').getByRole('radio', { name: 'leave alone' }).check());
  await settled(page, () => field(page, 'Light').fill('0.75'));
  await settled(page, () => page.getByLabel('to (NEC)').fill('2.5'));
  await page.getByLabel('Target, in percent').fill('60');
  await keep(page, 1);
  const told = async (at) => ({
    success: await success(at),
    question: await at.locator('#question').textContent(),
    fields: await at.locator('#levers input[type=number]').evaluateAll((all) => all.map((one) => one.value)),
    modes: await at.locator('#levers input[type=radio]:checked').evaluateAll((all) => all.map((one) => one.value)),
    scenario: await cell(at, 'probability of success', 0),
  });
  const before_it = await told(page);
  await page.waitForFunction(() => /scenario=/.test(location.hash) && /target=0\.6/.test(location.hash));
  for (const part of ['set.TA=0.3', 'fix.DIC=-0.25', 'leave.Omega=', 'at.Light=0.75', 'want.NEC=0.5..2.5'])
    assert.ok(page.url().includes(part), `${part} in ${page.url()}`);
  const { hash } = new URL(page.url());
  await page.reload();
  await page.locator('#scenario-table tbody tr').first().waitFor();
  await page.locator('#answer[aria-busy="false"]').waitFor({ state: 'attached' });
  assert.deepEqual(await told(page), before_it);
  await close();

  const other = await open(browser, bermuda.address, { hash });
  await other.page.locator('#scenario-table tbody tr').first().waitFor();
  assert.deepEqual(await told(other.page), before_it);
  await other.close();

  // Another model does not take what was not meant for it, and nonsense does no harm.
  const elsewhere = await open(browser, room.address, { hash });
  await elsewhere.page.locator('#status', { hasText: 'made with another model' }).waitFor();
  assert.equal(await field(elsewhere.page, 'crew (people)').inputValue(), '');
  await elsewhere.close();
  const id = new URLSearchParams(hash.slice(1)).get('model');
  const nonsense = `#model=${id}&set.TA=99&set.__proto__=1&fix.DIC=x&at.Light=&want.NEC=1&scenario=%7B&scenario=1&target=up`;
  const odd = await open(browser, bermuda.address, { hash: nonsense });
  assert.equal(await field(odd.page, 'TA').inputValue(), '1');
  assert.equal(await field(odd.page, 'DIC').inputValue(), '');
  await odd.close();
});

test('a switch for yes and no, buttons for levels, steps for counts, with units and labels at both ends', async () => {
  const { page, close } = await open(browser, room.address);
  assert.match(await page.locator('#question').textContent(), /room at least 20.°C and comfort = good\?$/);
  const heating = variable(page, 'heating').getByRole('switch');
  const unset = variable(page, 'heating').getByRole('button', { name: 'not set' });
  assert.equal(await unset.getAttribute('aria-pressed'), 'true');
  if (await heating.isChecked()) await settled(page, () => heating.uncheck());
  await settled(page, () => heating.check());
  assert.equal(await unset.getAttribute('aria-pressed'), 'false');
  const warm = await success(page);
  await settled(page, () => heating.uncheck());
  assert.ok(warm > (await success(page)) + 0.2);
  await settled(page, () => unset.click());
  assert.equal(await success(page), await without_action(page));
  assert.match(await variable(page, 'heating').innerText(), /off\s+on/);

  const window = variable(page, 'window').getByRole('radiogroup').last();
  assert.deepEqual(await window.locator('label').allTextContents(), ['not set', 'shut', 'ajar', 'open']);
  await settled(page, () => window.getByRole('radio', { name: 'open' }).check());
  const cold = await success(page);
  await settled(page, () => window.getByRole('radio', { name: 'shut' }).check());
  assert.ok((await success(page)) > cold);

  const crew = variable(page, 'crew (people)');
  assert.deepEqual(await crew.locator('.ends span').allTextContents(), ['0\u202fpeople', '39\u202fpeople']);
  const number = crew.getByRole('spinbutton');
  await settled(page, () => number.fill('7'));
  await settled(page, () => crew.getByRole('button', { name: 'more crew' }).click());
  assert.equal(await number.inputValue(), '8');
  await settled(page, () => crew.getByRole('button', { name: 'less crew' }).click());
  assert.equal(await number.inputValue(), '7');
  await number.fill('2.5');
  await page.locator('#status', { hasText: /crew can be set to [23], but not to 2\.5/ }).waitFor();
  await settled(page, () => number.fill('3'));
  assert.match(await variable(page, 'outside (K)').innerText(), /Temperature outside, against the mean/);
  assert.match(await variable(page, 'outside (K)').locator('.ends span').first().textContent(), /\u202fK$/);
  assert.ok(await variable(page, 'season').getByRole('switch').isVisible());
  assert.match(await variable(page, 'season').innerText(), /(winter|summer) in \d\d(\.\d)?\u202f% of the rows/);
  await recommend(page);
  assert.match(await page.locator('#gain').textContent(), /heating to on/);
  assert.match(await page.locator('#forecast').textContent(), /comfort at (good|poor) \d/);

  // An outcome with levels has a bar for each, by its word; so have scenarios, their table and their report.
  const words = async (place) => (await page.locator(place).nth(1).locator('text').allTextContents()).filter((text) => /[a-z]/.test(text));
  for (const word of ['good (wanted)', 'poor', 'outcome without action']) assert.ok((await words('#figures > svg')).includes(word), word);
  await keep(page, 1);
  for (const word of ['good (wanted)', 'poor', 'A']) assert.ok((await page.locator('#scenario-figures > svg').nth(1).locator('text').allTextContents()).includes(word), word);
  const { text } = await saved(page, () => press(page, 'Save scenarios as CSV'));
  assert.match(text, /,"share comfort = (poor","share comfort = good|good","share comfort = poor)"/);
  const report = await saved(page, () => press(page, 'Save scenarios as report'));
  assert.match(report.text, /room at least 20\u202f°C and comfort = good\?/);
  assert.match(report.text, /<td>good \d+\.\d\u202f%, poor \d+\.\d\u202f%|<td>poor \d+\.\d\u202f%, good \d+\.\d\u202f%/);
  await close();
});

test('levels that are numbers and counts have steps and whole ends, and a cost is said by the type of its lever', async () => {
  const rows = ['guests,grade,lamp,tone,result'];
  let seed = 11;
  const uniform = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let i = 0; i < 240; ++i) {
    const guests = 3 + Math.floor(30 * uniform());
    const grade = 1 + Math.floor(8 * uniform());
    const lamp = uniform() < 0.5;
    const tone = ['low', 'mid', 'high'][Math.floor(3 * uniform())];
    const result = 0.5 * grade + 2 * lamp + 0.1 * guests + (tone === 'mid') + uniform() + uniform();
    rows.push([guests, grade, lamp ? 'on' : 'off', tone, result.toFixed(4)].join(','));
  }
  fs.writeFileSync(path.join(scratch, 'hall.csv'), rows.join('\n'));
  const task = path.join(scratch, 'hall.json');
  const setting = {
    data: 'hall.csv',
    context: ['guests'],
    alterable: { grade: {}, lamp: {}, tone: {} },
    outcome: ['result'],
    desired: { result: [5, null] },
    observed: { guests: 12 },
    cost: { grade: 0.5, lamp: 2, tone: 1 },
    columns: { grade: { type: 'ordinal', unit: 'stars' }, tone: 'category' },
  };
  fs.writeFileSync(task, JSON.stringify(setting));
  const own = await serve(fit(task, 'hall.olem'));
  const { page, close } = await open(browser, own.address);
  const grade = variable(page, 'grade (stars)');
  assert.deepEqual(await grade.locator('.ends span').allTextContents(), ['1\u202fstars', '8\u202fstars']);
  await settled(page, () => grade.getByRole('spinbutton').fill('7'));
  await settled(page, () => grade.getByRole('button', { name: 'more grade' }).click());
  assert.equal(await grade.getByRole('spinbutton').inputValue(), '8');
  const guests = variable(page, 'guests');
  for (const key of ['Home', 'End']) {
    await guests.getByRole('slider').focus();
    await settled(page, () => page.keyboard.press(key));
    assert.match(await guests.getByRole('spinbutton').inputValue(), /^\d+$/);
  }
  for (const end of await guests.locator('.ends span').allTextContents()) assert.match(end, /^\d+$/);
  assert.match(
    await page.locator('#preferences').innerText(),
    /A change costs 0\.5 per level of grade, 2 for another level of lamp and 1 for another level of tone\./,
  );
  const report = await saved(page, () => press(page, 'Save as report'));
  assert.match(report.text, /What a change costs: 0\.5 per level of grade, 2 for another level of lamp, 1 for another level of tone\./);
  await close();
  await own.stop();
});

test('the numbers stay in sight while the answer beside the levers scrolls', async () => {
  const { page, close } = await open(browser, bermuda.address, { viewport: { width: 1280, height: 620 } });
  await recommend(page);
  const below = page.locator('#looking summary');
  await below.click();
  await page.locator('#answer').evaluate((answer) => answer.scrollTo({ top: answer.scrollHeight, behavior: 'instant' }));
  assert.ok((await page.locator('#answer').evaluate((answer) => answer.scrollTop)) > 100);
  const [number, text] = [await page.locator('#numbers').boundingBox(), await below.boundingBox()];
  const top = await page.locator('#answer').evaluate((answer) => answer.getBoundingClientRect().top);
  assert.ok(Math.abs(number.y - top) < 2, `${number.y} in ${top}`);
  assert.ok(text.y >= number.y + number.height, 'and cover nothing that was scrolled to');
  await close();
});

test('a search for what is worth looking at says beside its button how it goes, and why it failed', async () => {
  const { page, close } = await open(browser, bermuda.address);
  let let_go;
  const held = new Promise((resolve) => {
    let_go = resolve;
  });
  await page.route('**/api/looking', async (route) => {
    await held;
    await route.fulfill({ status: 422, json: { error: 'The time limit was reached before the work was done.' } });
  });
  await page.getByText('What is worth looking at first?').click();
  await press(page, 'Find out');
  const said = page.locator('#looking-status');
  await page.locator('#looking-status', { hasText: 'Planning with and without a look' }).waitFor();
  let_go();
  await page.locator('#looking-status.error', { hasText: 'The time limit was reached' }).waitFor();
  assert.match(await said.textContent(), /olem serve .*--time-limit/);
  await close(/status of 422/);
});

test('a context value may be not known, and it is said what knowing it would be worth', async () => {
  const { page, close } = await open(browser, room.address);
  const outside = variable(page, 'outside (K)');
  const first = await without_action(page);
  await settled(page, () => outside.getByRole('radio', { name: 'not known' }).check());
  assert.ok(await outside.getByRole('slider').isDisabled());
  assert.notEqual(await without_action(page), first);
  await recommend(page);
  assert.match(await page.locator('#gain').textContent(), /To know outside first would (raise|hardly help)/);
  await page.waitForFunction(() => location.hash.includes('at.outside=unknown'));
  await settled(page, () => outside.getByRole('radio', { name: 'known', exact: true }).check());
  assert.equal(await without_action(page), first);
  await close();
});

test('a target is reached by the cheapest decision, and alternatives can be taken', async () => {
  const { page, close } = await open(browser, bermuda.address);
  const cost = async () => Number((await page.locator('#cost').textContent()).match(/[\d.]+/)[0]);
  assert.equal(await cost(), 0);
  await recommend(page);
  const dear = [await success(page), await cost()];
  await page.getByLabel('Target, in percent').fill('55');
  await page.getByLabel('Number of alternatives').fill('2');
  await recommend(page);
  const cheap = [await success(page), await cost()];
  assert.ok(cheap[0] < dear[0] && cheap[0] > 0.53, `${cheap[0]}`);
  assert.ok(cheap[1] < dear[1]);
  const others = page.locator('#proposals li');
  assert.ok((await others.count()) >= 1);
  const words = await others.first().locator('span').textContent();
  await settled(page, () => press(page, 'Take alternative 1'));
  // The number of the list is that of the page: the draws are the same.
  assert.equal(words.split(',')[0], await page.locator('#success').textContent());
  assert.equal(words.match(/cost ([\d.]+)/)[1], String(await cost()));
  await page.getByLabel('Target, in percent').fill('120');
  await page.locator('#status.error', { hasText: 'from 0 to 100' }).waitFor();
  await close();
});

test('one decision has one number, and its values the digits that matter until the exact ones are asked for', async () => {
  const { page, close } = await open(browser, bermuda.address);
  await recommend(page);
  const large = await page.locator('#success').textContent();
  const gain = await page.locator('#gain').textContent();
  assert.ok(gain.includes(`probability ${large}`), `${large} in ${gain}`);
  assert.ok(gain.includes((await page.locator('#interval').textContent()).replace(/^95.% interval /, '')));
  const short = await field(page, 'TA').inputValue();
  assert.ok(short.length <= 6, short);
  await page.getByLabel('exact values').check();
  const exact = await field(page, 'TA').inputValue();
  assert.ok(exact.length > short.length);
  assert.ok(Math.abs(Number(exact) - Number(short)) <= 0.05);
  assert.ok((await page.locator('#gain').textContent()).includes(exact.replace('-', '\u2212')));
  // What is shown leaves the probability where it is: within the half point that is promised.
  await page.getByLabel('exact values').uncheck();
  const all = await page.locator('#alterable input[type=number]').evaluateAll((inputs) => inputs.map((one) => one.value));
  for (const [i, value] of all.entries())
    if (value !== '') await settled(page, () => page.locator('#alterable input[type=number]').nth(i).fill(value));
  const typed = await success(page);
  assert.ok(Math.abs(typed - Number(large.replace(/[^0-9.]/g, '')) / 100) <= 0.0061, `${typed} for ${large}`);
  const { text } = await saved(page, () => press(page, 'Save as JSON'));
  assert.equal(`${(100 * JSON.parse(text).decisions[0].success_probability).toFixed(1)}`, (100 * typed).toFixed(1));
  await close();
});

test('with members the plain number comes first, then theirs, the same for levers, recommendation and scenario', async () => {
  const members = ['--orders', '2', '--halves', '2'];
  const own = await serve(fit(path.join(root, 'examples/bermuda/task.json'), 'members.olem', null, members), '--posterior-functions', '4');
  const { page, close } = await open(browser, own.address);
  const wide = async () => {
    const [low, high] = (await page.locator('#interval').textContent()).match(/[\d.]+(?=.%)/g).slice(-2).map(Number);
    return high - low;
  };
  assert.ok((await wide()) > 3.2, 'more than the chance of 4000 draws');

  // The plain number moves at once, whatever the members take, and their interval follows.
  let let_go;
  const held = new Promise((resolve) => {
    let_go = resolve;
  });
  await page.route('**/api/interval', async (route) => {
    await held;
    await route.continue();
  });
  const before_it = await page.locator('#success').textContent();
  const asked = page.waitForRequest((one) => one.url().endsWith('/api/interval'));
  await field(page, 'TA').fill('1');
  await asked;
  assert.notEqual(await page.locator('#success').textContent(), before_it);
  assert.equal(await page.locator('#answer').getAttribute('data-claim'), 'plain');
  const plain = await wide();
  let_go();
  await page.locator('#answer[data-claim="whole"]').waitFor({ state: 'attached' });
  assert.ok((await wide()) > plain, `${await wide()} after ${plain}`);
  await page.unroute('**/api/interval');
  await settled(page, () => press(page, 'Start again'));

  await recommend(page);
  const large = await page.locator('#success').textContent();
  assert.ok((await page.locator('#gain').textContent()).includes(`probability ${large}`));
  await page.getByText('How sure this is, and what would change it').click();
  assert.match(await page.locator('#uncertainty').innerText(), /chance of the draws \d+.%/);
  assert.match(await page.locator('#uncertainty').innerText(), /hidden cause/);
  await keep(page, 1);
  assert.equal(await cell(page, 'probability of success', 0), large);
  assert.equal(await cell(page, 'without action', 0), await page.locator('#without').textContent());
  // By hand the same values get the same number.
  await page.getByLabel('exact values').check();
  const values = await page.locator('#alterable input[type=number]').evaluateAll((all) => all.map((one) => one.value));
  await settled(page, () => press(page, 'Start again'));
  for (const [i, value] of values.entries())
    if (value !== '') await settled(page, () => page.locator('#alterable input[type=number]').nth(i).fill(value));
  assert.equal(await page.locator('#success').textContent(), large);
  await close();
  await own.stop();
});

test('the sources of an interval, what would change the answer and a plan in steps are shown where a decision has them', async () => {
  const { page, close } = await open(browser, bermuda.address);
  assert.ok(await page.locator('#uncertainty').isHidden());
  assert.ok(await page.locator('#plan').isHidden());
  // As the server answers for a model with members and a task with steps.
  const more = {
    uncertainty: { draws: 0.01, rows: 0.03, order: 0.05, extrapolation: 0.01 },
    members: [
      { kind: 'fit', success: 0.66, without_action: 0.4 },
      { kind: 'half', success: 0.61, without_action: 0.4 },
      { kind: 'half', success: 0.7, without_action: 0.4 },
      { kind: 'order', success: 0.41, without_action: 0.4 },
    ],
    question: {
      pair: ['DIC', 'TA'],
      as_learned: 0.66,
      other_way: 0.41,
      explained: 0.8,
      other_decision: { alterations: { TA: 0.25 }, success: 0.6 },
    },
    measure_next: { kind: 'rows', reduction: 0.4 },
    hidden_cause: { breakdown: 0.42, lever: 'TA', outcome: 'NEC', left_out: [], curve: [[0, 0.66], [0.5, 0.4], [0.95, 0.1]] },
    sequence: {
      steps: [{ alter: ['DIC'], then_observe: ['CO2'] }, { alter: ['TA', 'Omega'] }],
      at_once: 0.5,
      rules: {
        TA: { step: 2, form: 'affine', inputs: ['CO2'], min: -1, max: 1, constant: 0.3, slopes: { CO2: -0.5 } },
        // The same whatever is seen.
        Omega: {
          step: 2,
          form: 'scores',
          inputs: ['CO2'],
          scores: [0.1, 0.4, 0.2].map((constant, i) => ({ value: 0.25 * i, constant, slopes: { CO2: 0 } })),
        },
      },
    },
  };
  await page.route('**/api/recommend', async (route) => {
    const answer = await route.fetch();
    const json = await answer.json();
    await route.fulfill({ response: answer, json: { ...json, decision: { ...json.decision, ...more } } });
  });
  await recommend(page);
  await page.getByText('How sure this is, and what would change it').click();
  const said = await page.locator('#uncertainty').innerText();
  for (const words of [
    'the order 50\u202f%',
    '2 fits to halves of the rows give 61.0\u202f% to 70.0\u202f%',
    'Does DIC come before TA?',
    'twice as many rows would shrink the interval to about 77\u202f% of its width',
    'only if it explained more than 18\u202f% of the noise of TA and of NEC',
  ])
    assert.ok(said.includes(words), `${words} in ${said}`);
  // The curve of the hidden cause: the first point at the left, the last one low at the right, a line without action.
  const curve = page.locator('#uncertainty .cause svg');
  assert.match(await curve.getAttribute('aria-label'), /^Success falls from 66\.0.% to 10\.0.%; without action it is/);
  const drawn = await curve.locator('.success').getAttribute('d');
  assert.deepEqual(
    drawn.match(/[\d.]+/g).map((number) => Math.round(Number(number))),
    [0, 34, 25, 60, 90, 90],
  );
  assert.ok((await curve.boundingBox()).height > 50);
  const plan = await page.locator('#plan').innerText();
  assert.match(plan, /Now: DIC as set on this page\. Then observe CO2\./);
  assert.ok(plan.includes('Then set TA to 0.3 \u2212 0.5\u00a0CO2, within \u22121 and 1 and Omega to 0.25.'), plan);
  assert.match(plan, /looking first adds \d+\.\d points/);
  await settled(page, () => press(page, 'Start again'));
  assert.ok(await page.locator('#uncertainty').isHidden());
  await close();
});

test('a task in steps: the plan, what was seen since, and what looking is worth', async () => {
  const task = path.join(scratch, 'steps.json');
  const given = JSON.parse(fs.readFileSync(path.join(root, 'examples/bermuda/task.json'), 'utf8'));
  const data = path.join(root, 'examples/bermuda/data.csv');
  const sequence = [{ alter: ['DIC', 'TA', 'Nutrients_PC1'], then_observe: ['CO2'] }, { alter: ['Omega', 'Chla'] }];
  fs.writeFileSync(task, JSON.stringify({ ...given, data, sequence }));
  // What looking is worth takes some core-seconds, and a machine may do other things beside them.
  const own = await serve(fit(task, 'steps.olem'), '--time-limit', '110');
  const { page, close } = await open(browser, own.address);
  assert.ok(await page.getByRole('heading', { name: 'Seen since' }).isVisible());
  await recommend(page);
  const large = await page.locator('#success').textContent();
  assert.ok((await page.locator('#gain').textContent()).includes(`probability ${large}`));
  const plan = await page.locator('#plan').innerText();
  assert.match(plan, /Now: DIC, TA and Nutrients_PC1 as set on this page\. Then observe CO2\./);
  assert.match(plan, /With all levers set at once success would have probability \d/);
  const first_step = await field(page, 'TA').inputValue();
  assert.notEqual(first_step, '');

  // As a scenario the plan keeps its number; what is set by hand has none for later steps, and the page says so.
  const no_rules = page.locator('#no-rules');
  assert.ok(await no_rules.isHidden());
  await keep(page, 1);
  assert.equal(await cell(page, 'probability of success', 0), large);
  assert.equal(await cell(page, 'later steps', 0), 'by the rules of the plan');
  await settled(page, () => slider(page, 'TA').focus().then(() => page.keyboard.press('Home')));
  assert.ok(await no_rules.isVisible());
  await keep(page, 2);
  assert.equal(await cell(page, 'probability of success', 1), await page.locator('#success').textContent());
  assert.equal(await cell(page, 'later steps', 1), 'without rules');
  await page.keyboard.press('Control+z');
  await settled(page, () => page.keyboard.press('Control+z'));
  assert.equal(await page.locator('#success').textContent(), large);

  // CO2 was seen: the second step is decided, the first stays.
  await settled(page, () => variable(page, 'CO2').getByRole('spinbutton').fill('0.04'));
  await page.waitForFunction(() => location.hash.includes('seen.CO2=0.04'));
  await recommend(page);
  assert.equal(await field(page, 'TA').inputValue(), first_step);
  assert.ok(await page.locator('#plan').isHidden());
  assert.doesNotMatch(await page.locator('#gain').getAttribute('class'), /past/);
  assert.doesNotMatch(await page.locator('#gain').textContent(), /Set TA|TA to/);
  const next = await page.locator('#success').textContent();
  assert.ok((await page.locator('#gain').textContent()).includes(`probability ${next}`));

  await page.getByText('What is worth looking at first?').click();
  await press(page, 'Find out');
  await page.locator('#looking-parts li').first().waitFor({ timeout: 120000 });
  assert.match(await page.locator('#looking-parts').innerText(), /\w+: \d+\.\d points \(\d/);
  // Two bars for each variable, as long as its probabilities, and for each of the five levers.
  const bars = await page.locator('#looking-parts li').evaluateAll((items) =>
    items.map((item) => ({
      text: item.firstChild.textContent,
      widths: [...item.querySelectorAll('.share i')].map((bar) => bar.getBoundingClientRect().width / bar.parentElement.getBoundingClientRect().width),
    })),
  );
  assert.equal(bars.filter(({ text }) => / changed/.test(text)).length, 5);
  for (const { text, widths } of bars) {
    assert.equal(widths.length, 2, text);
    const shares = [...text.matchAll(/(\d+(?:\.\d+)?)\s?%/g)].map((found) => Number(found[1]) / 100);
    const expected = / unseen/.test(text) ? shares.slice(0, 2).reverse() : shares.slice(0, 2);
    widths.forEach((width, i) => assert.ok(Math.abs(width - expected[i]) < 0.01, `${text}: ${widths}`));
  }
  await close();
  await own.stop();
});

test('a group is chosen by its name, in the address, in scenarios and by a recommendation', async () => {
  const rows = ['branch,weather,lever,result'];
  let seed = 3;
  const uniform = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const branches = ['North', 'South', 'East', 'West', 'Centre'];
  for (let i = 0; i < 300; ++i) {
    const weather = uniform() - 0.5;
    const lever = 2 * uniform() - 1 + weather;
    rows.push([branches[i % 5], weather.toFixed(4), lever.toFixed(4), ((i % 5) + lever + weather + uniform() * uniform()).toFixed(4)].join(','));
  }
  fs.writeFileSync(path.join(scratch, 'branches.csv'), rows.join('\n'));
  const task = path.join(scratch, 'branches.json');
  fs.writeFileSync(
    task,
    JSON.stringify({
      data: 'branches.csv',
      group: 'branch',
      context: ['weather'],
      alterable: { lever: [-1, 1] },
      outcome: ['result'],
      desired: { result: [2.5, null] },
      observed: { weather: 0 },
    }),
  );
  const own = await serve(fit(task, 'branches.olem'));
  const { page, close } = await open(browser, own.address);
  const choice = page.getByRole('combobox', { name: 'branch' });
  assert.deepEqual((await choice.locator('option').allTextContents()).sort(), ['a new one', ...branches].sort());
  const fresh = await success(page);
  await settled(page, () => choice.selectOption('North'));
  assert.ok((await success(page)) < fresh);
  await settled(page, () => choice.selectOption('East'));
  const east = await success(page);
  await keep(page, 1);
  await settled(page, () => choice.selectOption('Centre'));
  assert.ok((await success(page)) > fresh);
  await keep(page, 2);
  assert.deepEqual([await cell(page, 'branch', 0), await cell(page, 'branch', 1)], ['East', 'Centre']);
  assert.match(await page.locator('#scenarios-remark').textContent(), /different contexts/);
  await page.waitForFunction(() => location.hash.includes('group=Centre'));
  await settled(page, () => press(page, 'Undo'));
  await settled(page, () => press(page, 'Open scenario A'));
  assert.equal(await success(page), east);
  await recommend(page);
  assert.ok((await page.locator('#gain').textContent()).includes(`probability ${await page.locator('#success').textContent()}`));
  const { text } = await saved(page, () => press(page, 'Save as JSON'));
  assert.equal(JSON.parse(text).decisions[0].group, 'East');
  assert.match((await saved(page, () => press(page, 'Save as report'))).text, /branch = East/);
  const large = await page.locator('#success').textContent();
  await page.waitForFunction(() => ['group=East', 'set.lever='].every((part) => location.hash.includes(part)));
  const { hash } = new URL(page.url());
  await close();
  const linked = await open(browser, own.address, { hash });
  assert.equal(await linked.page.getByRole('combobox', { name: 'branch' }).locator('option:checked').textContent(), 'East');
  assert.equal(await linked.page.locator('#success').textContent(), large);
  await linked.close();
  await own.stop();
});

test('where other learners were asked the page says what they make of the decision, and what is known of the rows', async () => {
  const page_of = await open(browser, bermuda.address);
  await page_of.page.route('**/api/recommend', async (route) => {
    const answer = await route.fetch();
    const json = await answer.json();
    const opinions = [
      { learner: 'ges', success: json.decision.success_probability, without_action: 0.4 },
      { learner: 'olem', success: json.decision.success_probability - 0.2, without_action: 0.4 },
    ];
    await route.fulfill({ response: answer, json: { ...json, decision: { ...json.decision, opinions } } });
  });
  await recommend(page_of.page);
  await page_of.page.getByText('How sure this is, and what would change it').click();
  const said = await page_of.page.locator('#uncertainty').innerText();
  assert.match(said, /Along the order or graph of ges this decision has \d+\.\d.%\./);
  assert.match(said, /of olem this decision has \d+\.\d.%, which disagrees\./);
  await page_of.close();

  const folder = path.join(scratch, 'acted');
  run_olem('simulate', 'acted', '-o', folder, '-q');
  const own = await serve(fit(path.join(folder, 'task.json'), 'acted.olem'));
  const { page, close } = await open(browser, own.address);
  assert.match(await page.locator('#order-section').innerText(), /in \d+ rows that were set and by/);
  assert.match(await page.locator('#warnings').innerText(), /Rows in which .price. was set contradict the others/);
  await close();
  await own.stop();
});
