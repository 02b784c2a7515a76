import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'graphql';
import { beforeAll, expect, it } from 'vitest';
import { packagePath, packageRoot } from '#src/platform/package_root.ts';
import { anchorsOf, documents, linksOf } from '../support/documentation.ts';

/* The site that `npm run docs` builds, as a server of files would serve it. */
const dist = packagePath('docs/.site/dist');
const read = (page: string) => readFileSync(path.join(dist, page), 'utf8');
let pages: string[];

beforeAll(async () => {
  await promisify(execFile)('npm', ['run', 'docs'], { cwd: packageRoot, maxBuffer: 64 * 1024 * 1024 });
  pages = globSync('**/*.html', { cwd: dist });
}, 1_200_000);

it('has a page of each document, with its headings', () => {
  for (const file of documents.filter((name) => name.startsWith('docs/') && name !== 'docs/README.md')) {
    const ids = idsOf(file.replace(/^docs\//, '').replace(/\.md$/, '.html'));
    expect(
      [...anchorsOf(file)].filter((anchor) => !ids.has(anchor)),
      file,
    ).toEqual([]);
  }
});

it('begins with the documents by kind of reader, in the page and beside it', () => {
  const home = read('index.html');
  const wanted = linksOf('docs/README.md').filter((link) => /^[a-z-]+\.md$/.test(link));
  expect(wanted.length).toBeGreaterThan(20);
  for (const link of wanted) {
    const address = new RegExp(`href="(?:\\./|/)?${link.replace('.md', '')}(?:\\.html)?"`, 'g');
    expect(home.match(address)?.length ?? 0, link).toBeGreaterThan(1);
  }
});

it('has no link that leads nowhere', () => {
  const broken: string[] = [];
  let count = 0;
  for (const page of pages) {
    for (const [, address = ''] of withoutScripts(read(page)).matchAll(/ (?:href|src)="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(address)) continue;
      count += 1;
      const [place = '', anchor = ''] = address.replaceAll('&amp;', '&').split('#');
      const target = place === '' ? page : fileOf(place, page);
      const isThere = existsSync(path.join(dist, target));
      if (!isThere || (anchor !== '' && !idsOf(target).has(decodeURIComponent(anchor))))
        broken.push(`${page}: ${address}`);
    }
  }
  expect(count).toBeGreaterThan(1000);
  expect(broken).toEqual([]);
});

it('is searched for words of the documents and of the reference', async () => {
  const [file = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: dist });
  const { default: text } = await import(pathToFileURL(path.join(dist, file)).href);
  const { default: MiniSearch } = await import(
    createRequire(packagePath('docs/.site/package.json'))
      .resolve('minisearch')
      .replace(/cjs\/index\.cjs$/, 'es/index.js')
  );
  const options = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] };
  const index = MiniSearch.loadJSON(text, options);
  const found = (words: string) => index.search(words).map(({ id }: { id: string }) => id.replace(/^\//, ''));
  expect(found('oversleeping')).toEqual([]);
  expect(found('startGantry')).toContain('testing-clients.html#from-javascript');
  expect(found('transferGroup')).toContain('graphql/mutations.html#transfergroup');
});

it('describes every query and mutation of GraphQL, and every type', () => {
  const ids = new Map(globSync('graphql/*.html', { cwd: dist }).map((page) => [page, idsOf(page)]));
  const all = new Set([...ids.values()].flatMap((some) => [...some]));
  for (const definition of parse(readFileSync(packagePath('schema/schema.graphql'), 'utf8')).definitions) {
    if (!('name' in definition) || definition.name === undefined) continue;
    const { value } = definition.name;
    const page = { Query: 'queries', Mutation: 'mutations', Subscription: 'subscriptions' }[value];
    if (page === undefined) {
      if (definition.kind !== 'DirectiveDefinition') expect(all, value).toContain(value.toLowerCase());
    } else if ('fields' in definition) {
      for (const { name } of definition.fields ?? [])
        expect(ids.get(`graphql/${page}.html`), name.value).toContain(name.value.toLowerCase());
    }
  }
  expect(read('graphql/mutations.html')).toContain('payloads.html#createissuepayload"');
});

it('has the reader of the REST API, with the description that servers give', () => {
  expect(read('index.html')).toContain('href="/rest/index.html"');
  expect(read('rest/openapi.json')).toBe(readFileSync(packagePath('rest/openapi.json'), 'utf8'));
  expect(read('rest/index.html')).toContain("url: 'openapi.json'");
  for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
    expect(existsSync(path.join(dist, 'rest', file))).toBe(true);
});

/** The path in dist/ that an address of a page leads to. */
function fileOf(address: string, page: string): string {
  const { pathname } = new URL(address, `http://site/${page}`);
  return decodeURIComponent(pathname)
    .replace(/^\//, '')
    .replace(/(^|\/)$/, '$1index.html');
}

const known = new Map<string, Set<string>>();

function idsOf(page: string): Set<string> {
  const ids = known.get(page) ?? new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
  known.set(page, ids);
  return ids;
}

function withoutScripts(html: string): string {
  return html.replaceAll(/<script\b.*?<\/script>/gs, (script) => /^<script[^>]*>/.exec(script)?.[0] ?? '');
}
