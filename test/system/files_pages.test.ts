import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAsAdministrator } from '../support/administrator.ts';
import { accessibilityFaults, launchChromium, openContext } from '../support/chromium.ts';
import { isWide } from '../support/page_faults.ts';
import { printed, type ServerProcess, startServer } from '../support/server_process.ts';

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

const signedIn = (options?: Parameters<typeof openContext>[2]) => openAsAdministrator(browser, server, options);

async function api(method: string, place: string, body?: object) {
  const headers = {
    'PRIVATE-TOKEN': printed(server.output(), 'Private token') ?? '',
    'Content-Type': 'application/json',
  };
  const answer = await fetch(`${server.url}/api/v4${place}`, { method, headers, body: body && JSON.stringify(body) });
  expect([place, answer.ok]).toEqual([place, true]);
  return answer.json();
}

/** A public project of files, by their paths. */
async function projectOf(name: string, files: Record<string, string>) {
  const { id, path_with_namespace: fullPath } = await api('POST', '/projects', { name, visibility: 'public' });
  const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }));
  await api('POST', `/projects/${id}/repository/commits`, { branch: 'main', commit_message: 'Add', actions });
  const raw = async (file: string) => {
    const answer = await fetch(`${server.url}/${fullPath}/-/raw/main/${file}`);
    return answer.ok ? answer.text() : null;
  };
  const commits = async () => (await api('GET', `/projects/${id}/repository/commits?ref_name=main`)).length;
  return { id, at: `/${fullPath}/-`, raw, commits };
}

async function expectWell(page: Page) {
  expect(await isWide(page)).toBe(false);
  expect(await accessibilityFaults(page)).toEqual([]);
}

const WIDTHS = [1280, 390];

it('several files are written in editors, renamed, deleted and added, seen before, and committed at once', async () => {
  for (const width of WIDTHS) {
    const files = { 'a.js': 'let a = 1;\n', 'dir/b.txt': 'b\n', 'c.txt': 'c\n' };
    const { at, raw, commits } = await projectOf(`several-${width}`, files);
    const { page, context, troubles } = await signedIn({ width });
    await page.goto(`${at}/edit_files/main`);
    await page.getByRole('button', { name: 'a.js' }).click();
    await page.locator('#file-0').waitFor();
    await page.getByRole('button', { name: 'dir/b.txt' }).click();
    await page.locator('#file-1').waitFor();
    await page.getByRole('button', { name: 'c.txt' }).click();
    await page.locator('#file-2').waitFor();
    await page.getByLabel('New file', { exact: true }).fill('new/d.txt');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('#file-3').waitFor();
    await page.locator('#file-0').getByLabel('Content').click();
    await page.locator('#file-0 .file-editor .cm-content').waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('let b = 2;');
    await page.locator('#path-1').fill('moved/b.txt');
    await page.locator('#action-2').selectOption('DELETE');
    expect(await page.locator('#content-2').isVisible()).toBe(false);
    await page.locator('#file-3').getByLabel('Content').click();
    await page.locator('#file-3 .file-editor .cm-content').waitFor();
    await page.keyboard.type('new');
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page.getByText('4 files changed').waitFor();
    // What is written stays, as the page is the same.
    expect(await page.locator('#path-1').inputValue()).toBe('moved/b.txt');
    expect(page.url()).not.toContain('commit_files');
    await expectWell(page);
    await page.getByRole('button', { name: 'Commit changes' }).click();
    await page.waitForURL(`**${at}/tree/main`);
    expect(await raw('a.js')).toBe('let a = 1;\nlet b = 2;');
    expect([await raw('dir/b.txt'), await raw('moved/b.txt')]).toEqual([null, 'b\n']);
    expect([await raw('c.txt'), await raw('new/d.txt')]).toEqual([null, 'new']);
    expect(await commits()).toBe(2);
    expect(troubles).toEqual([]);
    await context.close();
  }
}, 240_000);

it('a folder is chosen, and files are dropped, with their paths; what is too much is said before it is sent', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-folder-'));
  mkdirSync(path.join(folder, 'site', 'deep'), { recursive: true });
  writeFileSync(path.join(folder, 'site', 'index.html'), '<p>\n');
  writeFileSync(path.join(folder, 'site', 'deep', 'x ü.txt'), 'x\n');
  try {
    for (const [index, width] of WIDTHS.entries()) {
      const { at, raw, commits } = await projectOf(`folders-${width}`, { 'a.txt': 'a\n' });
      // Browsers name files of a folder by their paths without scripts as well.
      const javaScriptEnabled = index === 0;
      const { page, context, troubles } = await signedIn({ width, javaScriptEnabled });
      await page.goto(`${at}/upload_files/main`);
      expect(await page.getByText('At most 90 files').isVisible()).toBe(true);
      await page.getByLabel('A folder').setInputFiles(path.join(folder, 'site'));
      if (javaScriptEnabled) {
        await page.getByText('site/deep/x ü.txt').waitFor();
        await expectWell(page);
      }
      await page.getByRole('button', { name: 'Upload files' }).click();
      await page.waitForURL(`**${at}/tree/main`);
      expect([await raw('site/index.html'), await raw('site/deep/x%20%C3%BC.txt')]).toEqual(['<p>\n', 'x\n']);
      expect(await commits()).toBe(2);
      if (javaScriptEnabled) {
        await page.goto(`${at}/upload_files/main`);
        const drop = (count: number) =>
          page.locator('[data-drop-place]').evaluate((place, most) => {
            const dataTransfer = new DataTransfer();
            for (let n = 0; n < most; n++) dataTransfer.items.add(new File([`${n}`], `dropped${n}.txt`));
            place.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
          }, count);
        await drop(91);
        await page.getByText('These are too many files.').waitFor();
        expect(await page.getByRole('button', { name: 'Upload files' }).isDisabled()).toBe(true);
        await drop(2);
        await page.getByText('dropped1.txt').waitFor();
        await page.getByRole('button', { name: 'Upload files' }).click();
        await page.waitForURL(`**${at}/tree/main`);
        expect(await raw('dropped1.txt')).toBe('1');
      }
      expect(troubles).toEqual([]);
      await context.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 240_000);

it('the editor shows how a document will look and what changes, on the page itself', async () => {
  const { at } = await projectOf('previewed', { 'a.md': '# One\n' });
  for (const width of WIDTHS) {
    const { page, context, troubles } = await signedIn({ width });
    await page.goto(`${at}/edit/main/a.md`);
    await page.getByLabel('Content').click();
    await page.locator('.file-editor .cm-content').waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Some *new* text');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.locator('[data-preview-place] em', { hasText: 'new' }).waitFor();
    await page.locator('[data-preview-place]').getByText('1 file changed').waitFor();
    expect(page.url()).toContain('/edit/main/a.md');
    expect(await page.locator('.file-editor .cm-content').innerText()).toContain('Some *new* text');
    await expectWell(page);
    expect(troubles).toEqual([]);
    await context.close();
  }
}, 120_000);

it('symbols of a file are filtered and lead to their lines, and lines to their history', async () => {
  const code = `export class A {\n${Array.from({ length: 60 }, (_, n) => `  run${n}() {\n    return ${n};\n  }\n`).join('')}}\n`;
  const { id, at } = await projectOf('outline', { 'a.ts': code });
  const actions = [{ action: 'update', file_path: 'a.ts', content: code.replace('return 3;', 'return 33;') }];
  await api('POST', `/projects/${id}/repository/commits`, { branch: 'main', commit_message: 'Change run3', actions });
  for (const width of WIDTHS) {
    const { page, context, troubles } = await openContext(browser, server.url, { width });
    await page.goto(`${at}/blob/main/a.ts`);
    await page.getByRole('link', { name: 'Symbols' }).click();
    await page.getByLabel('Filter symbols').fill('RUN59');
    expect(await page.locator('.symbol-list li:visible').count()).toBe(1);
    await expectWell(page);
    await page.getByRole('link', { name: 'run59' }).click();
    await page.waitForURL('**#L179');
    await page.locator('#L12 > a').click();
    await page.getByRole('link', { name: 'History of these lines' }).click();
    await page.waitForURL('**/line_history/main/a.ts?from=12&to=12');
    await page.getByRole('link', { name: 'Change run3' }).waitFor();
    expect(await page.locator('section.file').count()).toBe(2);
    await expectWell(page);
    expect(troubles).toEqual([]);
    await context.close();
  }
}, 180_000);

it('documents have contents, and insight what was done', async () => {
  const { at } = await projectOf('documents', { 'a.md': '# One\n\n## Two\n\ntext\n' });
  for (const width of WIDTHS) {
    const { page, context, troubles } = await openContext(browser, server.url, { width });
    await page.goto(`${at}/blob/main/a.md`);
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Two' }).click();
    await page.waitForURL('**#user-content-two');
    await expectWell(page);
    await page.goto(`${at}/graphs/main`);
    await page.getByRole('heading', { name: 'Contributors' }).waitFor();
    await expectWell(page);
    expect(troubles).toEqual([]);
    await context.close();
  }
}, 180_000);

it('code is searched by words, texts, expressions, paths and symbols, in a project and everywhere one may read', async () => {
  const files = {
    'src/sum.ts': `// Adds baskets.\n${'\n'.repeat(20)}export function heavySum(baskets: number[]) {\n  return baskets;\n}\n`,
    'src/use.ts': "import { heavySum } from './sum';\n",
    'docs/sum.md': 'A `heavySum` of baskets, baskets only.\n',
  };
  const { id, at } = await projectOf('searched', files);
  const { id: hidden } = await api('POST', '/projects', { name: 'searched-hidden', visibility: 'private' });
  const actions = [{ action: 'create', file_path: 'hidden.ts', content: 'heavySum();\n' }];
  await api('POST', `/projects/${hidden}/repository/commits`, { branch: 'main', commit_message: 'Add', actions });
  const everywhere = '/search?scope=code';
  for (const width of WIDTHS) {
    const { page, context, troubles } = await openContext(browser, server.url, { width });
    const found = async (place: string, words: string) => {
      await page.goto(place);
      await page.getByLabel('Search for').fill(words);
      await page.getByLabel('Search for').press('Enter');
      await page.getByRole('heading', { name: `Search for ${words}` }).waitFor();
      await expectWell(page);
      return (await page.locator('section.hit h2 a:last-child').allTextContents()).sort();
    };
    // The index of all projects is made after a push, in the background.
    await expect.poll(() => found(everywhere, 'heavySum'), { timeout: 60_000 }).toHaveLength(3);
    for (const place of [everywhere, `/search?scope=code&project_id=${id}`]) {
      expect(await found(place, 'heavySum')).toEqual(Object.keys(files).sort());
      expect(await found(place, 'heavySum -path:docs')).toEqual(['src/sum.ts', 'src/use.ts']);
      expect(await found(place, 'heavySum lang:markdown')).toEqual(['docs/sum.md']);
      expect(await found(place, '"baskets, baskets"')).toEqual(['docs/sum.md']);
      expect(await found(place, '/heavySum\\(b\\w+/')).toEqual(['src/sum.ts']);
      expect(await found(place, 'symbol:heavySum')).toEqual(['src/sum.ts']);
      await page.locator('section.hit .line.marked > a').first().click();
      await page.waitForURL(({ pathname, hash }) => pathname === `${at}/blob/main/src/sum.ts` && hash === '#L22');
    }
    expect(troubles).toEqual([]);
    await context.close();
  }
}, 240_000);
