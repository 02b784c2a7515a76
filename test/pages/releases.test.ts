// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { alertsOn, Browser } from '../support/browser.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { signedIn } from '../support/oauth.ts';

const { world, owner, developer, reporter, guest, filled, committed } = await startCommittingWorld();

async function tagged(names: string[], visibility = 'private') {
  const made = await filled([{ action: 'create', file_path: 'a.txt', content: 'one\n' }], { visibility });
  for (const tag_name of names) {
    const { status } = await world.api(owner).post(`${made.at}/tags`, { tag_name, ref: 'master' });
    expect(status).toBe(201);
  }
  const noted = async (tag: string, description = `Notes of ${tag}`) => {
    const { status } = await world
      .api(owner)
      .post(`${made.at}/tags/${encodeURIComponent(tag)}/release`, { description });
    expect(status).toBe(201);
  };
  return { ...made, base: `/${made.project.fullPath}/-/releases`, noted };
}

it('lists releases, the newest first, with their notes rendered, to everyone who can read the files', async () => {
  const { project, base, noted } = await tagged(['v1', 'v2', 'v10', 'plain'], 'public');
  await noted('v10', '## Old\n\n**bold** <script>alert(1)</script> <img src=x onerror=alert(2)>');
  await noted('v1');
  await noted('v2');
  const visitor = new Browser(world.send);
  await visitor.get(base);
  expect(visitor.answer.status).toBe(200);
  const names = [...visitor.page.matchAll(/<h2><a href="[^"]*">([^<]*)</g)].map(([, name]) => name);
  expect(names).toEqual(['v2', 'v1', 'v10']);
  expect(visitor.page).toContain('<strong>bold</strong>');
  expect(visitor.page).not.toMatch(/<script>alert|onerror/);
  expect(visitor.page).not.toContain('New release');
  expect(visitor.page).not.toMatch(/releases\/[^"]*\/(edit|delete)"/);
  expect(visitor.page).toContain(`href="/${project.fullPath}/-/archive/v2/`);
  await visitor.get(`${base}/v10`);
  expect(visitor.page).toContain('<strong>bold</strong>');
  expect(visitor.page).not.toContain('Notes of v1');
  expect((await visitor.get(`${base}/plain`)).status).toBe(404);
  expect((await visitor.get(`${base}/none`)).status).toBe(404);
  expect((await visitor.get(`/${project.fullPath}/releases/v1`)).headers.location).toBe(`${base}/v1`);
  await visitor.get(`/${project.fullPath}/-/tags`);
  expect(visitor.page).toContain(`href="${base}/v10"`);
  expect(visitor.page).not.toContain(`href="${base}/plain"`);
});

it('writes, changes and deletes notes by forms, for tags with odd names, too', async () => {
  const name = 'rel/1.0-ä&b';
  const { base } = await tagged([name, 'other']);
  const one = `${base}/rel/1.0-%C3%A4%26b`;
  const browser = await signedIn(world, developer);
  await browser.get(base);
  expect(browser.page).toContain('There are no releases yet');
  await browser.get(`${base}/new?tag_name=${encodeURIComponent(name)}`);
  expect(browser.page).toContain('value="rel/1.0-ä&amp;b"');
  await browser.submit(base, { tag: 'none', description: 'Kept <b>' });
  expect(browser.answer.status).toBe(422);
  expect(browser.page).toContain('Kept &lt;b&gt;');
  expect(alertsOn(browser.page)).toEqual(['Tag does not exist']);
  await browser.submit(base, { tag: name, description: '# First' });
  expect(browser.answer.headers.location).toBe(one);
  await browser.follow();
  expect(browser.page).toMatch(/<h1[^>]*>First<\/h1>/);
  await browser.get(`${base}/new`);
  expect(browser.page).not.toContain('<option value="rel/');
  await browser.submit(base, { tag: name, description: 'Again' });
  expect(alertsOn(browser.page)).toEqual(['Release already exists']);
  expect(browser.page).toContain('id="tag-problem"');
  await browser.get(`${one}/edit`);
  expect(browser.page).toContain('# First</textarea>');
  await browser.submit(`${one}/edit`, { description: 'x'.repeat(1_000_001) });
  expect(browser.page).toContain('id="description-problem"');
  await browser.submit(`${one}/edit`, { description: 'Second' });
  expect(browser.answer.headers.location).toBe(one);
  await browser.get(`${one}/delete`);
  expect(browser.page).toContain('Delete release rel/1.0-ä&amp;b?');
  await browser.confirm(`${one}/delete`);
  expect(browser.answer.headers.location).toBe(base);
  await browser.follow();
  expect(browser.page).toContain('There are no releases yet');
  expect((await browser.get(one)).status).toBe(404);
  await browser.get(base.replace(/releases$/, 'tags'));
  expect(browser.page).toContain('rel/1.0-ä&amp;b</a>');
});

it('offers and takes changes of developers only, and shows private ones to no strangers, and to guests without files', async () => {
  const { base, noted } = await tagged(['v1', 'v2']);
  await noted('v1', 'Secret notes');
  for (const who of [reporter, guest, await world.user()]) {
    const browser = await signedIn(world, who);
    await browser.get(base);
    expect(browser.page.includes('Secret notes')).toBe(who === reporter || who === guest);
    expect(browser.page.includes('/archive/')).toBe(who === reporter);
    for (const page of ['new', 'v1/edit', 'v1/delete']) {
      expect([403, 404]).toContain((await browser.get(`${base}/${page}`)).status);
    }
    await browser.get('/');
    expect([403, 404]).toContain((await browser.submit(base, { tag: 'v2', description: 'x' })).status);
    expect([403, 404]).toContain((await browser.submit(`${base}/v1/edit`, { description: 'x' })).status);
    expect([403, 404]).toContain((await browser.confirm(`${base}/v1/delete`)).status);
  }
  expect((await new Browser(world.send).get(base)).status).toBe(404);
  const browser = await signedIn(world, owner);
  await browser.get(base);
  expect(browser.page).toContain('Secret notes');
  expect(browser.page).not.toContain(`${base}/v2"`);
});

it('takes as many statements for many releases as for few, and leads from page to page', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `v${at}`);
  const { at, base, noted } = await tagged(names);
  await noted('v0');
  const browser = await signedIn(world, owner);
  await browser.get(base);
  const few = (await world.statements(() => browser.get(base))).length;
  for (const name of names.slice(1)) {
    await committed(at, [{ action: 'create', file_path: `${name}.txt`, content: name }]);
    await noted(name);
  }
  await browser.get(base);
  expect(await world.statements(() => browser.get(base))).toHaveLength(few);
  expect(browser.page.match(/class="release"/g)).toHaveLength(10);
  const next = /rel="next" href="([^"]*)"/.exec(browser.page)?.[1] ?? '';
  await browser.get(next.replaceAll('&amp;', '&'));
  const rest = [...browser.page.matchAll(/<h2><a href="[^"]*">([^<]*)</g)].map(([, name]) => name);
  expect(rest).toEqual(['v1', 'v0']);
});

it('shows what belongs to a release: name, author, milestones, links and archives', async () => {
  const { project, base } = await tagged(['v1'], 'public');
  await world.milestone(project, owner, { title: 'First <one>' });
  const links = [
    { name: 'App <b>', url: 'https://example.org/app', filepath: '/app', link_type: 'package' },
    { name: 'Manual', url: 'https://example.org/manual' },
  ];
  const given = { tag_name: 'v1', name: 'One & only', milestones: ['First <one>'], assets: { links } };
  await world
    .api(developer)
    .post(`/projects/${project.id}/releases`, { ...given, released_at: '2090-01-01T00:00:00Z' });
  const browser = await signedIn(world, reporter);
  for (const page of [base, `${base}/v1`]) {
    await browser.get(page);
    for (const text of [
      'One &amp; only',
      'First &lt;one&gt;',
      'App &lt;b&gt;',
      'Manual',
      'will be released',
      '0 of 0 issues',
    ]) {
      expect(browser.page).toContain(text);
    }
    expect(browser.page).toContain(`href="/${developer.username}"`);
    expect(browser.page).toContain(`${base}/v1/downloads/app"`);
    expect(browser.page).toContain('href="https://example.org/manual"');
    expect(browser.page).toContain(
      `href="/${project.fullPath}/-/archive/v1/${project.fullPath.split('/').at(-1)}-v1.tar.bz2"`,
    );
  }
  const visitor = new Browser(world.send);
  await visitor.get(base);
  expect(visitor.page).toContain('One &amp; only');
  expect(visitor.page).toContain('First &lt;one&gt;');
  await visitor.get(`${base}/v1/downloads/app`);
  expect(visitor.answer.headers.location).toBe('https://example.org/app');
});

it('creates the tag of a new release, and names it', async () => {
  const { base } = await tagged(['v1']);
  const browser = await signedIn(world, developer);
  await browser.get(`${base}/new`);
  await browser.submit(base, { tag: 'v2', ref: 'master', name: 'Second', description: 'notes' });
  expect(browser.answer.headers.location).toBe(`${base}/v2`);
  await browser.follow();
  expect(browser.page).toContain('<h1>Second</h1>');
  await browser.get(`${base}/v2/edit`);
  await browser.submit(`${base}/v2/edit`, { name: '', description: 'notes' });
  await browser.follow();
  expect(browser.page).toContain('<h1>v2</h1>');
});
