import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerToAdministrator, openAsAdministrator } from '../support/administrator.ts';
import { launchChromium, type openContext } from '../support/chromium.ts';
import { faultsOfPages, keep } from '../support/page_faults.ts';
import { type ServerProcess, startServer } from '../support/server_process.ts';

let server: ServerProcess;
let browser: Browser;

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  browser = await launchChromium();
  await fill();
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await server?.end('SIGTERM');
});

/** What the REST API answers to the administrator. */
const api = (method: string, at: string, body?: object) => answerToAdministrator(server, method, at, body);

async function fill(): Promise<void> {
  for (const username of ['ada', 'grace', 'a-user-with-a-name-that-is-much-longer-than-usual']) {
    const names = { username, name: `Name of ${username}`, email: `${username}@example.org` };
    await api('POST', '/users', { ...names, password: 'correct horse battery', skip_confirmation: true });
  }
  const group = await api('POST', '/groups', { name: 'Makers', path: 'makers' });
  await api('POST', '/projects', { name: 'own-pages', namespace_id: group.id });
  await api('POST', '/user/runners', {
    runner_type: 'instance_type',
    description: 'Shared builder',
    tag_list: 'linux',
  });
  const redirect = 'https://client.example.org/a/callback/that/is/long/enough/to/need/a/break/in/a/narrow/window';
  await api('POST', '/applications', { name: 'Client', redirect_uri: redirect, scopes: 'api' });
}

const signedIn = (options?: Parameters<typeof openContext>[2]) => openAsAdministrator(browser, server, options);

/** All pages of one's own and of administration, by name. */
const PAGES: Record<string, string> = {
  preferences: '/profile/preferences',
  notifications: '/profile/notifications',
  project_notifications: '/profile/notifications/projects/makers/own-pages',
  sessions: '/profile/sessions',
  keys: '/profile/keys',
  data: '/profile/data',
  overview: '/admin',
  users: '/admin/users',
  user: '/admin/users/ada',
  user_new: '/admin/users/new',
  groups: '/admin/groups',
  projects: '/admin/projects',
  settings_sign_in: '/admin/settings/sign_in',
  settings_projects: '/admin/settings/projects',
  settings_limits: '/admin/settings/limits',
  providers: '/admin/sign_in_providers',
  jobs: '/admin/background_jobs',
  appearance: '/admin/appearance',
  broadcast_messages: '/admin/broadcast_messages',
  broadcast_message_new: '/admin/broadcast_messages/new',
  hooks: '/admin/hooks',
  runners: '/admin/runners',
  applications: '/admin/applications',
  storages: '/admin/storages',
  health: '/admin/health',
};

it('every page of users and administrators is there, fits wide and narrow windows, and has no fault that axe finds', async () => {
  const { page, context, troubles } = await signedIn();
  expect(await faultsOfPages(page, PAGES)).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
}, 300_000);

it('an administrator acts as a user with scripts off, sees a bar on each page, and ends it by the keyboard', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto('/admin/users/ada');
  await page.getByRole('button', { name: 'Act as this user' }).click();
  await page.waitForURL('**/');
  await page.goto('/explore');
  const end = page.getByRole('button', { name: 'End acting as ada' });
  expect(await end.isVisible()).toBe(true);
  await keep(page, 'impersonation');
  expect((await page.goto('/admin'))?.status()).toBe(404);
  await page.goto('/explore');
  // The first stop is the link that skips to the content, the second one the end.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/admin/users/ada');
  await context.close();
}, 120_000);

it('chosen colours hold against those of the system, with scripts off', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false, colorScheme: 'light' });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.goto('/profile/preferences');
  const light = await page.locator('html').getAttribute('data-theme');
  await page.getByLabel('Colours').selectOption('dark');
  await page.getByRole('button', { name: 'Save preferences' }).click();
  await page.waitForURL('**/profile/preferences');
  expect([light, await page.locator('html').getAttribute('data-theme')]).toEqual([null, 'dark']);
  await keep(page, 'chosen_dark');
  const dark = await ground();
  await page.getByLabel('Colours').selectOption('system');
  await page.getByRole('button', { name: 'Save preferences' }).click();
  await page.waitForURL('**/profile/preferences');
  expect(await ground()).not.toBe(dark);
  await context.close();
}, 120_000);
