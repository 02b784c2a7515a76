import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from './chromium.ts';
import { unsaidOn } from './unsaid.ts';

/** Where screenshots are put to be looked at; nowhere when absent. */
const SCREENSHOTS = process.env.TEST_SCREENSHOTS;

/** Bytes of a page with styles and scripts, as they are sent for the first visit. */
const MOST_BYTES = 60 * 1024;

/**
 * What is wrong with pages as a browser shows them: other answers than 200, values that are missing, what axe-core finds, pages wider than the window or too
 * heavy.
 *
 * @param pages addresses by the names that faults and screenshots have
 * @param look how the pages look, for the names of screenshots
 */
export async function faultsOfPages(page: Page, pages: Record<string, string>, look: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, address] of Object.entries(pages)) {
    const status = (await page.goto(address))?.status();
    if (status !== 200) faults.push(`${name}: ${status}`);
    for (const fault of await accessibilityFaults(page)) faults.push(`${name}: ${fault}`);
    for (const unsaid of unsaidOn(await page.content())) faults.push(`${name}: ${unsaid}`);
    const isWide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    if (isWide) faults.push(`${name}: wider than the window`);
    const sizes = await page.evaluate(() =>
      performance.getEntries().flatMap((entry) => {
        const { initiatorType, encodedBodySize } = entry as PerformanceResourceTiming;
        return ['navigation', 'link', 'script'].includes(initiatorType) ? [encodedBodySize] : [];
      }),
    );
    const weight = sizes.reduce((sum, size) => sum + size, 0);
    if (weight > MOST_BYTES) faults.push(`${name}: ${weight} bytes`);
    await keep(page, `${name}_${look}`);
  }
  return faults;
}

/** Keeps a screenshot, if they are wanted. */
export async function keep(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), fullPage: true });
}
