import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, launchChromium, openContext } from '../support/chromium.ts';
import { printed, type ServerProcess, startServer } from '../support/server-process.ts';

let server: ServerProcess;
let browser: Browser;

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  browser = await launchChromium();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await server?.end('SIGTERM');
});

/** A browser in which the administrator is signed in. */
async function signedIn(options: Parameters<typeof openContext>[2] = {}) {
  const opened = await openContext(browser, server.url, options);
  const { page } = opened;
  await page.goto('/users/sign_in');
  await page.getByLabel('Username or e-mail').fill('root');
  await page.getByLabel('Password').fill(printed(server.output(), 'Password') ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/');
  return opened;
}

const PUBLIC = ['/', '/users/sign_in'];
const OWN = ['/', '/users/sign_out'];

describe('the pages in a real browser', () => {
  it.each([
    { width: 1280, colorScheme: 'light' as const },
    { width: 320, colorScheme: 'dark' as const },
  ])('have no fault that axe finds, and fit, at $width pixels in $colorScheme colours', async (look) => {
    const stranger = await openContext(browser, server.url, look);
    const member = await signedIn(look);
    for (const [{ page, troubles }, paths] of [
      [stranger, PUBLIC],
      [member, OWN],
    ] as const) {
      for (const path of paths) {
        await page.goto(path);
        expect({ path, faults: await accessibilityFaults(page) }).toEqual({ path, faults: [] });
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        expect({ path, width }).toEqual({ path, width: look.width });
      }
      expect(troubles).toEqual([]);
    }
    await stranger.context.close();
    await member.context.close();
  });

  it('work with the keyboard alone and without scripts', async () => {
    const { context, page } = await openContext(browser, server.url, { javaScriptEnabled: false });
    await page.goto('/');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Skip to content');
    await page.goto('/users/sign_in');
    await page.keyboard.type('root');
    await page.keyboard.press('Tab');
    await page.keyboard.type(printed(server.output(), 'Password') ?? '');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/');
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.waitForURL('**/users/sign_in');
    await context.close();
  });
});

describe('the viewers', () => {
  it('GraphiQL answers as who is signed in, and asks no other host for anything', async () => {
    const { context, page, troubles } = await signedIn();
    await page.goto('/graphql');
    const editor = page.locator('.graphiql-query-editor .view-lines').first();
    await editor.click();
    await page.keyboard.press('ControlOrMeta+a');
    // The editor closes the braces by itself.
    await page.keyboard.type('{ viewer { username');
    await page.getByRole('button', { name: /execute/i }).click();
    await expect.poll(() => page.locator('.graphiql-response').innerText(), { timeout: 20_000 }).toContain('"root"');
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('the REST API can be read and tried', async () => {
    const { context, page, troubles } = await signedIn();
    await page.goto('/-/docs');
    const tag = page.locator('#operations-tag-users');
    await tag.click();
    const operation = page.locator('.opblock', { has: page.locator('[data-path="/api/v4/user"]') });
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await expect
      .poll(() => operation.locator('.live-responses-table').innerText(), { timeout: 20_000 })
      .toContain('"root"');
    expect(troubles).toEqual([]);
    await context.close();
  });
});
