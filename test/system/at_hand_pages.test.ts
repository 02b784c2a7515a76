import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerToAdministrator, openAsAdministrator } from '../support/administrator.ts';
import { accessibilityFaults, launchChromium, type openContext } from '../support/chromium.ts';
import { keep } from '../support/page_faults.ts';
import { type ServerProcess, startServer } from '../support/server_process.ts';

let server: ServerProcess;
let browser: Browser;
let project = '';
let at = '';
let projectId = 0;

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  browser = await launchChromium();
  const made = await api('POST', '/projects', { name: 'at-hand' });
  project = made.path_with_namespace;
  projectId = made.id;
  at = `/${project}/-`;
  for (const name of ['bug', 'feature', 'docs']) {
    await api('POST', `/projects/${projectId}/labels`, { name, color: '#d9534f' });
  }
  await api('POST', `/projects/${projectId}/milestones`, { title: 'v 1' });
  const file = { branch: 'main', content: '# Hello', commit_message: 'Begin' };
  await api('POST', `/projects/${projectId}/repository/files/README.md`, file);
  for (const name of ['first', 'second']) {
    const change = { ...file, branch: name, start_branch: 'main' };
    await api('POST', `/projects/${projectId}/repository/files/${name}.md`, change);
    const request = { source_branch: name, target_branch: 'main', title: `The ${name}` };
    await api('POST', `/projects/${projectId}/merge_requests`, request);
  }
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await server?.end('SIGTERM');
});

/** What the REST API answers to the administrator. */
const api = (method: string, at: string, body?: object) => answerToAdministrator(server, method, at, body);

const newIssue = (title: string, more: object = {}) => api('POST', `/projects/${projectId}/issues`, { title, ...more });
const issue = (iid: number) => api('GET', `/projects/${projectId}/issues/${iid}`);

const signedIn = (options?: Parameters<typeof openContext>[2]) => openAsAdministrator(browser, server, options);

/** Gives a file to a field as a browser does when it is dropped or pasted. */
const give = (page: Page, event: 'drop' | 'paste', name: string) =>
  page.locator('#body').evaluate(
    (field, [kind, file]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['a text'], file, { type: 'text/plain' }));
      const init = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        kind === 'drop'
          ? new DragEvent('drop', { ...init, dataTransfer: transfer })
          : new ClipboardEvent('paste', { ...init, clipboardData: transfer }),
      );
    },
    [event, name] as const,
  );

const bodyHas = (page: Page, text: string | RegExp) =>
  expect.poll(() => page.locator('#body').inputValue(), { timeout: 30_000 }).toMatch(text);

it('a comment that was not sent is there again, and gone once it was sent', async () => {
  const { iid } = await newIssue('Drafts');
  const { page, context, troubles } = await signedIn();
  await page.goto(`${at}/issues/${iid}`);
  await page.locator('#body').fill('Not sent yet');
  await page.goto(`${at}/issues`);
  await page.goto(`${at}/issues/${iid}`);
  expect(await page.locator('#body').inputValue()).toBe('Not sent yet');
  await page.locator('#body').press('Control+Enter');
  await page.getByText('The comment was added.').waitFor();
  expect(await page.locator('#body').inputValue()).toBe('');
  expect(troubles).toEqual([]);
  await context.close();
});

it('files are attached by the button, dropped and pasted', async () => {
  const { iid } = await newIssue('Files');
  const { page, context, troubles } = await signedIn();
  await page.goto(`${at}/issues/${iid}`);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach a file' }).click();
  await (await chooser).setFiles({ name: 'chosen.txt', mimeType: 'text/plain', buffer: Buffer.from('chosen') });
  await bodyHas(page, /\[chosen\.txt\]\(\/uploads\/\w+\/chosen\.txt\)/);
  await give(page, 'drop', 'dropped.txt');
  await bodyHas(page, /\[dropped\.txt\]\(\/uploads\//);
  await give(page, 'paste', 'pasted.txt');
  await bodyHas(page, /\[pasted\.txt\]\(\/uploads\//);
  expect(troubles).toEqual([]);
  await context.close();
});

it('a comment is quoted by r with what is selected, by its link, and by the link with scripts off', async () => {
  const { iid } = await newIssue('Quotes');
  await api('POST', `/projects/${projectId}/issues/${iid}/notes`, { body: 'To be *quoted*' });
  const { page, context } = await signedIn();
  await page.goto(`${at}/issues/${iid}`);
  const answer = page.locator('.thread textarea').first();
  await page.locator('.comment .markdown p').first().selectText();
  await page.keyboard.press('r');
  await expect.poll(() => answer.inputValue()).toBe('> To be quoted\n\n');
  await answer.fill('');
  await page.getByRole('link', { name: 'Quote comment' }).click();
  await expect.poll(() => answer.inputValue()).toBe('> To be quoted\n\n');
  await context.close();
  const plain = await signedIn({ javaScriptEnabled: false });
  await plain.page.goto(`${at}/issues/${iid}`);
  await plain.page.getByRole('link', { name: 'Quote comment' }).click();
  const field = plain.page.locator('.thread textarea').first();
  expect(await field.inputValue()).toBe('> To be *quoted*\n\n');
  expect(await field.isVisible()).toBe(true);
  await plain.context.close();
});

it('a task is ticked where it is shown', async () => {
  const { iid } = await newIssue('Tasks', { description: '- [ ] one\n- [ ] two' });
  const { page, context } = await signedIn();
  await page.goto(`${at}/issues/${iid}`);
  await page.getByRole('checkbox', { name: 'two' }).click();
  await page.getByText('The task is done.').waitFor();
  expect((await issue(iid)).description).toBe('- [ ] one\n- [x] two');
  await context.close();
});

it('labels are chosen in the side column by the keyboard alone', async () => {
  const { iid } = await newIssue('Picked');
  const { page, context, troubles } = await signedIn();
  await page.goto(`${at}/issues/${iid}`);
  await page.locator('summary', { hasText: 'Edit Labels' }).press('Enter');
  await page.getByRole('option', { name: 'bug' }).waitFor();
  await page.keyboard.type('fea');
  await page.locator('[role="option"]:first-child', { hasText: 'feature' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.chip', { hasText: 'feature' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.getByText('The issue was saved.').waitFor();
  expect((await issue(iid)).labels).toEqual(['feature']);
  expect(troubles).toEqual([]);
  await context.close();
});

it('the keys go through the list, choose, open, and lead to other pages', async () => {
  await newIssue('Earlier');
  const { title } = await newIssue('Latest');
  const { page, context } = await signedIn();
  await page.goto(`${at}/issues`);
  await page.keyboard.press('j');
  expect(await page.locator('.row.here').innerText()).toContain(title);
  await page.keyboard.press('x');
  expect(await page.locator('.row.here .choose').isChecked()).toBe(true);
  await page.keyboard.press('?');
  expect(await page.getByRole('dialog', { name: 'Keyboard' }).isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('q');
  await page.locator('#q').blur();
  await page.keyboard.press('o');
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await page.waitForURL('**/merge_requests');
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await page.waitForURL('**/issues');
  await page.keyboard.press('c');
  await page.waitForURL('**/issues/new');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('title');
  await context.close();
});

it('the palette shows pages and actions in groups, and finds a project', async () => {
  const { page, context, troubles } = await signedIn();
  await page.goto(`${at}/issues`);
  await page.keyboard.press('Control+k');
  await page.getByRole('group', { name: 'Actions' }).getByRole('option', { name: 'New issue' }).waitFor();
  expect(await page.getByRole('group', { name: 'at-hand' }).getByRole('option', { name: 'Pipelines' }).count()).toBe(1);
  expect(await accessibilityFaults(page)).toEqual([]);
  await keep(page, 'palette');
  await page.keyboard.type('at-hand');
  await page.getByRole('group', { name: 'Projects' }).getByRole('option').waitFor();
  await page.getByRole('option', { name: 'at-hand' }).first().click();
  await page.waitForURL(`**/${project}`);
  expect(troubles).toEqual([]);
  await context.close();
});

it('chosen merge requests are changed together', async () => {
  const { page, context, troubles } = await signedIn();
  await page.goto(`${at}/merge_requests`);
  await page.getByRole('checkbox', { name: 'Choose The first' }).check();
  await page.getByRole('checkbox', { name: 'Choose The second' }).check();
  await page.getByLabel('Add labels').fill('docs');
  await page.getByRole('option', { name: 'docs' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.bulk .chip', { hasText: 'docs' }).waitFor();
  await page.getByRole('button', { name: 'Change chosen' }).click();
  await page.getByText('The chosen merge requests were changed.').waitFor();
  const changed: { labels: string[] }[] = await api('GET', `/projects/${projectId}/merge_requests`);
  expect(changed.map(({ labels }) => labels)).toEqual([['docs'], ['docs']]);
  expect(troubles).toEqual([]);
  await context.close();
});

it.each([
  { width: 390, colorScheme: 'dark' as const },
  { width: 1280, colorScheme: 'light' as const },
])('axe finds nothing wrong at $width pixels in $colorScheme colours', async (look) => {
  const { iid } = await newIssue('Looked at', { description: '- [ ] a task', labels: 'bug' });
  await api('POST', `/projects/${projectId}/issues/${iid}/notes`, { body: 'A comment' });
  await api('POST', `/projects/${projectId}/issues/${iid}/award_emoji`, { name: 'tada' });
  const { page, context, troubles } = await signedIn(look);
  const faults: string[] = [];
  for (const path of [`/issues/${iid}`, '/issues', '/merge_requests', '/merge_requests/1', '/issues/new']) {
    await page.goto(`${at}${path}`);
    for (const fault of await accessibilityFaults(page)) faults.push(`${path}: ${fault}`);
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    if (isWide) faults.push(`${path}: wider than the window`);
    await keep(page, `${path.replaceAll('/', '_')}_${look.width}_${look.colorScheme}`);
  }
  expect(faults).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});
