import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerToAdministrator, openAsAdministrator } from '../support/administrator.ts';
import { accessibilityFaults, launchChromium } from '../support/chromium.ts';
import { isWide, keep } from '../support/page_faults.ts';
import { type ServerProcess, startServer } from '../support/server_process.ts';

let server: ServerProcess;
let browser: Browser;

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral', '--seed']);
  browser = await launchChromium();
}, 360_000);

afterAll(async () => {
  await browser?.close();
  await server?.end('SIGTERM');
});

const api = (method: string, path: string, body?: object) => answerToAdministrator(server, method, path, body);

/** Lines of code, those of the numbers with other values. */
function code(count: number, changed: readonly number[] = []): string {
  return Array.from(
    { length: count },
    (_, at) => `const line${at + 1} = ${changed.includes(at + 1) ? 'NEW' : at + 1};\n`,
  ).join('');
}

type Files = Record<string, { action: string; content: string; encoding?: string }>;

/** A merge request of its own: files before, and as its branch has them after each of some commits. */
async function requested(name: string, before: Files, ...after: Files[]) {
  const project = await api('POST', '/projects', { name });
  const commit = (branch: string, files: Files, start?: string) =>
    api('POST', `/projects/${project.id}/repository/commits`, {
      ...{ branch, commit_message: `Files of ${branch}`, ...(start && { start_branch: start }) },
      actions: Object.entries(files).map(([file_path, file]) => ({ file_path, ...file })),
    });
  await commit('main', before);
  const [first = {}, ...others] = after;
  await commit('topic', first, 'main');
  const asked = { title: 'Changed', source_branch: 'topic', target_branch: 'main' };
  const { iid } = await api('POST', `/projects/${project.id}/merge_requests`, asked);
  const path = `/projects/${project.id}/merge_requests/${iid}`;
  for (const files of others) {
    const { id } = await commit('topic', files);
    // The version is recorded in the background.
    await expect.poll(async () => (await api('GET', path)).sha, { timeout: 20_000 }).toBe(id);
  }
  return { id: project.id, at: `/${project.path_with_namespace}/-/merge_requests/${iid}`, path };
}

const numbers = (page: Page) => page.locator('table.diff td.n:nth-child(2)').allInnerTexts();

it.each([
  { width: 390, colorScheme: 'dark' as const, view: '' },
  { width: 1280, colorScheme: 'light' as const, view: '' },
  { width: 1280, colorScheme: 'light' as const, view: '?view=split' },
])('lines between changes are unfolded and commented on at $width pixels$view', async ({ view, ...look }) => {
  const { at, path } = await requested(
    `unfolded-${look.width}${view.length}`,
    { 'a.js': { action: 'create', content: code(100) } },
    { 'a.js': { action: 'update', content: code(100, [30, 60]) } },
  );
  const { page, context, troubles } = await openAsAdministrator(browser, server, look);
  await page.goto(`${at}/diffs${view}`);
  const text = (number: number) => page.locator('td.u', { hasText: new RegExp(`^const line${number} `) });
  expect(await text(27).count()).toBe(view ? 2 : 1);
  expect(await text(26).count()).toBe(0);
  // 26 lines are above the first change: 20 and the other six.
  await page.getByRole('link', { name: /^Show lines above: a\.js, 26/ }).click();
  await text(7).first().waitFor();
  expect(await text(6).count()).toBe(0);
  expect(await text(7).first().locator('.hljs-keyword').count()).toBe(1);
  await page.getByRole('link', { name: /^Show lines above: a\.js, 26/ }).click();
  await text(1).first().waitFor();
  expect(await page.locator('table.diff .unfold').count()).toBe(3);
  // 23 lines are between both changes, from above and from below.
  await page.getByRole('link', { name: /^Show lines below: a\.js, 34/ }).click();
  await text(53).first().waitFor();
  expect(await text(54).count()).toBe(0);
  await page.getByRole('link', { name: /^Show lines above: a\.js, 56/ }).click();
  await text(54).first().waitFor();
  // And up to the end of the file.
  const rest = page.locator('.unfold[data-way="down"]');
  await rest.click();
  await text(83).first().waitFor();
  await rest.click();
  await text(100).first().waitFor();
  expect(await page.locator('table.diff .unfold').count()).toBe(0);
  if (view === '')
    expect((await numbers(page)).filter(Boolean).map(Number)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
  expect(await isWide(page)).toBe(false);
  expect(await accessibilityFaults(page)).toEqual([]);
  await keep(page, `unfolded_${look.width}${view.length}`);
  await page
    .locator('tr', { has: text(45) })
    .locator('.n a')
    .last()
    .click();
  await page.getByLabel('Comment on line 45').fill('About a line between');
  await page.getByRole('button', { name: 'Comment now' }).click();
  await page.getByText('The comment was added.').waitFor();
  // It is shown where it belongs, though nothing around it is.
  await page
    .locator('tr.apart', { has: text(45) })
    .first()
    .waitFor();
  expect(await text(44).count()).toBe(0);
  const [thread] = await api('GET', `${path}/discussions`);
  expect(thread.notes[0].position).toMatchObject({ position_type: 'text', old_line: 45, new_line: 45 });
  expect(troubles).toEqual([]);
  await context.close();
});

it.each([
  { width: 390, colorScheme: 'dark' as const, javaScriptEnabled: false },
  { width: 1280, colorScheme: 'light' as const, javaScriptEnabled: true },
])('a whole file is commented on at $width pixels, also in a review', async (look) => {
  const { at, path } = await requested(
    `whole-${look.width}`,
    { 'a.bin': { action: 'create', content: 'AAE=', encoding: 'base64' } },
    { 'a.bin': { action: 'update', content: 'AAI=', encoding: 'base64' } },
  );
  const { page, context, troubles } = await openAsAdministrator(browser, server, look);
  await page.goto(`${at}/diffs`);
  const open = page.getByRole('link', { name: 'Comment on a.bin' });
  await open.click();
  await page.getByLabel('Comment on the whole file').fill('What is in it?');
  expect(await isWide(page)).toBe(false);
  if (look.javaScriptEnabled) expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Comment now' }).click();
  await page.getByText('The comment was added.').waitFor();
  expect(await page.locator('.file .talk-thread', { hasText: 'What is in it?' }).innerText()).toContain('whole file');
  await open.click();
  await page.getByLabel('Comment on the whole file').fill('Later');
  await page.getByRole('button', { name: 'Start a review' }).click();
  await page.getByText('Only you can see this comment.').waitFor();
  const [draft] = await api('GET', `${path}/draft_notes`);
  expect(draft.position).toMatchObject({ position_type: 'file', new_path: 'a.bin' });
  const [thread] = await api('GET', `${path}/discussions`);
  expect(thread.notes[0]).toMatchObject({
    resolvable: true,
    position: { position_type: 'file', new_path: 'a.bin', new_line: null },
  });
  await page.goto(at);
  await page.getByText('What is in it?').waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});

it('several lines are commented on by dragging, with the shift key, and by the menu of the form, and changed by a suggestion', async () => {
  const { at, path } = await requested(
    'ranges',
    { 'a.js': { action: 'create', content: code(8) } },
    { 'a.js': { action: 'update', content: code(8, [3, 4]) } },
  );
  const { page, context, troubles } = await openAsAdministrator(browser, server, { width: 1280 });
  await page.goto(`${at}/diffs`);
  const number = (line: string) => page.locator(`tr[id$="${line}"] > td.n:nth-child(2) > a`);
  await number('_2_2').hover();
  await page.mouse.down();
  await number('__3').hover();
  await number('__4').hover();
  await page.mouse.up();
  const body = page.getByRole('textbox', { name: 'Comment on line 4' });
  await body.waitFor();
  expect(await page.locator('tr.chosen').count()).toBe(5);
  expect(await page.getByLabel('First line').locator('option:checked').innerText()).toBe('2');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Suggest a change' }).click();
  expect(await body.inputValue()).toBe(
    '```suggestion:-2+0\nconst line2 = 2;\nconst line3 = NEW;\nconst line4 = NEW;\n```\n',
  );
  await body.fill('```suggestion:-2+0\nconst all = [2, 3, 4];\n```\n');
  await page.getByRole('button', { name: 'Comment now' }).click();
  await page.getByText('The comment was added.').waitFor();
  expect(await page.locator('.talk-thread > summary').innerText()).toContain('lines 2 to 4');
  const [thread] = await api('GET', `${path}/discussions`);
  expect(thread.notes[0].position).toMatchObject({
    new_line: 4,
    line_range: { start: { old_line: 2, new_line: 2, type: null }, end: { old_line: null, new_line: 4, type: 'new' } },
  });
  // By the keyboard's shift key, and then by the menu.
  await number('_5_5').click();
  await page.getByRole('textbox', { name: 'Comment on line 5' }).waitFor();
  await number('_7_7').click({ modifiers: ['Shift'] });
  await page.getByRole('textbox', { name: 'Comment on line 7' }).fill('From six');
  expect(await page.getByLabel('First line').locator('option:checked').innerText()).toBe('5');
  await page.getByLabel('First line').selectOption('6');
  await page.getByRole('button', { name: 'Comment now' }).click();
  await page.getByText('From six').waitFor();
  expect(await page.locator('.talk-thread > summary', { hasText: 'lines 6 to 7' }).count()).toBe(1);
  await page.getByRole('button', { name: 'Apply suggestion' }).click();
  await page.getByText('The suggestion was applied.').waitFor();
  const { changes } = await api('GET', `${path}/changes`);
  expect(changes[0].diff).toContain('+const all = [2, 3, 4];');
  expect(troubles).toEqual([]);
  await context.close();
});

/** A square of one colour, as the simplest image that browsers show. */
function square(color: readonly [number, number, number]): string {
  const pixels = Buffer.from(Array.from({ length: 64 * 64 }, () => [...color].reverse()).flat());
  const head = Buffer.alloc(54);
  head.write('BM');
  head.writeUInt32LE(54 + pixels.length, 2);
  head.writeUInt32LE(54, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(64, 18);
  head.writeInt32LE(64, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  return Buffer.concat([head, pixels]).toString('base64');
}

it.each([
  { width: 390, colorScheme: 'dark' as const },
  { width: 1280, colorScheme: 'light' as const },
])(
  'an image before and after is compared side by side, by swiping and through each other at $width pixels',
  async (look) => {
    const image = (action: string, color: readonly [number, number, number]) => ({
      action,
      content: square(color),
      encoding: 'base64',
    });
    const { at } = await requested(
      `images-${look.width}`,
      { 'a.bmp': image('create', [200, 0, 0]) },
      { 'a.bmp': image('update', [0, 0, 200]) },
    );
    const { page, context, troubles } = await openAsAdministrator(browser, server, look);
    await page.goto(`${at}/diffs`);
    const [before, after] = [page.getByAltText('a.bmp before'), page.getByAltText('a.bmp after')];
    await after.scrollIntoViewIfNeeded();
    const left = async () => [(await before.boundingBox())?.x, (await after.boundingBox())?.x];
    const share = page.getByRole('slider', { name: 'Share of the image after the change' });
    expect(await share.isVisible()).toBe(false);
    // By the keyboard alone.
    await page.getByRole('radio', { name: 'Side by side' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('radio', { name: 'Swipe' }).isChecked()).toBe(true);
    const [one, other] = await left();
    expect(one).toBe(other);
    const style = (name: string) =>
      page
        .locator('.image-pair > figure')
        .last()
        .evaluate((figure, of) => getComputedStyle(figure).getPropertyValue(of), name);
    expect(await style('clip-path')).toBe('inset(0px 0px 0px 50%)');
    await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    expect(await style('clip-path')).toBe('inset(0px 0px 0px 0%)');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await isWide(page)).toBe(false);
    await keep(page, `images_${look.width}`);
    await page.getByRole('radio', { name: 'Onion skin' }).check();
    await share.fill('25');
    expect(await style('opacity')).toBe('0.25');
    await page.getByRole('radio', { name: 'Side by side' }).check();
    expect(await style('opacity')).toBe('1');
    expect(troubles).toEqual([]);
    await context.close();
  },
);

it('versions of a merge request are compared from the menu', async () => {
  const { at } = await requested(
    'versions',
    { 'a.js': { action: 'create', content: code(9) } },
    { 'a.js': { action: 'update', content: code(9, [2]) } },
    { 'a.js': { action: 'update', content: code(9, [2, 5]) } },
  );
  for (const look of [{ width: 390, javaScriptEnabled: false }, { width: 1280 }]) {
    const { page, context, troubles } = await openAsAdministrator(browser, server, look);
    await page.goto(`${at}/diffs`);
    await page.getByLabel('Compare').selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('These are the changes from Version 1 to Latest version').waitFor();
    expect(await page.locator('td.a').allInnerTexts()).toEqual(['const line5 = NEW;']);
    expect(await page.getByLabel('Compare').locator('option:checked').innerText()).toContain('Version 1');
    expect(await isWide(page)).toBe(false);
    if (look.javaScriptEnabled !== false) expect(await accessibilityFaults(page)).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  }
});
