import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { accessibilityFaults, launchChromium, openContext } from '../support/chromium.ts';
import { commitFile, run, workingCopy } from '../support/git_client.ts';
import { gantry, type ServerProcess, scratchDirectory, startServer } from '../support/server_process.ts';

const scratch = scratchDirectory();
let server: ServerProcess;
let browser: Browser;
let runners: ChildProcess[] = [];

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  browser = await launchChromium();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await Promise.all(runners.map(ended));
  await server?.end('SIGTERM');
  scratch.remove();
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

const PASSWORD = 'a long enough password';

async function signUp(page: Page, username: string): Promise<void> {
  await page.goto('/');
  await page.getByRole('link', { name: 'Sign in' }).first().click();
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Full name').fill('Pia Story');
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email').fill(`${username}@example.com`);
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm new password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
}

/** Commits files to a branch and pushes it, as someone at work does. */
async function push(directory: string, branch: string, files: Readonly<Record<string, string>>): Promise<void> {
  await run(directory, 'checkout', '-B', branch);
  for (const [name, content] of Object.entries(files)) await commitFile(directory, name, content);
  await run(directory, 'push', '--quiet', 'origin', branch);
}

/** A runner of the project, which works until the end of the tests. */
async function startRunner(name: string, registrationToken: string): Promise<void> {
  const config = path.join(scratch.directory, `${name}.json`);
  const env = { PATH: process.env.PATH, HOME: scratch.directory };
  const args = ['--url', server.url, '--registration-token', registrationToken, '--config', config];
  expect(await gantry(['runner', 'register', ...args], env)).toMatchObject({ status: 0 });
  const launcher = packagePath('bin/gantry.js');
  const child = spawn(process.execPath, [launcher, 'runner', 'run', '--config', config], {
    env,
    cwd: scratch.directory,
    stdio: 'ignore',
  });
  runners = [...runners, child];
}

/** Loads a page again until it shows something, as people do who wait without JavaScript. */
async function reloadUntil(page: Page, shows: () => Promise<number>): Promise<void> {
  while ((await shows()) === 0) {
    await page.waitForTimeout(500);
    await page.reload();
  }
}

const CI = `test:
  script: ['echo "all $((40 + 2)) tests passed"', 'sleep 3', 'echo "that was all"']
`;

it.each([
  ['in a wide window', { width: 1280, javaScriptEnabled: true }],
  ['on a phone, with JavaScript turned off', { width: 375, javaScriptEnabled: false }],
])(
  'a team of one signs up, pushes, plans, reviews and merges %s',
  async (_where, options) => {
    const { page, troubles } = await openContext(browser, server.url, options);
    page.setDefaultTimeout(20_000);
    const username = `pia-${options.width}`;
    await signUp(page, username);
    await page.goto('/projects/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('A short story');
    await page.getByRole('textbox', { name: 'Path' }).fill('story');
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.waitForURL(`**/${username}/story`);

    const directory = await workingCopy();
    const remote = new URL(`/${username}/story.git`, server.url);
    remote.username = username;
    remote.password = PASSWORD;
    await run(directory, 'remote', 'add', 'origin', remote.href);
    const files = {
      'README.md': '# Greetings\n\nSays *hello*.\n',
      'greet.js': 'hello();\nbye();\n',
      '.gitlab-ci.yml': CI,
    };
    await push(directory, 'master', files);
    await page.goto(`/${username}/story`);
    await page.getByRole('heading', { name: 'Greetings' }).waitFor();
    await page.getByRole('link', { name: 'greet.js', exact: true }).click();
    await page.getByText('hello();').waitFor();

    await page
      .getByRole('link', { name: /^Issues/ })
      .first()
      .click();
    await page.getByRole('link', { name: 'New issue' }).first().click();
    await page.getByLabel('Title').fill('It says goodbye too early');
    await page.getByLabel('Description').fill('- [ ] wait');
    await page.getByRole('button', { name: 'Create issue' }).click();
    await page.waitForURL('**/-/issues/1');
    await page.getByLabel('Comment', { exact: true }).fill('I will look into it :eyes:');
    if (options.javaScriptEnabled) {
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('I will look into it 👀').waitFor();
      await page.getByRole('button', { name: 'Write' }).click();
    }
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText('I will look into it').waitFor();

    await page.goto(`/${username}/story/-/blob/master/greet.js`);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Content').fill('hello();\nawait patience();\nbye();\n');
    await page.getByLabel('Branch', { exact: true }).fill('patience');
    await page.getByRole('button', { name: 'Commit changes' }).click();
    await page.waitForURL('**/-/merge_requests/new?**');
    await page.getByLabel('Title').fill('Wait before saying goodbye');
    await page.getByLabel('Description').fill('Closes #1');
    await page.getByRole('button', { name: 'Create merge request' }).click();
    await page.waitForURL('**/-/merge_requests/1');
    await page.getByRole('link', { name: /^Changes/ }).click();
    await page.getByRole('row', { name: 'await patience();' }).getByRole('link').click();
    await page.getByLabel(/^Comment on line 2/).fill('How **long**?\n\n```suggestion\nawait patience(3);\n```');
    await page.getByRole('button', { name: 'Comment now' }).click();
    await page.locator('strong', { hasText: 'long' }).waitFor();
    if (options.javaScriptEnabled) expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Apply suggestion' }).click();
    await reloadUntil(page, () => page.getByRole('row', { name: 'await patience(3);' }).count());
    if (options.javaScriptEnabled) {
      const viewed = page.getByLabel('Viewed');
      const line = page.getByRole('row', { name: 'await patience(3);' });
      await viewed.check();
      await page.goto(`/${username}/story/-/merge_requests/1/diffs`);
      expect([await viewed.isChecked(), await line.isVisible()]).toEqual([true, false]);
      await viewed.uncheck();
      expect(await line.isVisible()).toBe(true);
    }

    await page.goto(`/${username}/story/-/pipelines`);
    await page
      .getByRole('link', { name: /^#\d+ / })
      .first()
      .click();
    await page.getByRole('link', { name: 'test', exact: true }).click();
    await page.getByText('The log appears here when a runner has taken the job.').waitFor();
    const streams: number[] = [];
    page.on('response', (response) => {
      if (response.headers()['content-type']?.startsWith('text/event-stream')) streams.push(response.status());
    });
    await page.reload();
    const shown = page.url();
    await startRunner(username, await registrationToken(username));
    const log = page.getByText('all 42 tests passed');
    const state = page.getByRole('heading', { name: /^test/ }).getByText('passed');
    if (!options.javaScriptEnabled) await reloadUntil(page, () => log.count());
    else await log.waitFor({ timeout: 60_000 });
    if (!options.javaScriptEnabled) await reloadUntil(page, () => state.count());
    else await state.waitFor({ timeout: 60_000 });
    expect(page.url()).toBe(shown);
    expect([...new Set(streams)]).toEqual(options.javaScriptEnabled ? [200] : []);

    await page.goto(`/${username}/story/-/merge_requests/1`);
    const merge = page.getByRole('button', { name: 'Merge', exact: true });
    await reloadUntil(page, () => merge.count());
    await merge.click();
    await page
      .getByText(/^Merged/)
      .first()
      .waitFor();
    // A job closes the issue.
    await page.goto(`/${username}/story/-/issues/1`);
    await reloadUntil(page, () => page.getByText('Closed', { exact: true }).count());
    expect(troubles).toEqual([]);
  },
  240_000,
);

/** Goes to something by the tabulator, as people do who use no mouse, and checks that they see where they are. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.first().waitFor();
  for (let steps = 0; steps < 150; steps += 1) {
    await page.keyboard.press('Tab');
    if (!(await wanted.first().evaluate((element) => element === document.activeElement))) continue;
    expect(await wanted.first().evaluate((element) => getComputedStyle(element).outlineStyle)).not.toBe('none');
    return;
  }
  throw new Error(`The keyboard does not get to ${wanted}`);
}

it('the keyboard alone signs in, opens an issue, and reviews and merges a merge request', async () => {
  const username = 'kim';
  const { page: first } = await openContext(browser, server.url);
  await signUp(first, username);
  await first.goto('/projects/new');
  await first.getByRole('textbox', { name: 'Name', exact: true }).fill('Keys');
  await first.getByRole('textbox', { name: 'Path' }).fill('keys');
  await first.getByRole('button', { name: 'Create project' }).click();
  await first.waitForURL(`**/${username}/keys`);
  const directory = await workingCopy();
  const remote = new URL(`/${username}/keys.git`, server.url);
  remote.username = username;
  remote.password = PASSWORD;
  await run(directory, 'remote', 'add', 'origin', remote.href);
  await push(directory, 'master', { 'a.txt': 'one\n' });
  await push(directory, 'more', { 'a.txt': 'one\ntwo\n' });

  const { page, troubles } = await openContext(browser, server.url);
  page.setDefaultTimeout(20_000);
  const go = async (wanted: Locator) => {
    await tabTo(page, wanted);
    await page.keyboard.press('Enter');
  };
  const type = async (wanted: Locator, text: string) => {
    await tabTo(page, wanted);
    await page.keyboard.type(text);
  };
  await page.goto('/users/sign_in');
  await page.keyboard.type(username);
  await type(page.getByLabel('Password'), PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/');
  await go(page.getByRole('link', { name: 'Keys' }));
  await go(page.getByRole('link', { name: /^Issues/ }));
  await go(page.getByRole('link', { name: 'New issue' }));
  await type(page.getByLabel('Title'), 'There is one line only');
  await go(page.getByRole('button', { name: 'Create issue' }));
  await page.waitForURL('**/-/issues/1');
  await go(page.getByRole('link', { name: /^Merge requests/ }));
  await go(page.getByRole('link', { name: 'New merge request' }));
  await page.waitForURL('**/-/merge_requests/new**');
  await tabTo(page, page.getByLabel('Source branch'));
  await page.keyboard.type('more');
  await go(page.getByRole('button', { name: /^(Compare|Continue)/ }));
  await type(page.getByLabel('Title'), 'Two lines of ');
  await go(page.getByRole('button', { name: 'Create merge request' }));
  await page.waitForURL('**/-/merge_requests/1');
  await go(page.getByRole('link', { name: /^Changes/ }));
  await page.waitForURL('**/diffs');
  await go(page.getByRole('row', { name: 'two' }).getByRole('link'));
  await page.getByLabel(/^Comment on line 2/).waitFor();
  await page.keyboard.type('Two are enough.');
  await go(page.getByRole('button', { name: 'Comment now' }));
  await page.getByText('Two are enough.').first().waitFor();
  await go(page.getByRole('link', { name: /^Overview/ }));
  const merge = page.getByRole('button', { name: 'Merge', exact: true });
  await reloadUntil(page, () => merge.count());
  await go(merge);
  await page
    .getByText(/^Merged/)
    .first()
    .waitFor();
  expect(troubles).toEqual([]);
}, 180_000);

/** What registers a runner of the project. */
async function registrationToken(username: string): Promise<string> {
  const token = await fetch(`${server.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }),
  }).then((answer) => answer.json());
  const headers = { authorization: `Bearer ${token.access_token}` };
  const project = await fetch(`${server.url}/api/v4/projects/${encodeURIComponent(`${username}/story`)}`, { headers });
  return (await project.json()).runners_token;
}
