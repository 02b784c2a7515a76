import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerToAdministrator, openAsAdministrator } from '../support/administrator.ts';
import { launchChromium } from '../support/chromium.ts';
import { faultsOfPages } from '../support/page_faults.ts';
import { type ServerProcess, startServer } from '../support/server_process.ts';

let server: ServerProcess;
let browser: Browser;
let project = '';
let group = '';
let empty = '';

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  browser = await launchChromium();
  const api = (method: string, at: string, body: object) => answerToAdministrator(server, method, at, body);
  const made = await api('POST', '/groups', { name: 'Wiki group', path: 'wiki-group', visibility: 'public' });
  group = made.full_path;
  const held = await api('POST', '/projects', { name: 'wiki-project', namespace_id: made.id });
  project = held.path_with_namespace;
  empty = (await api('POST', '/projects', { name: 'empty-wiki', namespace_id: made.id })).path_with_namespace;
  const content = '# One\n\nText with a [[guides/Long page]].\n\n## Two\n\n### Three\n\n```ts\nconst one = 1;\n```\n';
  await api('POST', `/groups/${made.id}/wikis`, { title: 'home', content });
  await api('POST', `/groups/${made.id}/wikis`, { title: 'guides/deep/Long page', content: 'x'.repeat(300) });
  await api('PUT', `/groups/${made.id}/wikis/home`, { content: `${content}more\n` });
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await server?.end('SIGTERM');
});

it('a wiki begins with its first page, with a preview and a dropped file, in a wide and a narrow window', async () => {
  for (const [width, title] of [
    [1280, 'home'],
    [390, 'guides/First steps'],
  ] as const) {
    const { page, context, troubles } = await openAsAdministrator(browser, server);
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`/${project}`);
    await page.getByRole('link', { name: 'Wiki', exact: true }).click();
    await page.getByRole('link', { name: title === 'home' ? 'Create your first page' : 'New page' }).click();
    await page.getByLabel('Title').fill(title);
    const field = page.getByLabel('Content', { exact: true });
    await field.fill('See [[home]] and ');
    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
      transfer.items.add(new File([svg], 'map.svg', { type: 'image/svg+xml' }));
      return transfer;
    });
    await field.dispatchEvent('drop', { dataTransfer: dropped });
    await expect
      .poll(() => field.inputValue(), { timeout: 20_000 })
      .toMatch(/!\[map\]\(uploads\/[0-9a-f]{32}\/map\.svg\)/);
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.locator('.preview');
    await expect
      .poll(() => preview.locator('a').getAttribute('href'), { timeout: 20_000 })
      .toMatch(/\/-\/wikis\/home$/);
    await page.getByRole('button', { name: 'Create page' }).click();
    await page.waitForURL(/\/-\/wikis\/(home|guides\/First-steps)$/);
    const picture = page.locator('.wiki-page img');
    await expect.poll(() => picture.evaluate((one: HTMLImageElement) => one.naturalWidth), { timeout: 20_000 }).toBe(9);
    await page.locator('.wiki-page a').first().click();
    await page.waitForURL(/\/-\/wikis\/home$/);
    await page.getByRole('link', { name: 'History' }).click();
    expect(await page.locator('li.row').count()).toBeGreaterThan(0);
    expect(troubles).toEqual([]);
    await context.close();
  }
}, 180_000);

it('every page of wikis fits wide and narrow windows, and has no fault that axe finds', async () => {
  const { page, context } = await openAsAdministrator(browser, server);
  const at = `/groups/${group}/-/wikis`;
  const pages = {
    empty: `/${empty}/-/wikis`,
    show: `${at}/home`,
    all: `${at}/pages`,
    new: `${at}/new`,
    edit: `${at}/home/edit`,
    upload: `${at}/uploads/new`,
    history: `${at}/home/history`,
    compare: `${at}/home/compare`,
  };
  expect(await faultsOfPages(page, pages)).toEqual([]);
  await context.close();
}, 300_000);
