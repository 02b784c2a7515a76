import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { STYLESHEET } from '#pages/engine/shared_assets.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

it('shows forms for new projects and groups as any page, and discussions under a heading of their own', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const issue = await world.issue(project, owner);
  const browser = await signedIn(world, owner);
  for (const address of ['/projects/new', '/groups/new']) {
    expect((await browser.get(address)).status).toBe(200);
    expect(browser.page).toContain('<body>');
  }
  await browser.get(`/${project.fullPath}/-/issues/${issue.iid}`);
  expect(browser.page).toContain('<h2 id="activity">Activity</h2>');
});

it('reads nothing in the layout that a page could name', () => {
  const layout = readFileSync(new URL('../../pages/views/layout.eta', import.meta.url), 'utf8');
  expect([...layout.matchAll(/\bit\b[.\w]*/g)].map(([read]) => read)).toEqual(['it.body']);
});

it('has every sheet in a layer, and no selector in two sheets of a layer, so that their order decides nothing', async () => {
  const sheet = await STYLESHEET.load();
  const tops = blocksOf(String(sheet));
  expect(tops.map(({ name }) => name).filter((name) => !name.startsWith('@layer '))).toEqual([]);
  const order = ['base', 'layout', 'parts', 'pages', 'third_party', 'viewers', 'last'];
  expect(String(sheet)).toMatch(`@layer ${order.join(', ')};`);
  const shared: string[] = [];
  for (const layer of order.filter((name) => name !== 'third_party')) {
    const folder = new URL(`../../pages/styles/${layer}/`, import.meta.url);
    const holders = new Map<string, string>();
    for (const file of readdirSync(folder)) {
      for (const name of namesIn(readFileSync(new URL(file, folder), 'utf8'))) {
        const other = holders.get(name);
        if (other !== undefined && other !== file) shared.push(`${name} in ${other} and ${file}`);
        holders.set(name, file);
      }
    }
  }
  expect(shared).toEqual([]);
});

it('keeps the stylesheets of viewers in a layer below the changes to them', () => {
  for (const name of ['swagger-ui', 'graphiql']) {
    const file = new URL(`../../src/generated/viewer/${name}.css.br`, import.meta.url);
    const tops = blocksOf(brotliDecompressSync(readFileSync(file)).toString());
    expect(tops.map(({ name }) => name)).toEqual(['@layer third_party']);
  }
});

/** The blocks of a stylesheet that are in no other. */
function blocksOf(css: string): { name: string; inside: string }[] {
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, '');
  const blocks: { name: string; inside: string }[] = [];
  let depth = 0;
  let from = 0;
  let quote = '';
  let name = '';
  for (let at = 0; at < plain.length; at++) {
    const sign = plain[at] ?? '';
    if (sign === '\\') at++;
    else if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === ';' && depth === 0) from = at + 1;
    else if (sign === '{' && depth++ === 0) {
      name = plain.slice(from, at).trim();
      from = at + 1;
    } else if (sign === '}' && --depth === 0) {
      blocks.push({ name, inside: plain.slice(from, at) });
      from = at + 1;
    }
  }
  return blocks;
}

/** Selectors of a sheet, those within a condition with it. */
function namesIn(css: string): string[] {
  return blocksOf(css).flatMap(({ name, inside }) => {
    if (name.startsWith('@')) return namesIn(inside).map((inner) => `${name} ${inner}`);
    return name === ':root' ? [] : name.split(/,(?![^(]*\))/).map((one) => one.trim());
  });
}
