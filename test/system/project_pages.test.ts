import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAsAdministrator } from '../support/administrator.ts';
import { accessibilityFaults, launchChromium, openContext } from '../support/chromium.ts';
import { isWide, keep, MOST_BYTES, weightOf } from '../support/page_faults.ts';
import { printed, type ServerProcess, startServer } from '../support/server_process.ts';

let server: ServerProcess;
let browser: Browser;

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral', '--seed']);
  browser = await launchChromium();
}, 360_000);

afterAll(async () => {
  await browser?.close();
  await server?.end('SIGTERM');
});

const signedIn = (options?: Parameters<typeof openContext>[2]) => openAsAdministrator(browser, server, options);

/** Files and addresses of clients, which are no pages. */
const NO_PAGES =
  /^\/(api|graphql|oauth|uploads|profile|users\/sign_out|-\/(docs|assets))|\/(raw|archive)(\/|$)|\.(atom|git|patch|diff|ics|csv)$|\/artifacts\/(download|raw)|\/trace/;

/** What kind of page an address is: one of each kind is visited. */
function kindOf(address: URL): string {
  const kind = address.pathname
    .replace(/^(\/groups)?(\/[\w.-]+)+?(?=\/-\/)/, '$1/PLACE')
    .replace(/\b[0-9a-f]{7,64}\b/g, 'HASH')
    .replace(/(\/(?:labels|notes))\/\w+(?=\/)/, '$1/ID')
    .replace(/\d+/g, 'N')
    .replace(/(\/artifacts\/(?:browse|file))\/.+/, '$1/PATH')
    .replace(
      /(\/-\/(?:tree|blob|blame|commits|find_file|compare|raw|line_history|edit_files|upload_files))\/.+/,
      '$1/PATH',
    );
  const isPlace = !kind.includes('/-/') && !/^\/(dashboard|explore|search|projects|groups|users)\b/.test(kind);
  const depth = kind.split('/').length;
  const shown = ['line', 'view', 'scope'].filter((name) => address.searchParams.has(name));
  return `${isPlace && kind !== '/' ? `PLACE${depth}` : kind} ${shown.join(',')}`;
}

/** The addresses of pages that the REST API hands out, of all kinds of records. */
async function handedOut(): Promise<string[]> {
  const headers = { 'PRIVATE-TOKEN': printed(server.output(), 'Private token') ?? '' };
  const get = async (path: string) => (await fetch(`${server.url}/api/v4${path}`, { headers })).json();
  const projects: { id: number }[] = await get('/projects?order_by=last_activity_at&per_page=100');
  const lists = [
    '/merge_requests?scope=all',
    '/issues?scope=all',
    '/groups',
    '/users',
    '/todos',
    '/projects?per_page=100',
  ];
  const ofProjects = projects.flatMap(({ id }) =>
    ['milestones', 'pipelines', 'snippets'].map((list) => `/projects/${id}/${list}`),
  );
  const found: { web_url?: string; target_url?: string }[][] = [];
  for (const path of [...lists, ...ofProjects]) found.push(await get(path));
  return found.flat().flatMap(({ web_url, target_url }) => [web_url, target_url].filter((url) => url !== undefined));
}

/** Visits one page of every kind that links lead to, from the start page on. */
async function crawl(page: Page, visit: (address: string) => Promise<void>): Promise<string[]> {
  const origin = new URL(server.url).origin;
  const known = new Set<string>();
  const waiting = ['/'];
  const note = (link: string) => {
    const url = new URL(link);
    if (url.origin !== origin || NO_PAGES.test(url.pathname) || known.has(kindOf(url))) return;
    known.add(kindOf(url));
    waiting.push(url.pathname + url.search);
  };
  // Those first that have something to show.
  for (const link of await handedOut()) note(link);
  const wrong: string[] = [];
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const answer = await page.goto(address);
    const status = answer?.status() ?? 0;
    if (status !== 200) {
      wrong.push(`${address}: ${status}`);
      continue;
    }
    const weight = await weightOf(page);
    if (weight > MOST_BYTES) wrong.push(`${address}: ${weight} bytes`);
    await visit(address);
    const links = await page.locator('a[href]').evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    for (const link of links) note(link);
  }
  expect(known.size).toBeGreaterThan(40);
  return wrong;
}

it('every link leads to a page, which axe finds nothing wrong with, in the light and in the dark, wide and narrow', async () => {
  const wide = await signedIn();
  const narrow = await signedIn({ width: 320, colorScheme: 'dark' });
  const faults: string[] = [];
  let pages = 0;
  const wrong = await crawl(wide.page, async (address) => {
    for (const fault of await accessibilityFaults(wide.page)) faults.push(`${address}: ${fault}`);
    await keep(wide.page, `wide ${address}`);
    await narrow.page.goto(address);
    // The same marks in other colours, which all pages share: some of them show it.
    if (pages++ % 3 === 0) {
      for (const fault of await accessibilityFaults(narrow.page)) faults.push(`${address}, dark: ${fault}`);
    }
    if (await isWide(narrow.page)) faults.push(`${address}: wider than 320 pixels`);
    await keep(narrow.page, `narrow ${address}`);
  });
  expect({ wrong, faults }).toEqual({ wrong: [], faults: [] });
  expect([...wide.troubles, ...narrow.troubles]).toEqual([]);
}, 900_000);

/** Sends something to the REST API as the administrator. */
async function post(path: string, body: object) {
  const headers = {
    'PRIVATE-TOKEN': printed(server.output(), 'Private token') ?? '',
    'Content-Type': 'application/json',
  };
  return (await fetch(`${server.url}/api/v4${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

it.each([
  { width: 1280, colorScheme: 'light' as const },
  { width: 320, colorScheme: 'dark' as const },
])(
  'quick actions and names are completed by the keyboard and by clicks, at $width pixels in $colorScheme colours',
  async (look) => {
    const name = `complete-${look.width}`;
    const { id, path_with_namespace: fullPath } = await post('/projects', { name });
    for (const title of ['needs work', 'other']) {
      await post(`/projects/${id}/labels`, { name: title, color: '#a51d2d' });
    }
    for (const title of ['A leak in the pump', 'Pump is loud']) await post(`/projects/${id}/issues`, { title });
    const { page, context, troubles } = await signedIn(look);
    await page.goto(`/${fullPath}/-/issues/1`);
    const comment = page.getByLabel('Comment', { exact: true });
    const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
    const shownAs = async (count: number) => {
      await expect.poll(() => options.count(), { timeout: 20_000 }).toBe(count);
      return options.allInnerTexts();
    };
    await comment.click();
    await page.keyboard.type('Like #pump');
    expect(await shownAs(2)).toEqual([expect.stringContaining('#2'), expect.stringContaining('#1')]);
    await page.keyboard.press('ArrowDown');
    const active = () => comment.getAttribute('aria-activedescendant');
    expect(await active()).toBe(await options.nth(1).getAttribute('id'));
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await isWide(page)).toBe(false);
    await keep(page, `completion ${look.width}`);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Tab');
    expect(await comment.inputValue()).toBe('Like #1 ');
    expect([await options.count(), await active()]).toEqual([0, null]);
    // Escape closes, and leaves the text as it is.
    await page.keyboard.type('@ro');
    await shownAs(1);
    await page.keyboard.press('Escape');
    expect(await options.count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.keyboard.type('/lab');
    expect(await shownAs(1)).toEqual(['/label ~label · Add labels']);
    await page.keyboard.press('Enter');
    await page.keyboard.type('~ne');
    await shownAs(1);
    await options.first().click();
    await page.keyboard.press('Enter');
    await page.keyboard.type('/clos');
    await shownAs(1);
    await page.keyboard.press('Enter');
    expect(await comment.inputValue()).toBe('Like #1 @ro\n/label ~"needs work" \n/close\n');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText('Closed', { exact: true }).waitFor();
    expect(await page.getByText('needs work').count()).toBeGreaterThan(0);
    expect(troubles).toEqual([]);
    await context.close();
  },
  120_000,
);

it('cards of a board are dragged to another list, with filters and without', async () => {
  const { id, path_with_namespace: fullPath } = await post('/projects', { name: 'dragged' });
  const headers = { 'PRIVATE-TOKEN': printed(server.output(), 'Private token') ?? '' };
  const get = async (path: string) => (await fetch(`${server.url}/api/v4/projects/${id}${path}`, { headers })).json();
  const [board] = await get('/boards');
  for (const name of ['Doing', 'Review']) {
    const label = await post(`/projects/${id}/labels`, { name, color: '#1a5fb4' });
    await post(`/projects/${id}/boards/${board.id}/lists`, { label_id: label.id });
  }
  await post(`/projects/${id}/issues`, { title: 'Paint the door' });
  await post(`/projects/${id}/issues`, { title: 'Oil the hinges' });
  const { page, context, troubles } = await signedIn();
  const column = (name: string) => page.locator('.board-list').filter({ has: page.getByRole('heading', { name }) });
  const card = (title: string) => page.locator('.card').filter({ hasText: title });
  const labelsOf = async (iid: number) => (await get(`/issues/${iid}`)).labels;
  await page.goto(`/${fullPath}/-/boards/${board.id}`);
  await card('Paint the door').dragTo(column('Doing'));
  await column('Doing').getByRole('link', { name: 'Paint the door', exact: true }).waitFor();
  expect([await labelsOf(1), await labelsOf(2)]).toEqual([['Doing'], []]);
  await page.getByPlaceholder('Search issues').fill('paint');
  await page.getByRole('button', { name: 'Search', exact: true }).last().click();
  await page.waitForURL('**search=paint**');
  expect(await card('Oil the hinges').count()).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  await keep(page, 'board filtered');
  await card('Paint the door').dragTo(column('Review'));
  await column('Review').getByRole('link', { name: 'Paint the door', exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('?search=paint');
  expect(await labelsOf(1)).toEqual(['Review']);
  await card('Paint the door').dragTo(column('Closed'));
  await column('Closed').getByRole('link', { name: 'Paint the door', exact: true }).waitFor();
  expect([(await get('/issues/1')).state, await labelsOf(1)]).toEqual(['closed', []]);
  expect(troubles).toEqual([]);
  await context.close();
}, 120_000);

it.each(['light', 'dark'] as const)(
  'wide tables and code in Markdown scroll on narrow screens, and keep their words whole, in %s colours',
  async (colorScheme) => {
    const { id, path_with_namespace: fullPath } = await post('/projects', { name: `narrow-${colorScheme}` });
    const words = ['Configuration', 'Responsibility', 'Infrastructure', 'Documentation'];
    const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
    const table = [row(words), row(words.map(() => '---')), row(words)].join('\n');
    const description = `${table}\n\n\`\`\`\n${'a long line of code '.repeat(10)}\n\`\`\`\n`;
    await post(`/projects/${id}/issues`, { title: 'Tables', description });
    const { page, context, troubles } = await signedIn({ width: 320, colorScheme });
    await page.goto(`/${fullPath}/-/issues/1`);
    const shown = page.locator('.description table');
    const { scrolls, heights } = await shown.evaluate((element) => ({
      scrolls: element.scrollWidth > element.clientWidth,
      heights: [...element.querySelectorAll('td, th')].map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length;
      }),
    }));
    expect({ scrolls, heights }).toEqual({ scrolls: true, heights: Array(8).fill(1) });
    expect(await isWide(page)).toBe(false);
    expect(await accessibilityFaults(page)).toEqual([]);
    await keep(page, `tables ${colorScheme}`);
    await shown.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => shown.evaluate(({ scrollLeft }) => scrollLeft), { timeout: 20_000 }).toBeGreaterThan(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(() => shown.getAttribute('tabindex'), { timeout: 20_000 }).toBeNull();
    expect(troubles).toEqual([]);
    await context.close();
  },
  60_000,
);

it('the path of a new project follows its name until somebody writes another one', async () => {
  const { page, context, troubles } = await signedIn();
  await page.goto('/projects/new');
  const [name, path] = [
    page.getByRole('textbox', { name: 'Name', exact: true }),
    page.getByRole('textbox', { name: 'Path' }),
  ];
  await name.pressSequentially('.Größe & Œuvre!');
  expect(await path.inputValue()).toBe('grosse-oeuvre');
  await path.fill('mine');
  await name.fill('Other');
  expect(await path.inputValue()).toBe('mine');
  await path.fill('');
  await name.fill('Once more');
  expect(await path.inputValue()).toBe('once-more');
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.waitForURL('**/root/once-more');
  expect(troubles).toEqual([]);
  await context.close();
}, 60_000);

it('the address of a comment far down a discussion, as programs know it, leads to the comment', async () => {
  const { id, path_with_namespace: fullPath } = await post('/projects', { name: 'far-down' });
  await post(`/projects/${id}/issues`, { title: 'Long talk' });
  const notes: { id: number }[] = [];
  for (let at = 1; at <= 60; at += 1) {
    notes.push(await post(`/projects/${id}/issues/1/notes`, { body: `Comment ${at}.` }));
  }
  const { page, context, troubles } = await signedIn();
  const last = notes.at(-1)?.id;
  await page.goto(`/${fullPath}/-/issues/1#note_${last}`);
  await page.locator(`#note_${last}:target`).waitFor();
  // What is on the page, or nowhere, leads nowhere else.
  await page.goto(`/${fullPath}/-/issues/1#note_${notes[0]?.id}`);
  await page.locator(`#note_${notes[0]?.id}:target`).waitFor();
  await page.goto('about:blank');
  await page.goto(`/${fullPath}/-/issues/1#note_999999`);
  await page.waitForURL('**/-/issues/1?note=999999#note_999999');
  expect(troubles).toEqual([]);
  const plain = await signedIn({ javaScriptEnabled: false });
  await plain.page.goto(`/${fullPath}/-/issues/1#note_${last}`);
  await plain.page.getByLabel(/^Number of a comment/).fill(String(last));
  await plain.page.getByRole('button', { name: 'Go to comment' }).click();
  await plain.page.locator(`#note_${last}:target`).waitFor();
  await plain.context.close();
  await context.close();
}, 120_000);

it('lines of a file are selected by clicks and addresses, which the permalink follows', async () => {
  const { id, path_with_namespace: fullPath } = await post('/projects', { name: 'lines', visibility: 'public' });
  const lines = Array.from({ length: 1500 }, (_, n) => `line ${n + 1}\n`).join('');
  const actions = [
    { action: 'create', file_path: 'a.txt', content: lines },
    { action: 'create', file_path: 'b.md', content: '# One\n\nTwo\n' },
  ];
  const commit = { branch: 'main', commit_message: 'Add', actions };
  const { id: sha } = await post(`/projects/${id}/repository/commits`, commit);
  const { page, context, troubles } = await openContext(browser, server.url);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const chosen = () => page.locator('.line.chosen').evaluateAll((all) => all.map(({ id: name }) => name));
  const file = `/${fullPath}/-/blob/main/a.txt`;
  await page.goto(`${file}#L5-9`);
  expect(await chosen()).toEqual(['L5', 'L6', 'L7', 'L8', 'L9']);
  await page.locator('#L3 > a').click();
  // The browser tells the page of the new address a moment after the click.
  await expect.poll(chosen, { timeout: 20_000 }).toEqual(['L3']);
  await page.locator('#L6 > a').click({ modifiers: ['Shift'] });
  expect(await chosen()).toEqual(['L3', 'L4', 'L5', 'L6']);
  expect(new URL(page.url()).hash).toBe('#L3-6');
  const permalink = `${server.url}/${fullPath}/-/blob/${sha}/a.txt#L3-6`;
  expect(await page.locator('a[data-permalink]').evaluate((link) => (link as HTMLAnchorElement).href)).toBe(permalink);
  await page.getByRole('button', { name: 'Copy permalink' }).click();
  await page.getByText('Copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(permalink);
  // In a part of the file that is shown by itself, and in a file that is rendered.
  await page.goto('about:blank');
  await page.goto(`${file}#L1400`);
  await page.locator('#L1400.chosen').waitFor();
  await page.goto(`/${fullPath}/-/blob/main/b.md#L3`);
  await page.locator('#L3.chosen').waitFor();
  expect(troubles).toEqual([]);
  await context.close();
}, 120_000);

it('formulas and diagrams of a text are drawn, and what has a mistake stays as it is written', async () => {
  const { id, path_with_namespace: fullPath } = await post('/projects', { name: 'drawn', visibility: 'public' });
  const content = [
    'A sum: $a^2$ and $\\frac{$.',
    '```math\n\\sqrt{2}\n```',
    '```mermaid\ngraph TD\n  A[Begin] --> B["<img src=x>"]\n```',
    '```mermaid\nnothing of the kind\n```',
  ].join('\n\n');
  const actions = [{ action: 'create', file_path: 'README.md', content }];
  await post(`/projects/${id}/repository/commits`, { branch: 'main', commit_message: 'Add', actions });
  const { page, context, troubles } = await openContext(browser, server.url);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`/${fullPath}/-/blob/main/README.md`);
    await page.locator('p .formula msup').waitFor();
    await page.locator('div.formula msqrt').waitFor();
    expect(await page.locator('p code.math').allTextContents()).toEqual(['\\frac{']);
    const drawn = page.frameLocator('.diagram').first();
    await drawn.locator('svg').getByText('Begin').waitFor();
    expect(await drawn.locator('svg img, svg script').count()).toBe(0);
    // The source of the diagram that has a mistake is the only one that is seen.
    await expect.poll(() => page.locator('code.language-mermaid:visible').count(), { timeout: 20_000 }).toBe(1);
    await expect.poll(() => page.locator('.diagram').count(), { timeout: 20_000 }).toBe(1);
  }
  expect(troubles).toEqual([]);
  await context.close();
}, 120_000);

it('a file is written in an editor with colours, search and indentation, and in a text area without scripts', async () => {
  const { id, path_with_namespace: fullPath } = await post('/projects', { name: 'written', visibility: 'public' });
  const actions = [{ action: 'create', file_path: 'a.js', content: 'function one() {\n}\n' }];
  await post(`/projects/${id}/repository/commits`, { branch: 'main', commit_message: 'Add', actions });
  for (const width of [1280, 390]) {
    const { page, context, troubles } = await signedIn({ width });
    await page.goto(`/${fullPath}/-/edit/main/a.js`);
    await page.getByLabel('Content').click();
    const content = page.locator('.file-editor .cm-content');
    await content.waitFor();
    expect(await isWide(page)).toBe(false);
    // A keyword has another colour than the text around it.
    const colours = await content
      .locator('.cm-line')
      .first()
      .locator('span')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).color));
    expect(new Set(colours).size).toBeGreaterThan(1);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type(`return ${width};`);
    await page.keyboard.press('Control+f');
    await page.locator('.file-editor input[name="search"]:focus').waitFor();
    await page.keyboard.type('return');
    await page.locator('.file-editor .cm-searchMatch').first().waitFor();
    await page.keyboard.press('Escape');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Commit changes' }).click();
    await page.waitForURL('**/blob/main/a.js');
    expect(await page.locator('.lines').innerText()).toContain(`return ${width};`);
    expect(troubles).toEqual([]);
    await context.close();
  }
  const raw = await (await fetch(`${server.url}/${fullPath}/-/raw/main/a.js`)).text();
  expect(raw).toBe('function one() {\n  return 390;\n  return 1280;\n}\n');
  const plain = await signedIn({ javaScriptEnabled: false });
  await plain.page.goto(`/${fullPath}/-/edit/main/a.js`);
  expect(await plain.page.getByLabel('Content').inputValue()).toBe(raw);
  await plain.context.close();
}, 180_000);
