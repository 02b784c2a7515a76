import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, openContext } from '../support/chromium.ts';
import { type ServerProcess, startServer } from '../support/server_process.ts';

let server: ServerProcess;
let browser: Browser;
let opened: Awaited<ReturnType<typeof openContext>>;

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral', '--seed']);
  browser = await launchChromium();
  await pushBranch('counted');
  opened = await openContext(browser, server.url);
  const { page } = opened;
  await page.goto('/users/sign_in');
  await page.getByLabel('Username or email').fill('ada');
  await page.getByLabel('Password').fill('seed-password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/');
}, 360_000);

afterAll(async () => {
  await browser?.close();
  await server?.end('SIGTERM');
});

const APPLES = '/orchard/apples';

/** Has ada push a branch with a commit of its own. */
async function pushBranch(branch: string): Promise<void> {
  const headers = { 'PRIVATE-TOKEN': 'seed-private-token-ada', 'Content-Type': 'application/json' };
  const actions = [{ action: 'create', file_path: `${branch}.txt`, content: branch }];
  const body = JSON.stringify({ branch, start_branch: 'master', commit_message: `Add ${branch}`, actions });
  const path = '/api/v4/projects/orchard%2Fapples/repository/commits';
  const { status } = await fetch(server.url + path, { method: 'POST', headers, body });
  expect(status).toBe(201);
}

/** A task from the page where one stands to where it is done; what is typed is no click. */
interface Task {
  task: string;
  from: string;
  clicks: number;
  /** Whether text has to be typed on the way: such tasks may take more than three clicks. */
  types?: true;
  run: (page: Page, click: (what: Locator) => Promise<void>) => Promise<void>;
  /** What the page says in the end. */
  done: string | RegExp;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).first();
/** Types into the field in which a form begins. */
async function type(page: Page, text: string): Promise<void> {
  await page.locator('main form :focus').waitFor();
  await page.keyboard.type(text);
}
const menu = (page: Page, name: string | RegExp) => page.locator('summary', { hasText: name }).first();

const TASKS: Task[] = [
  {
    task: 'create a project',
    from: '/',
    clicks: 2,
    types: true,
    run: async (page, click) => {
      await click(link(page, 'New project'));
      await type(page, 'Pears');
      await click(button(page, 'Create project'));
    },
    done: 'The project was created.',
  },
  {
    task: 'upload a file',
    from: APPLES,
    clicks: 3,
    run: async (page, click) => {
      await click(menu(page, 'Add file'));
      await click(link(page, 'Upload file'));
      const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') };
      await page.locator('input[type="file"]').setInputFiles(file);
      await click(button(page, 'Upload file'));
    },
    done: 'notes.txt',
  },
  {
    task: 'edit a file',
    from: `${APPLES}/-/blob/master/package.json`,
    clicks: 2,
    types: true,
    run: async (page, click) => {
      await click(link(page, 'Edit'));
      await page.getByLabel('Content').fill('{ "name": "apples" }\n');
      await click(button(page, /Commit|Save/));
    },
    done: '"apples"',
  },
  {
    task: 'open a merge request of the branch that one has just pushed to',
    from: APPLES,
    clicks: 2,
    run: async (page, click) => {
      await click(link(page, 'New merge request'));
      await click(button(page, 'Create merge request'));
    },
    done: 'The merge request was created.',
  },
  {
    task: 'fork a project',
    from: '/harbor/ledger',
    clicks: 2,
    run: async (page, click) => {
      await click(link(page, /^Fork/));
      await click(button(page, 'Fork project'));
    },
    done: /fork/i,
  },
  {
    task: 'star a project',
    from: '/harbor/ledger',
    clicks: 1,
    run: (page, click) => click(button(page, /^Star/)),
    done: 'You starred the project.',
  },
  {
    task: 'watch a project',
    from: APPLES,
    clicks: 2,
    run: async (page, click) => {
      await click(menu(page, 'Watch'));
      await click(page.locator('.menu[open] .menu-items button').nth(1));
    },
    done: /notified|level|Watch/,
  },
  {
    task: 'open an issue',
    from: `${APPLES}/-/issues`,
    clicks: 2,
    types: true,
    run: async (page, click) => {
      await click(link(page, 'New issue'));
      await type(page, 'Counted in clicks');
      await click(button(page, 'Create issue'));
    },
    done: 'Counted in clicks',
  },
  {
    task: 'label an issue',
    from: `${APPLES}/-/issues/7`,
    clicks: 3,
    run: async (page, click) => {
      await click(menu(page, 'Edit Labels'));
      await click(page.getByRole('option', { name: 'bug' }));
      await click(button(page, 'Apply'));
    },
    done: 'The issue was saved.',
  },
  {
    task: 'react to a comment',
    from: `${APPLES}/-/issues/12`,
    clicks: 2,
    run: async (page, click) => {
      await click(page.locator('.comment summary[title="React"]').first());
      await click(page.locator('.comment .menu[open] button').first());
    },
    done: 'Your reaction was added.',
  },
  {
    task: 'be notified of an issue',
    from: `${APPLES}/-/issues/12`,
    clicks: 1,
    run: (page, click) => click(button(page, 'Subscribe')),
    done: 'You are notified of what happens here.',
  },
  {
    task: 'close an issue',
    from: `${APPLES}/-/issues/12`,
    clicks: 1,
    run: (page, click) => click(button(page, 'Close issue')),
    done: 'Closed',
  },
  {
    task: 'find an issue by its text',
    from: APPLES,
    clicks: 1,
    types: true,
    run: async (page, click) => {
      await click(page.locator('#bar-search'));
      await page.keyboard.type('umlaut');
      await page.keyboard.press('Enter');
    },
    done: /umlaut/,
  },
  {
    task: 'comment on a line',
    from: `${APPLES}/-/merge_requests/5/diffs`,
    clicks: 2,
    types: true,
    run: async (page, click) => {
      await click(page.locator('tr[id] a[href*="line="]').first());
      await page.locator('#line-body').fill('Why?');
      await click(button(page, 'Comment now'));
    },
    done: 'Why?',
  },
  {
    task: 'request changes',
    from: `${APPLES}/-/merge_requests/5/diffs`,
    clicks: 3,
    run: async (page, click) => {
      await click(menu(page, 'Finish review'));
      await click(page.getByRole('radio', { name: /Request changes/ }));
      await click(button(page, 'Submit review'));
    },
    done: 'You requested changes.',
  },
  {
    task: 'approve a merge request',
    from: `${APPLES}/-/merge_requests/5`,
    clicks: 1,
    run: (page, click) => click(button(page, 'Approve')),
    done: 'You approved the merge request.',
  },
  {
    task: 'revert a commit',
    from: `${APPLES}/-/commit/master`,
    clicks: 3,
    run: async (page, click) => {
      await click(menu(page, 'Options'));
      await click(page.locator('.menu[open]').getByText('Revert', { exact: true }));
      await click(button(page, /^Revert/));
    },
    done: /revert/i,
  },
  {
    task: 'run a pipeline with a variable',
    from: APPLES,
    clicks: 3,
    types: true,
    run: async (page, click) => {
      await click(link(page, 'Pipelines'));
      await click(link(page, 'Run pipeline'));
      await page.locator('input[name="variables.key"], fieldset input').first().fill('LEVEL');
      await click(button(page, 'Run pipeline'));
    },
    done: /Pipeline #/,
  },
  {
    task: 'retry a job',
    from: `${APPLES}/-/pipelines/12`,
    clicks: 1,
    run: (page, click) => click(button(page, /^Retry/)),
    done: /retried|again|pending/,
  },
  {
    task: 'watch a pipeline',
    from: APPLES,
    clicks: 2,
    run: async (page, click) => {
      await click(link(page, 'Pipelines'));
      await click(page.locator('.rows .row-title').first());
    },
    done: /Pipeline #/,
  },
  {
    task: 'release a version',
    from: APPLES,
    clicks: 3,
    types: true,
    run: async (page, click) => {
      await click(link(page, 'Releases'));
      await click(link(page, 'New release'));
      await type(page, 'v9.0.0');
      await page.getByLabel('Release notes').fill('Counted.');
      await click(button(page, 'Create release'));
    },
    done: 'v9.0.0',
  },
  {
    task: 'create a snippet',
    from: '/',
    clicks: 3,
    types: true,
    run: async (page, click) => {
      await click(page.locator('summary[title="Create new"]'));
      await click(link(page, 'New snippet'));
      await type(page, 'Counted');
      await page.getByLabel('File name').fill('a.sh');
      await page.getByLabel('Content', { exact: true }).fill('echo');
      await click(button(page, 'Create snippet'));
    },
    done: 'Counted',
  },
  {
    task: 'add a member',
    from: APPLES,
    clicks: 4,
    types: true,
    run: async (page, click) => {
      await click(link(page, 'Settings'));
      await click(link(page, 'Members'));
      await click(link(page, 'Add members'));
      await type(page, 'gus');
      await page.keyboard.press('Tab');
      await click(button(page, 'Add members'));
    },
    done: 'The members were added.',
  },
];

it('an issue is opened from the page of a project by keys alone, two of Tab after its title', async () => {
  const { page, troubles } = opened;
  troubles.length = 0;
  await page.goto(APPLES);
  for (const key of ['g', 'i']) await page.keyboard.press(key);
  await page.waitForURL('**/-/issues');
  await page.keyboard.press('c');
  await page.waitForURL('**/-/issues/new');
  await type(page, 'Opened by keys');
  // The tools of the text are one stop, and arrow keys lead from one to the next.
  for (const key of ['Tab', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Bold');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Nothing was clicked.');
  await page.keyboard.press('Control+Enter');
  await page.waitForURL(/issues\/\d+$/);
  await page.locator('main').getByText('Nothing was clicked.').waitFor();
  expect(troubles).toEqual([]);
});

describe('Tasks from where one stands', () => {
  it('take three clicks at most where no text is typed, and four where it is', () => {
    expect(TASKS.filter(({ clicks, types }) => clicks > (types ? 4 : 3))).toEqual([]);
  });

  it.each(TASKS)('$task: $clicks', async ({ from, run, done, clicks }) => {
    const { page, troubles } = opened;
    troubles.length = 0;
    await page.goto(from);
    let count = 0;
    await run(page, async (what) => {
      count += 1;
      await what.click({ timeout: 60_000 });
    });
    await page.locator('main').getByText(done).first().waitFor({ timeout: 60_000 });
    expect(count).toBe(clicks);
    expect(troubles).toEqual([]);
  });
});
