import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium, openContext } from '../support/chromium.ts';
import { faultsOfPages } from '../support/page_faults.ts';
import { type ServerProcess, startServer } from '../support/server_process.ts';

let server: ServerProcess;
let browser: Browser;

beforeAll(async () => {
  // As `npm run dev` starts it, which has the page of examples.
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, GANTRY_EXAMPLES: 'on' };
  server = await startServer(env, ['--ephemeral', '--seed']);
  browser = await launchChromium();
}, 360_000);

afterAll(async () => {
  await browser?.close();
  await server?.end('SIGTERM');
});

const APPLES = '/orchard/apples';

/** What a visitor sees. */
const OF_VISITORS: Record<string, string> = {
  front: '/',
  'sign-in': '/users/sign_in',
  'sign-up': '/users/sign_up',
  explore: '/explore',
  'project-of-visitors': APPLES,
};

/** What the maintainer of a project sees. */
const OF_MEMBERS: Record<string, string> = {
  start: '/',
  todos: '/dashboard/todos',
  'own-issues': '/dashboard/issues',
  search: '/search?search=apple',
  user: '/chloe',
  group: '/groups/orchard',
  project: APPLES,
  file: `${APPLES}/-/blob/master/src/grade.js`,
  blame: `${APPLES}/-/blame/master/src/grade.js`,
  commits: `${APPLES}/-/commits/master`,
  branches: `${APPLES}/-/branches`,
  tags: `${APPLES}/-/tags`,
  compare: `${APPLES}/-/compare/v1.0.0...master`,
  issues: `${APPLES}/-/issues`,
  issue: `${APPLES}/-/issues/12`,
  'new-issue': `${APPLES}/-/issues/new`,
  board: `${APPLES}/-/boards/1`,
  labels: `${APPLES}/-/labels`,
  milestones: `${APPLES}/-/milestones`,
  milestone: `${APPLES}/-/milestones/3`,
  'merge-requests': `${APPLES}/-/merge_requests`,
  'merge-request': `${APPLES}/-/merge_requests/5`,
  'merge-request-commits': `${APPLES}/-/merge_requests/5/commits`,
  changes: `${APPLES}/-/merge_requests/5/diffs`,
  'new-merge-request': `${APPLES}/-/merge_requests/new?merge_request[source_branch]=feature/bruises`,
  pipelines: `${APPLES}/-/pipelines`,
  pipeline: `${APPLES}/-/pipelines/1`,
  'new-pipeline': `${APPLES}/-/pipelines/new`,
  job: `${APPLES}/-/jobs/59`,
  environments: `${APPLES}/-/environments`,
  releases: `${APPLES}/-/releases`,
  snippets: `${APPLES}/-/snippets`,
  'project-settings': `${APPLES}/edit`,
  members: `${APPLES}/-/project_members`,
  'ci-settings': `${APPLES}/-/settings/ci_cd`,
  'own-settings': '/profile',
  'own-tokens': '/profile/personal_access_tokens',
  'new-project': '/projects/new',
  parts: '/-/examples',
};

/** What an administrator sees. */
const OF_ADMINISTRATORS: Record<string, string> = {
  administration: '/admin',
  'administration-users': '/admin/users',
  'administration-settings': '/admin/settings',
};

async function openAs(username: string | null) {
  const opened = await openContext(browser, server.url);
  if (username === null) return opened;
  await opened.page.goto('/users/sign_in');
  await opened.page.getByLabel('Username or email').fill(username);
  await opened.page.getByLabel('Password').fill('seed-password');
  await opened.page.getByRole('button', { name: 'Sign in' }).click();
  await opened.page.waitForURL('**/');
  return opened;
}

/** What is wrong with the pages as somebody sees them. */
async function faultsFor(username: string | null, pages: Record<string, string>): Promise<string[]> {
  const { page, context, troubles } = await openAs(username);
  const faults = await faultsOfPages(page, pages);
  await context.close();
  return [...faults, ...troubles];
}

it('forty kinds of page fit wide and narrow windows, and have no fault that axe finds in light or dark colours', async () => {
  const members = Object.entries(OF_MEMBERS);
  const half = Math.ceil(members.length / 2);
  // Two at a time, as of the smallest machines.
  const faults = await Promise.all([
    faultsFor('ada', Object.fromEntries(members.slice(0, half))),
    faultsFor('ada', Object.fromEntries(members.slice(half))).then(async (some) => [
      ...some,
      ...(await faultsFor(null, OF_VISITORS)),
      ...(await faultsFor('root', OF_ADMINISTRATORS)),
    ]),
  ]);
  expect(faults.flat()).toEqual([]);
}, 900_000);
