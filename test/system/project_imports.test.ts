import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { answerToAdministrator, openAsAdministrator } from '../support/administrator.ts';
import { accessibilityFaults, launchChromium } from '../support/chromium.ts';
import { type GithubServer, helloWorld, sendJson, TOKEN } from '../support/github_server.ts';
import { isWide, keep } from '../support/page_faults.ts';
import { gantry, type ServerProcess, scratchDirectory, settings, startServer } from '../support/server_process.ts';

const scratch = scratchDirectory();
let github: GithubServer;
let env: NodeJS.ProcessEnv;
let server: ServerProcess;
let browser: Browser;

beforeAll(async () => {
  github = await helloWorld();
  env = settings(path.join(scratch.directory, 'data'), { GANTRY_IMPORT_HOSTS: github.host });
  server = await startServer(env);
  browser = await launchChromium();
}, 360_000);

afterAll(async () => {
  await browser?.close();
  await server?.end('SIGTERM');
  github?.stop();
  scratch.remove();
});

beforeEach(() => {
  github.interfere = () => false;
});

const api = (route: string) => answerToAdministrator(server, 'GET', route);

/** Has the source take no more requests for events for some seconds, the first time or always. */
function limited(seconds: number, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  github.interfere = (asked, response) => {
    if (!asked.url?.includes('/issues/events') || left === 0) return false;
    left -= 1;
    response.writeHead(429, { 'Retry-After': String(seconds) }).end();
    return true;
  };
}

/** Fits the window, and has no fault that axe finds. */
async function expectWell(page: Page, name: string): Promise<void> {
  expect([name, await isWide(page)]).toEqual([name, false]);
  expect([name, await accessibilityFaults(page)]).toEqual([name, []]);
  await keep(page, name);
}

/** Finds the form as people do, fills it in and sends it. */
async function begin(page: Page, name: string): Promise<void> {
  await page.goto('/projects/new#import');
  await page.getByRole('link', { name: 'Import a project' }).click();
  await page.waitForURL('**/projects/import?*');
  await page.getByLabel('Kind of server').selectOption('github');
  await page.getByLabel('Server', { exact: true }).fill(`http://${github.host}`);
  await page.getByLabel('Project', { exact: true }).fill('octo-org/hello-world');
  await page.getByLabel('Access token').fill('ghp_wrong');
  await page.getByLabel('New name').fill(name);
  await page.getByLabel('Releases with files').uncheck();
  await page.getByRole('button', { name: 'Import project' }).click();
  await page.getByText('Access token is wrong, or may not read the project').waitFor();
  expect(await page.getByLabel('Access token').inputValue()).toBe('');
  expect(await page.getByLabel('Releases with files').isChecked()).toBe(false);
  await expectWell(page, `import form ${name}`);
  await page.getByLabel('Access token').fill(TOKEN);
  await page.getByRole('button', { name: 'Import project' }).click();
  await page.waitForURL(`**/root/${name}/-/import`);
}

it('a project is moved in from a page, which shows by itself how it comes and what was left out', async () => {
  limited(5, 1);
  const { page, context, troubles } = await openAsAdministrator(browser, server);
  await begin(page, 'wide');
  await page.getByText('The server takes no more requests for now.').waitFor({ timeout: 60_000 });
  await page.getByRole('rowheader', { name: 'Comments on lines' }).waitFor();
  await expectWell(page, 'import waiting');
  await page.getByText('The project was imported.').waitFor({ timeout: 120_000 });
  expect(await page.getByRole('rowheader', { name: 'Releases' }).count()).toBe(0);
  const leftOut = page.getByRole('list').filter({ hasText: 'Set it up anew' });
  expect(await leftOut.innerText()).toContain('Webhooks ci.example: Set it up anew: its secret stays at the source.');
  await expectWell(page, 'import finished');
  await page.getByRole('link', { name: 'Open the project' }).click();
  await page.waitForURL('**/root/wide');
  expect(await api('/projects/root%2Fwide/issues')).toHaveLength(2);
  expect(await api('/projects/root%2Fwide/releases')).toEqual([]);
  // A form with errors is one of them.
  expect(troubles.filter((trouble) => !trouble.includes('422'))).toEqual([]);
  await context.close();
}, 240_000);

it('on a phone, an import is watched without scripts, and canceled', async () => {
  limited(3_600);
  const { page, context } = await openAsAdministrator(browser, server, { width: 390 });
  await begin(page, 'narrow');
  await page.getByText('The server takes no more requests for now.').waitFor({ timeout: 60_000 });
  await expectWell(page, 'import waiting narrow');
  await page.goto('/root/narrow');
  await page.getByRole('link', { name: 'See how far it is' }).click();
  await page.waitForURL('**/root/narrow/-/import');
  const plain = await openAsAdministrator(browser, server, { width: 390, javaScriptEnabled: false });
  await plain.page.goto('/root/narrow/-/import');
  await plain.page.getByRole('link', { name: 'Reload' }).click();
  await plain.page.getByRole('button', { name: 'Cancel import' }).click();
  await plain.page.getByRole('heading', { name: 'Cancel the import?' }).waitFor();
  await plain.page.getByRole('button', { name: 'Cancel import' }).click();
  await plain.page.getByText('The import was canceled. The project is empty.').waitFor();
  await plain.context.close();
  // The other window learns of it by itself.
  await page.getByText('The import was canceled. The project is empty.').waitFor({ timeout: 60_000 });
  expect(await page.getByRole('button', { name: 'Cancel import' }).count()).toBe(0);
  await expectWell(page, 'import canceled narrow');
  await context.close();
}, 240_000);

it('gantry import github has the running server move a project in, and lists what is left out', async () => {
  await answerToAdministrator(server, 'POST', '/groups', { name: 'team', path: 'team' });
  const url = `http://${github.host}`;
  const words = ['import', 'github', 'octo-org/hello-world', '--into', 'team', '--user', 'root', '--url', url];
  const withToken = { ...env, GANTRY_IMPORT_TOKEN: TOKEN };
  limited(3, 1);
  const done = await gantry([...words, '--progress'], withToken);
  expect(done).toMatchObject({ status: 0 });
  expect(done.stdout).toMatch(
    /^Imported team\/hello-world\.\nWhat did not come along:\n {2}webhooks ci\.example: Set it/,
  );
  expect(done.stderr).toMatch(/^(Waiting|The server takes no more requests until |[a-z ]+(: \d+( of \d+)?)?$)/m);
  expect(done.stdout + done.stderr).not.toContain(TOKEN);
  expect(await api('/projects/team%2Fhello-world/issues')).toHaveLength(2);
  // The token may come on the standard input, and the import may be left to the server.
  const left = await gantry([...words, '--name', 'Later', '--no-wait'], env, Buffer.from(`${TOKEN}\n`));
  expect(left).toMatchObject({ status: 0, stdout: 'team/later is filled while the server runs.\n' });
  await expect
    .poll(async () => (await api('/projects/team%2Flater')).import_status, { timeout: 120_000, interval: 500 })
    .toBe('finished');
  const wrong = await gantry([...words, '--name', 'Wrong'], { ...env, GANTRY_IMPORT_TOKEN: 'ghp_wrong' });
  expect(wrong.status).toBe(1);
  expect(wrong.stderr).toContain('gantry: the token is wrong, or may not read the project');
  const none = await gantry(words, env, Buffer.from(''));
  expect(none.status).toBe(2);
  expect(none.stderr).toContain('gantry: the token is missing');
}, 300_000);

it('gantry import github takes all projects of an owner, and says of each how it ended', async () => {
  await answerToAdministrator(server, 'POST', '/groups', { name: 'crowd', path: 'crowd' });
  const { repository } = github.content;
  const repositories = [
    repository,
    { id: 2, full_name: 'octo-org/fork', fork: true },
    { id: 3, full_name: 'octo-org/gone', fork: false },
  ];
  const known: Record<string, unknown> = {
    '/api/v3/users/octo-org': { id: 1, type: 'Organization' },
    '/api/v3/orgs/octo-org/repos': repositories,
  };
  github.interfere = ({ url = '' }, response) => {
    const found = known[new URL(url, 'http://x').pathname];
    if (found !== undefined) sendJson(response, 200, found);
    return found !== undefined;
  };
  const url = ['--url', `http://${github.host}`, '--user', 'root', '--into', 'crowd'];
  const words = ['import', 'github', 'octo-org/*', ...url, '--without-forks', '--without', 'wiki,merge-requests'];
  const withToken = { ...env, GANTRY_IMPORT_TOKEN: TOKEN };
  const gone = 'octo-org/gone: failed: the path is of no project that the token may read';
  const done = await gantry(words, withToken);
  expect(done.status).toBe(1);
  expect(done.stdout.trim().split('\n')).toEqual([
    gone,
    expect.stringMatching(/^octo-org\/hello-world: imported as crowd\/hello-world, without \d+ things? that its page/),
  ]);
  expect(done.stderr).toContain('gantry: 1 of 2 projects were not imported.');
  expect(done.stdout + done.stderr).not.toContain(TOKEN);
  expect(await api('/projects/crowd%2Fhello-world/issues')).toHaveLength(2);
  expect(await api('/projects/crowd%2Fhello-world/merge_requests?state=all')).toEqual([]);
  repositories.pop();
  const again = await gantry(words, withToken);
  expect(again).toMatchObject({
    status: 0,
    stdout: 'octo-org/hello-world: skipped, as there is a project at its path\n',
  });
}, 300_000);
