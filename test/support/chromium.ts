import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** The Chromium on PATH, without a window. Fails where there is none: `.ci/run` installs it. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
}

/** A browser of its own to the server; what goes wrong in its pages is in `troubles`. */
export async function openContext(
  browser: Browser,
  baseURL: string,
  options: { width?: number; colorScheme?: 'light' | 'dark'; javaScriptEnabled?: boolean } = {},
): Promise<{ context: BrowserContext; page: Page; troubles: string[] }> {
  const { width = 1280, ...rest } = options;
  const context = await browser.newContext({ baseURL, viewport: { width, height: 800 }, ...rest });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== new URL(baseURL).origin) troubles.push(`foreign: ${request.url()}`);
  });
  return { context, page, troubles };
}

/**
 * What axe-core finds wrong on a page, also by the rules of WCAG 2.2, a line each. Parts below `without` are left out. `rules` are the only
 * ones that are asked for; all when absent.
 */
export async function accessibilityFaults(
  page: Page,
  without: readonly string[] = [],
  rules?: readonly string[],
): Promise<string[]> {
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  await page.evaluate(await (await import('node:fs/promises')).readFile(axe, 'utf8'));
  return page.evaluate(
    async ({ exclude, only }) => {
      type Result = { violations: { id: string; help: string; nodes: { html: string }[] }[] };
      const { axe } = globalThis as unknown as { axe: { run(context: object, options: object): Promise<Result> } };
      const { violations } = await axe.run(
        { include: [['html']], exclude: exclude.map((one) => [one]) },
        // What is well takes most of the time to be told. The size of targets (WCAG 2.2, 2.5.8) is not asked for by default.
        {
          resultTypes: ['violations'],
          rules: { 'target-size': { enabled: true } },
          ...(only && { runOnly: { type: 'rule', values: only } }),
        },
      );
      return violations.flatMap(({ id, help, nodes }) =>
        nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`),
      );
    },
    { exclude: [...without], only: rules },
  );
}

function findChromium(): string {
  for (const directory of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      const file = path.join(directory, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not there: look on.
      }
    }
  }
  throw new Error('No Chromium on PATH');
}
