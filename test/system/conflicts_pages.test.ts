import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerToAdministrator, openAsAdministrator } from '../support/administrator.ts';
import { accessibilityFaults, launchChromium } from '../support/chromium.ts';
import { lines } from '../support/conflicts.ts';
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

/** A project of its own with a merge request whose branches conflict in two files. */
async function inConflict(name: string) {
  const project = await api('POST', '/projects', { name });
  const commit = (branch: string, action: string, files: Record<string, string>, start?: string) =>
    api('POST', `/projects/${project.id}/repository/commits`, {
      ...{ branch, commit_message: `Files of ${branch}`, ...(start && { start_branch: start }) },
      actions: Object.entries(files).map(([file_path, content]) => ({ action, file_path, content })),
    });
  await commit('main', 'create', { 'src/lines.txt': lines(), 'notes.md': 'Notes\n' });
  const ours = { 'src/lines.txt': lines({ 1: 'TWO', 6: 'SEVEN' }), 'notes.md': 'Our notes\n' };
  await commit('topic', 'update', ours, 'main');
  await commit('main', 'update', { 'src/lines.txt': lines({ 1: 'zwei', 6: 'sieben' }), 'notes.md': 'Their notes\n' });
  const asked = { title: 'In conflict', source_branch: 'topic', target_branch: 'main' };
  const { iid } = await api('POST', `/projects/${project.id}/merge_requests`, asked);
  const fileAt = async (path: string) => {
    const file = await api('GET', `/projects/${project.id}/repository/files/${encodeURIComponent(path)}?ref=topic`);
    return Buffer.from(file.content, 'base64').toString();
  };
  return { at: `/${project.path_with_namespace}/-/merge_requests/${iid}`, fileAt };
}

it.each([
  { width: 390, colorScheme: 'dark' as const, javaScriptEnabled: false },
  { width: 1280, colorScheme: 'light' as const, javaScriptEnabled: true },
])('conflicts are resolved in the browser at $width pixels, and the merge request is merged', async (look) => {
  const { at, fileAt } = await inConflict(`conflicts-${look.width}`);
  const { page, context, troubles } = await openAsAdministrator(browser, server, look);
  await page.goto(at);
  await page.getByRole('link', { name: 'Resolve conflicts' }).click();
  await page.getByRole('heading', { name: 'Resolve conflicts' }).waitFor();
  expect(await isWide(page)).toBe(false);
  if (look.javaScriptEnabled) expect(await accessibilityFaults(page)).toEqual([]);
  await keep(page, `conflicts_${look.width}`);
  const notes = page.locator('section.file', { hasText: 'notes.md' });
  const text = notes.getByRole('textbox');
  expect(await text.isVisible()).toBe(false);
  await notes.getByRole('radio', { name: 'Edit' }).check();
  expect(await text.inputValue()).toBe('<<<<<<< topic\nOur notes\n=======\nTheir notes\n>>>>>>> main\n');
  await text.fill('Notes of all\n');
  const first = page.getByRole('group', { name: 'Conflict 1 of 2' });
  const second = page.getByRole('group', { name: 'Conflict 2 of 2' });
  await first.getByRole('radio', { name: 'Use both' }).check();
  // Nothing is committed, or lost, before all is chosen.
  await page.getByRole('button', { name: 'Commit resolutions' }).click();
  await page.getByText('Choose what to take for each conflict.').waitFor();
  expect(await first.getByRole('radio', { name: 'Use both' }).isChecked()).toBe(true);
  expect(await text.inputValue()).toBe('Notes of all\n');
  await second.getByRole('radio', { name: 'Use main' }).check();
  await page.getByRole('button', { name: 'Commit resolutions' }).click();
  await page.getByText('The conflicts are resolved.').waitFor();
  expect(await fileAt('src/lines.txt')).toBe(lines({ 1: 'TWO\nzwei', 6: 'sieben' }));
  expect(await fileAt('notes.md')).toBe('Notes of all\n');
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByText('The merge request was merged.').waitFor();
  // A refused form is answered with 422, which browsers report.
  expect(troubles.filter((one) => !one.includes('422'))).toEqual([]);
  await context.close();
});

it('the tree of changed files is filtered, and a link leads from one open thread to the next', async () => {
  const { at } = await inConflict('reviewed');
  const { page, context, troubles } = await openAsAdministrator(browser, server, { width: 1280 });
  await page.goto(`${at}/diffs`);
  for (const line of ['Our notes', 'SEVEN']) {
    await page.getByRole('row', { name: line }).getByRole('link').last().click();
    await page.getByLabel(/^Comment on line/).fill(`About ${line}`);
    await page.getByRole('button', { name: 'Comment now' }).click();
    await page.getByText('The comment was added.').waitFor();
  }
  expect(await isWide(page)).toBe(false);
  expect(await accessibilityFaults(page)).toEqual([]);
  const tree = page.getByRole('navigation', { name: 'Changed files' });
  await tree.getByRole('searchbox', { name: 'Filter files' }).fill('SRC lines');
  expect(await tree.getByRole('link').filter({ visible: true }).allInnerTexts()).toEqual([
    expect.stringContaining('lines.txt'),
  ]);
  await tree.getByRole('searchbox', { name: 'Filter files' }).fill('');
  expect(await tree.getByRole('link').filter({ visible: true }).count()).toBe(2);
  await page.evaluate(() => scrollTo(0, 0));
  const next = page.getByRole('link', { name: 'Next open thread' });
  await next.click();
  const focused = () => page.evaluate(() => document.activeElement?.closest('.talk-thread')?.textContent ?? '');
  expect(await focused()).toContain('About');
  await page.getByRole('link', { name: 'Hide whitespace' }).click();
  await page.getByRole('link', { name: 'Hide whitespace' }).and(page.locator('[aria-current]')).waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});
