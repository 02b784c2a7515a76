import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from './chromium.ts';
import { unsaidOn } from './unsaid.ts';

/** Where screenshots are put to be looked at; nowhere when absent. */
const SCREENSHOTS = process.env.TEST_SCREENSHOTS;

/** How many bytes a page may have, with its styles and scripts as they are sent for the first visit, without images. */
export const MOST_BYTES = 60 * 1024;

interface Look {
  width: number;
  colorScheme: 'light' | 'dark';
  /** Rules of axe-core that the look has a part in; all when absent. */
  rules?: readonly string[];
}

/** A page as it is looked at: what has nothing to do with widths and colours is asked once, in the first look. */
const LOOKS: readonly Look[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark', rules: ['color-contrast'] },
  { width: 768, colorScheme: 'light', rules: [] },
  { width: 390, colorScheme: 'dark', rules: [] },
  { width: 390, colorScheme: 'light', rules: ['target-size', 'scrollable-region-focusable'] },
  { width: 320, colorScheme: 'light', rules: [] },
];

/**
 * What is wrong with pages as a browser shows them, wide and narrow, in light and dark colours: other answers than 200, values that are
 * missing, what axe-core finds, pages wider than the window or too heavy. Keeps a screenshot of each, if they are wanted.
 *
 * @param pages addresses by the names that faults and screenshots have
 */
export async function faultsOfPages(page: Page, pages: Record<string, string>): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, address] of Object.entries(pages)) {
    const status = (await page.goto(address))?.status();
    if (status !== 200) faults.push(`${name}: ${status}`);
    for (const unsaid of unsaidOn(await page.content())) faults.push(`${name}: ${unsaid}`);
    const weight = await weightOf(page);
    if (weight > MOST_BYTES) faults.push(`${name}: ${weight} bytes`);
    for (const { width, colorScheme, rules } of LOOKS) {
      const look = `${name} at ${width} pixels in ${colorScheme} colours`;
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      if (await isWide(page)) faults.push(`${look}: wider than the window`);
      if (rules?.length !== 0)
        for (const fault of await accessibilityFaults(page, [], rules)) faults.push(`${look}: ${fault}`);
      await keep(page, `${name}_${width}_${colorScheme}`);
    }
  }
  return faults;
}

/** Keeps a screenshot, if they are wanted. */
export async function keep(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const file = name.replace(/[^\w.-]+/g, '_').slice(0, 80);
  await page.screenshot({ path: path.join(SCREENSHOTS, `${file}.png`), fullPage: true });
}

/** Whether a page is wider than its window. */
export function isWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

/** Bytes of the page with its styles and scripts, as they were sent. Throws without any. */
export async function weightOf(page: Page): Promise<number> {
  const sizes = await page.evaluate(() =>
    performance.getEntries().flatMap((entry) => {
      const { initiatorType, encodedBodySize } = entry as PerformanceResourceTiming;
      return ['navigation', 'link', 'script'].includes(initiatorType) ? [encodedBodySize] : [];
    }),
  );
  if (sizes.length < 3) throw new Error(`${page.url()} has no styles and scripts`);
  return sizes.reduce((sum, size) => sum + size, 0);
}
