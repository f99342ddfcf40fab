'use strict';

// The page at every size: nothing lies over anything, a tool finds no barrier, the keyboard gets everywhere, and paper
// holds it too.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { after, before, test } = require('node:test');
const {
  clear,
  crowded_task,
  drop,
  fit,
  launch,
  open,
  overlaps,
  pictures,
  press,
  recommend,
  root,
  scratch,
  serve,
  settled,
} = require('./support.js');

let browser;
let crowd; // 30 levers with long names, units, labels, levels and counts
let bermuda;

before(async () => {
  const [task, names] = crowded_task();
  crowd = await serve(fit(task, 'crowd.olem', names));
  bermuda = await serve(fit(path.join(root, 'examples/bermuda/task.json'), 'bermuda.olem'));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await crowd?.stop();
  await bermuda?.stop();
  clear();
});

const contexts_file = () => `outside_temperature,unbroken_${'context'.repeat(9)}\n0.1,1000\n0.2,1010\n-0.4,990\n`;

// In the page: names that are cut, and fields that are too small for what stands in them while they are empty.
function cut_texts() {
  const names = [...document.querySelectorAll('#levers h3, .switch label')].filter(
    (one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1,
  );
  const ink = document.createElement('canvas').getContext('2d');
  const fields = [...document.querySelectorAll('input[placeholder]')].filter((one) => {
    if (!one.checkVisibility() || one.value !== '') return false;
    const { font, paddingLeft, paddingRight } = getComputedStyle(one);
    ink.font = font;
    return ink.measureText(one.placeholder).width > one.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) + 1;
  });
  return [...names.map((one) => one.textContent), ...fields.map((one) => one.placeholder)];
}

// With a recommendation, scenarios and a table, so that every section is full.
async function full(page) {
  await page.getByLabel('Number of alternatives').fill('2');
  await recommend(page);
  await press(page, 'Keep as scenario A');
  await settled(page, () => page.getByRole('slider').first().fill('300'));
  await press(page, 'Keep as scenario B');
  await page.locator('#scenario-table tbody tr').first().waitFor();
  await drop(page, 'few.csv', contexts_file());
  await page.locator('#table tbody tr').first().waitFor({ timeout: 120000 });
}

for (const colorScheme of ['light', 'dark']) {
  test(`no text lies over another at any width, ${colorScheme}`, async () => {
    const { page, close } = await open(browser, crowd.address, { colorScheme });
    await full(page);
    for (const width of [420, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      // Figures are drawn anew for the width.
      await page.waitForFunction(() =>
        [...document.querySelectorAll('svg.olem-plot')].every(
          (svg) => Math.abs(svg.parentElement.clientWidth / svg.viewBox.baseVal.width - 1) < 0.15,
        ),
      );
      const sections = await page.locator('main section:visible').count();
      assert.ok(sections >= 7);
      for (let i = 0; i < sections; ++i) {
        const section = page.locator('main section:visible').nth(i);
        await section.evaluate((element) => element.scrollIntoView({ behavior: 'instant' }));
        const name = await section.getAttribute('id');
        assert.deepEqual(await page.evaluate(overlaps), [], `${width} px, at ${name ?? i}`);
        // Its title can be read, and is not under what stays in sight.
        const title = section.locator('h2').first();
        if ((await title.count()) > 0) {
          const hit = await title.evaluate((element) => {
            const { left, top, height } = element.getBoundingClientRect();
            if (top + height > innerHeight) return true;
            return element.contains(document.elementFromPoint(left + 5, top + height / 2));
          });
          assert.ok(hit, `${width} px: the title of ${name ?? i} is covered`);
        }
      }
      // The answer beside the levers scrolls by itself, below its numbers.
      await page.locator('#levers').evaluate((element) => element.scrollIntoView({ behavior: 'instant' }));
      for (const share of [0.3, 1]) {
        await page.locator('#answer').evaluate((answer, at) => {
          answer.scrollTo({ top: at * answer.scrollHeight, behavior: 'instant' });
        }, share);
        assert.deepEqual(await page.evaluate(overlaps), [], `${width} px, the answer scrolled`);
      }
      await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }));
      assert.deepEqual(await page.evaluate(overlaps), [], `${width} px, at the end`);
      assert.deepEqual(await page.evaluate(cut_texts), [], `${width} px, cut`);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `sideways at ${width}`);
      fs.mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: path.join(pictures, `crowd-${width}-${colorScheme}.png`), fullPage: true });
    }
    await close();
  });
}

test('figures have the width of their panels after a window that is resized faster than they are drawn', async () => {
  const { page, close } = await open(browser, bermuda.address);
  await press(page, 'Keep as scenario A');
  await page.locator('#scenario-table tbody tr').first().waitFor();
  await page.route('**/api/compare', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  const asked = page.waitForRequest('**/api/compare');
  await page.setViewportSize({ width: 500, height: 900 });
  await asked;
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('svg.olem-plot')].every(
      (svg) => Math.abs(svg.parentElement.clientWidth / svg.viewBox.baseVal.width - 1) < 0.15,
    ),
  );
  // And so it stays when the last answer is there.
  await page.waitForTimeout(1000);
  const widths = await page.locator('#scenario-figures > svg').evaluateAll((all) =>
    all.map((svg) => svg.parentElement.clientWidth / svg.viewBox.baseVal.width),
  );
  assert.ok(widths.length > 0 && widths.every((ratio) => Math.abs(ratio - 1) < 0.15), String(widths));
  await close();
});

test('the measure of overlaps sees what lies over something', async () => {
  const { page, close } = await open(browser, bermuda.address);
  assert.deepEqual(await page.evaluate(overlaps), []);
  await page.evaluate(() => {
    document.getElementById('answer').style.cssText = 'position: fixed; left: 50%; width: 40%; max-height: none';
    document.getElementById('numbers').style.background = 'none'; // nor does anything opaque hide what is below
  });
  assert.notDeepEqual(await page.evaluate(overlaps), []);
  await close();
});

test('axe finds no serious barrier, light and dark, narrow and wide, with the glossary open', async () => {
  const axe = require.resolve('axe-core/axe.min.js');
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 420],
  ]) {
    // The tool is put into the page, which its policy would not let in.
    const { page, close } = await open(browser, crowd.address, {
      colorScheme,
      viewport: { width, height: 900 },
      bypassCSP: true,
    });
    await full(page);
    await page.evaluate(fs.readFileSync(axe, 'utf8'));
    const serious = () =>
      page.evaluate(async () => {
        const { violations, passes } = await globalThis.axe.run(document, { resultTypes: ['violations', 'passes'] });
        return {
          passes: passes.length,
          found: violations
            .filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')}`),
        };
      });
    const first = await serious();
    assert.ok(first.passes > 20, `${first.passes} rules were checked`);
    assert.deepEqual(first.found, [], `${colorScheme} at ${width}`);
    await press(page, 'Words');
    assert.deepEqual((await serious()).found, [], 'with the glossary');
    // And the tool would find one.
    await page.evaluate(() => {
      document.getElementById('glossary').close();
      document.getElementById('file').removeAttribute('aria-label');
    });
    assert.match((await serious()).found.join(), /label/);
    await close();
  }
});

test('everything is reached by the keyboard in the order of the page, shows its focus and has a name', async () => {
  const { page, close } = await open(browser, bermuda.address);
  await press(page, 'Keep as scenario A');
  await page.locator('#scenario-table tbody tr').first().waitFor();
  await page.waitForFunction(() => location.hash.includes('scenario='));
  await page.reload(); // the focus is at the beginning again
  await page.locator('#scenario-table tbody tr').first().waitFor();
  // One stop for each group of radio buttons: the one that is chosen.
  const stops = await page.evaluate(() => {
    const all = [...document.querySelectorAll('button, input, select, summary, a[href], [tabindex]')];
    const reachable = all.filter(
      (one) => one.checkVisibility() && !one.disabled && (one.type !== 'radio' || one.checked),
    );
    reachable.forEach((one, i) => {
      one.dataset.stop = i;
    });
    return reachable.length;
  });
  assert.ok(stops > 10 + 2 + 3 * 5 + 3 * 3, `${stops} stops`);
  const visited = [];
  for (let i = 0; i < stops; ++i) {
    await page.keyboard.press('Tab');
    visited.push(await page.evaluate(() => Number(document.activeElement.dataset.stop)));
    const seen = await page.evaluate(() => {
      const element = document.activeElement.closest('.switch label') ?? document.activeElement;
      const { top, bottom } = element.getBoundingClientRect();
      return { ring: getComputedStyle(element).outlineStyle, visible: bottom > 0 && top < innerHeight };
    });
    assert.notEqual(seen.ring, 'none', `stop ${i} shows its focus`);
    assert.ok(seen.visible, `stop ${i} is on the screen`);
  }
  assert.deepEqual(visited, [...Array(stops).keys()]);

  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const controls = nodes.filter(
    ({ role, ignored }) =>
      !ignored &&
      ['button', 'slider', 'spinbutton', 'radio', 'radiogroup', 'group', 'img', 'switch', 'textbox', 'link'].includes(
        role?.value,
      ),
  );
  assert.ok(controls.length > 60);
  for (const { role, name } of controls) assert.ok(name?.value, `a ${role.value} has no name`);
  await close();
});

test('on paper stand the answer, the levers, scenarios and the order, and no buttons', async () => {
  const { page, close } = await open(browser, bermuda.address, { colorScheme: 'dark' });
  await recommend(page);
  await press(page, 'Keep as scenario A');
  await page.locator('#scenario-table tbody tr').first().waitFor();
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  for (const name of ['Recommend', 'Undo', 'Words', 'Copy link', 'Save scenarios as CSV'])
    assert.ok(await page.getByRole('button', { name, exact: true }).isHidden(), name);
  for (const id of ['#question', '#success', '#gain', '#alterable', '#scenario-table', '#order', '#source'])
    assert.ok(await page.locator(id).isVisible(), id);
  assert.deepEqual(await page.evaluate(overlaps), []);
  const paper = await page.pdf({ format: 'A4' });
  fs.mkdirSync(pictures, { recursive: true });
  fs.writeFileSync(path.join(pictures, 'page.pdf'), paper);
  // Pages of the file, as a PDF counts them.
  const pages = paper.toString('latin1').match(/\/Type\s*\/Page\b/g).length;
  assert.ok(pages >= 2 && pages <= 8, `${pages} pages`);
  await close();
});
