import path from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium, openContext } from '../test/support/chromium.ts';
import { printed, startServer } from '../test/support/server_process.ts';

/**
 * Makes the pictures in docs/editors.md, of a server with sample data. Usage: node scripts/pictures.ts
 */
const root = path.resolve(import.meta.dirname, '..');

/** What a picture shows above and below an element, in pixels. */
const MARGIN = 16;

const server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral', '--seed']);
const browser = await launchChromium();
try {
  const { page } = await openContext(browser, server.url, { width: 900 });
  await page.goto('/users/sign_in');
  await page.getByLabel('Username or email').fill('root');
  await page.getByLabel('Password').fill(printed(server.output(), 'Password') ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/');
  await page.goto('/profile/personal_access_tokens');
  await page.getByLabel('Name').fill('VS Code');
  await page.getByRole('checkbox', { name: /^api / }).check();
  await picture(page, 'editors-new-token', 'form[action="/profile/personal_access_tokens"]');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByRole('status').waitFor();
  await picture(page, 'editors-token', '.done');
} finally {
  await browser.close();
  await server.end('SIGTERM');
}

/** A picture of an element of a page, as wide as its column. */
async function picture(page: Page, name: string, selector: string): Promise<void> {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`There is no ${selector}`);
  const clip = {
    x: Math.max(box.x - MARGIN, 0),
    y: Math.max(box.y - MARGIN, 0),
    width: box.width + 2 * MARGIN,
    height: box.height + 2 * MARGIN,
  };
  await page.screenshot({ path: path.join(root, `assets/${name}.png`), fullPage: true, clip });
}
