// One part in depth, which the long run has.
// @module-tag long
import { globSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { graphqlTasks, manual } from '#pages/engine/manual.ts';
import { schema } from '#schema/index.ts';
import { packagePath, packageRoot } from '#src/platform/package_root.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const get = async (path: string) => {
  const response = await fetch(world.url + path, { headers: { Accept: 'text/html' }, redirect: 'manual' });
  return { status: response.status, page: await response.text() };
};

describe('The manual at /help', () => {
  it('has every document of docs/README.md but those for who works on Gantry, and leads nowhere that is not there', async () => {
    const pages = new Map<string, string>();
    for (const name of manual().documents.keys()) {
      const { status, page } = await get(`/help${name === '' ? '' : `/${name}`}`);
      expect([name, status]).toEqual([name, 200]);
      pages.set(`/help${name === '' ? '' : `/${name}`}`, page);
    }
    const links = [...pages].flatMap(([from, page]) =>
      [...page.matchAll(/href="(\/help[^"]*)"/g)].map(([, to = '']) => ({ from, to })),
    );
    expect(links.length).toBeGreaterThan(200);
    const dead = links.filter(({ to }) => {
      const [path = '', anchor] = to.split('#');
      return (
        !pages.has(path) || (anchor !== undefined && !pages.get(path)?.includes(`id="${decodeURIComponent(anchor)}"`))
      );
    });
    expect(dead).toEqual([]);
    const index = readFileSync(packagePath('docs/README.md'), 'utf8');
    const listed = [...index.matchAll(/^\| \[[^\]]+\]\((\w[\w/-]*)\.md\)/gm)].map(([, name = '']) =>
      name.replace(/\/README$/, ''),
    );
    const lacking = listed.filter((name) => !pages.has(`/help/${name}`));
    expect(lacking).toEqual(['architecture', 'decisions']);
    // Neither source files nor what is for contributors is linked.
    for (const [from, page] of pages)
      expect([from, /href="[^"]*\.(ts|md)(#|")/.exec(page)?.[0]]).toEqual([from, undefined]);
  });

  it.each([
    'decisions',
    'architecture',
    'README',
    '../package.json',
    '..%2fpackage.json',
    '%2e%2e/package.json',
    'constructor',
    'graphql/',
    'contract/../graphql.md',
  ])('has no %s', async (name) => {
    const { page } = await get(`/help/${name}`);
    expect(page).not.toContain('class="markdown manual"');
  });

  it('is searched: sections that have all words, those first that have them in their headings', async () => {
    const { page } = await get('/help?search=webhook%20SECRET%20token');
    expect(page).toContain('href="/help/webhooks');
    expect(page).not.toContain('/help/pipelines#');
    const first = /<strong>([^<]+)<\/strong>/.exec((await get('/help?search=scopes')).page)?.[1];
    expect(first).toBe('GraphQL');
    expect((await get('/help?search=xyzzyplugh')).page).toContain('Nothing in the manual has all of these words.');
    expect((await get(`/help?search=${encodeURIComponent('<script>alert(1)</script>')}`)).page).not.toContain(
      '<script>alert',
    );
    expect((await get('/help?search[]=a&search[]=b')).status).toBe(200);
    expect((await get(`/help?search=${'a '.repeat(3000)}`)).status).toBe(200);
  });

  it('is linked from pages that it is about, at documents and headings that are there', () => {
    const templates = globSync('pages/views/**/*.eta', { cwd: packageRoot }).map((file) =>
      readFileSync(packagePath(file), 'utf8'),
    );
    const links = templates.flatMap((text) => [...text.matchAll(/h\.manual\('([^']+)'(?:, '([^']+)')?\)/g)]);
    expect(links.length).toBeGreaterThan(5);
    for (const [, name = '', anchor] of links) {
      const page = manual().documents.get(name);
      expect(page, name).toBeDefined();
      if (anchor !== undefined) expect(page?.sections.map((one) => one.anchor)).toContain(anchor);
    }
  });

  it('gives GraphiQL its tasks, which fit the schema', async () => {
    const tasks = graphqlTasks();
    expect(tasks).toHaveLength(12);
    for (const { query } of tasks) expect(validate(schema, parse(query))).toEqual([]);
    const { page } = await get('/graphql');
    for (const { query } of tasks)
      expect(page).toContain(`href="/graphql?query=${encodeURIComponent(query).replaceAll("'", '&#39;')}"`);
  });
});

describe('The viewers', () => {
  it.each(['/-/docs', '/graphql'])(
    '%s sends its script compressed by Brotli, and as it is to those who cannot read that',
    async (path) => {
      const { page } = await get(path);
      const script = /<script nonce="[^"]+" src="(\/-\/assets\/[^"]+)"/.exec(page)?.[1] ?? '';
      const send = (encoding: string) => fetch(world.url + script, { headers: { 'Accept-Encoding': encoding } });
      const [packed, plain] = [await send('br'), await send('identity')];
      expect([packed.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['br', null]);
      const text = await plain.text();
      expect(text.length).toBeGreaterThan(500_000);
      expect(await packed.text()).toBe(text);
      const name = path === '/graphql' ? 'graphiql.js' : 'swagger-ui-bundle.js';
      expect(brotliDecompressSync(readFileSync(packagePath(`src/generated/viewer/${name}.br`))).toString()).toBe(text);
    },
  );
});
