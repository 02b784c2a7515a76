// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { hasBzip2 } from '#src/git/archive.ts';
import { Browser } from '../support/browser.ts';
import type { Json } from '../support/http.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const base64 = (bytes: Uint8Array) => ({ content: Buffer.from(bytes).toString('base64'), encoding: 'base64' });

async function committed(project: ProjectRow, actions: Json[], branch = 'main', more: Json = {}) {
  const given = { branch, commit_message: 'Add <files>', actions, ...more };
  const answer = await world.api(owner).post(`/projects/${project.id}/repository/commits`, given);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id as string;
}

async function filled(visibility: 'public' | 'private', files: Record<string, string | Json>) {
  const project = await world.project({ owner, visibility });
  const actions = Object.entries(files).map(([file_path, given]) => ({
    action: 'create',
    file_path,
    ...(typeof given === 'string' ? { content: given } : given),
  }));
  const sha = await committed(project, actions);
  return { project, at: `/${project.fullPath}`, sha };
}

describe('The home page of a project', () => {
  it('shows its README, files with their last commits, and how to clone it', async () => {
    const { project, at, sha } = await filled('public', {
      'README.md': '# Hello <script>alert(1)</script>\n\n[guide](docs/guide.md) ![logo](logo.png)\n',
      'docs/guide.md': 'See [home](../README.md).',
      'a&b.txt': 'x',
    });
    await world.api(owner).post(`/projects/${project.id}/repository/branches`, { branch: 'topic/one', ref: 'main' });
    const browser = await signedIn(world, owner);
    await browser.get(at);
    expect(browser.answer.status).toBe(200);
    expect(browser.page).toContain(`href="${world.url}${at}/-/blob/main/docs/guide.md"`);
    expect(browser.page).toContain(`src="${world.url}${at}/-/raw/main/logo.png"`);
    expect(browser.page).not.toContain('<script>alert');
    expect(browser.page).toContain(`href="${at}/-/blob/main/a%26b.txt">a&amp;b.txt</a>`);
    expect(browser.page).toContain(`href="${at}/-/commit/${sha}">Add &lt;files&gt;</a>`);
    expect(browser.page).toContain(`value="${world.url}${at}.git"`);
    expect(browser.page).toContain('2 branches');
    const stranger = new Browser(world.send);
    await stranger.get(at);
    expect(stranger.answer.status).toBe(200);
    expect(stranger.page).toContain('a&amp;b.txt');
    expect(stranger.page).toContain(`href="${at}/-/commit/${sha}">Add &lt;files&gt;</a>`);
    await stranger.get(`${at}/-/blob/main/docs/guide.md`);
    expect(stranger.page).toContain(`href="${world.url}${at}/-/blob/main/README.md"`);
  });

  it('is starred and unstarred by a form', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const browser = await signedIn(world, await world.user());
    await browser.get(`/${project.fullPath}`);
    expect((await browser.submit(`/${project.fullPath}/-/star`)).headers.location).toBe(`/${project.fullPath}`);
    await browser.follow();
    expect(browser.page).toMatch(/Unstar <span class="count">1</);
    await browser.submit(`/${project.fullPath}/-/unstar`);
    await browser.follow();
    expect(browser.page).toMatch(/Star <span class="count">0</);
  });

  it('says how to begin where nothing was pushed, to those who can push, and hides what is private', async () => {
    const project = await world.project({ owner });
    const browser = await signedIn(world, owner);
    await browser.get(`/${project.fullPath}`);
    expect(browser.page).toContain(`git remote add origin ${world.url}/${project.fullPath}.git\ngit add .\n`);
    const guest = await world.user();
    await world.member(project, guest, 'guest');
    const looking = await signedIn(world, guest);
    await looking.get(`/${project.fullPath}`);
    expect(looking.answer.status).toBe(200);
    expect(looking.page).not.toContain('git remote add');
    expect((await new Browser(world.send).get(`/${project.fullPath}`)).status).toBe(404);
    expect((await (await signedIn(world, await world.user())).get(`/${project.fullPath}`)).status).toBe(404);
  });

  it('takes as many statements for many files and commits as for few', async () => {
    const { project, at } = await filled('public', { 'a.txt': 'a' });
    const browser = await signedIn(world, owner);
    await browser.get(at);
    const few = (await world.statements(() => browser.get(at))).length;
    for (const name of ['b', 'c', 'd'])
      await committed(project, [{ action: 'create', file_path: `${name}.txt`, content: name }]);
    await browser.get(at);
    expect(await world.statements(() => browser.get(at))).toHaveLength(few);
    expect(browser.page).toContain('d.txt');
  });
});

describe('Files', () => {
  it('are found at the longest branch, and each kind of place leads to its own page', async () => {
    const { project, at } = await filled('public', { 'dir/x.ts': 'const a: string = "<b>";\n' });
    await world.api(owner).post(`/projects/${project.id}/repository/branches`, { branch: 'topic/dir', ref: 'main' });
    const browser = new Browser(world.send);
    await browser.get(`${at}/-/blob/topic/dir/dir/x.ts`);
    expect(browser.answer.status).toBe(200);
    expect(browser.page).toContain('&quot;&lt;b&gt;&quot;');
    expect(browser.page).toContain('hljs-keyword');
    expect(browser.page).toMatch(/id="L1"><a href="#L1">1<\/a>/);
    expect((await browser.get(`${at}/-/blob/topic/dir/dir`)).headers.location).toBe(`${at}/-/tree/topic/dir/dir`);
    expect((await browser.get(`${at}/-/tree/main/dir/x.ts`)).headers.location).toBe(`${at}/-/blob/main/dir/x.ts`);
    expect((await browser.get(`${at}/-/switch?ref=topic%2Fdir&path=dir%2Fx.ts`)).headers.location).toBe(
      `${at}/-/blob/topic/dir/dir/x.ts`,
    );
    expect((await browser.get(`${at}/tree/main/dir`)).headers.location).toBe(`${at}/-/tree/main/dir`);
    await browser.get(`${at}/-/tree/main/dir`);
    expect(browser.page).toContain(`${at}/-/blob/main/dir/x.ts`);
    expect((await browser.get(`${at}/-/tree/none`)).status).toBe(404);
    expect((await browser.get(`${at}/-/blob/main/none`)).status).toBe(404);
  });

  it('are shown by parts if they are long, as tables, pictures or rendered, and binary ones are told', async () => {
    const long = Array.from({ length: 2500 }, (_, n) => `line ${n + 1}`).join('\n');
    const { at } = await filled('public', {
      'long.txt': long,
      'values.csv': 'name,note\n"a, b","<i>"\n',
      'page.md': '# Title\n\n<img src=x onerror=alert(1)>',
      'image.png': base64(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0])),
      'data.bin': base64(new Uint8Array([1, 0, 2])),
      'kept.bin': `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 2048\n`,
    });
    const browser = new Browser(world.send);
    const show = async (path: string) => {
      await browser.get(`${at}/-/blob/main/${path}`);
      expect(browser.answer.status).toBe(200);
      return browser.page;
    };
    const first = await show('long.txt');
    expect(first).toContain('>line 1000\n');
    expect(first).not.toContain('>line 1001\n');
    expect(first).toContain('long.txt?from=1001"');
    expect(await show('long.txt?from=1001')).toContain('id="L1001"');
    expect(await show('values.csv')).toContain('<td>a, b</td><td>&lt;i&gt;</td>');
    expect(await show('values.csv?plain=1')).toContain('id="L2"');
    const rendered = await show('page.md');
    expect(rendered).toMatch(/<h1[^>]*>Title<\/h1>/);
    expect(rendered).not.toContain('onerror');
    expect(await show('page.md?plain=1')).toContain('# Title');
    expect(await show('image.png')).toContain(`<img src="${at}/-/raw/main/image.png"`);
    expect(await show('data.bin')).toContain('binary or too large');
    expect(await show('kept.bin')).toMatch(/2 KB[\s\S]*Git LFS/);
  });

  it('are sent as they are, never as pages of this server, to those who may read them', async () => {
    const html = '<script>alert(document.cookie)</script>';
    const { at } = await filled('private', {
      'evil.html': html,
      'evil.svg': `<svg xmlns="x">${html}</svg>`,
      'a.png': 'p',
    });
    const browser = await signedIn(world, owner);
    const { status, headers, body } = await browser.get(`${at}/-/raw/main/evil.html`);
    expect({ status, body }).toEqual({ status: 200, body: html });
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'cache-control': 'max-age=0, private, must-revalidate',
    });
    const svg = (await browser.get(`${at}/-/raw/main/evil.svg`)).headers;
    expect(svg).toMatchObject({ 'content-type': 'image/svg+xml', 'content-security-policy': 'sandbox' });
    expect(svg['content-disposition']).toMatch(/^attachment/);
    expect((await browser.get(`${at}/-/raw/main/a.png`)).headers['content-disposition']).toMatch(/^inline/);
    const stranger = await signedIn(world, await world.user());
    for (const path of [
      'raw/main/evil.html',
      'blob/main/evil.html',
      'tree/main',
      'archive/main/x.zip',
      'blame/main/evil.html',
      'find_file/main',
      'archive/main.tar.gz',
      'archive/main/x.tar.gz',
    ]) {
      expect([path, (await stranger.get(`${at}/-/${path}`)).status]).toEqual([path, 404]);
    }
    expect((await stranger.get(`${at}/repository/archive.tar.gz?ref=main`)).status).toBe(404);
  });

  it('are archived, and found by words in their paths', async () => {
    const { at } = await filled('public', { 'src/One.ts': '1', 'src/two.ts': '2', 'other/one.md': '3' });
    const browser = new Browser(world.send);
    const { status, headers } = await browser.get(`${at}/-/archive/main/x.tar.gz`);
    expect(status).toBe(200);
    expect(headers['content-disposition']).toMatch(/^attachment.*-main-.*\.tar\.gz/);
    expect((await browser.get(`${at}/-/archive/main/x.tar.bz2`)).status).toBe((await hasBzip2()) ? 200 : 400);
    expect((await browser.get(`${at}/-/archive/main/x.exe`)).status).toBe(404);
    const name = at.split('/').at(-1) ?? '';
    const called = async (path: string) => {
      const answer = await browser.get(`${at}/${path}`);
      return [answer.status, /filename="([^"]+)"/.exec(String(answer.headers['content-disposition']))?.[1]];
    };
    const hash = expect.stringMatching(new RegExp(`^${name}-main-[0-9a-f]{40}\\.tar\\.gz$`));
    expect(await called(`-/archive/main/${name}-main.tar.gz`)).toEqual([200, `${name}-main.tar.gz`]);
    expect(await called('-/archive/main.tar.gz')).toEqual([200, hash]);
    expect(await called('repository/archive.tar.gz?ref=main')).toEqual([200, hash]);
    expect(await called('repository/archive.tar.gz')).toEqual([200, hash]);
    expect(await called('-/archive/gone.tar.gz')).toEqual([404, undefined]);
    expect(await called('repository/archive.tar.gz?ref=gone')).toEqual([404, undefined]);
    await browser.get(`${at}/-/find_file/main?search=src+one`);
    expect(browser.page).toContain('src/One.ts');
    expect(browser.page).not.toContain('src/two.ts');
    expect(browser.page).not.toContain('other/one.md');
  });

  it('have the commits of their lines, for visitors of a public project, too', async () => {
    const { project, at, sha } = await filled('public', { 'a.txt': 'one\ntwo\n' });
    const later = await committed(
      project,
      [{ action: 'update', file_path: 'a.txt', content: 'one\nTWO\nthree\n' }],
      'main',
      {
        commit_message: 'Shout',
      },
    );
    const browser = await signedIn(world, await world.user());
    await browser.get(`${at}/-/blame/main/a.txt`);
    expect(browser.answer.status).toBe(200);
    const commits = [...browser.page.matchAll(/\/-\/commit\/([0-9a-f]{40})[\s\S]*?id="L(\d+)"/g)].map(
      ([, oid, line]) => [oid, line],
    );
    expect(commits).toEqual([
      [sha, '1'],
      [later, '2'],
    ]);
    expect(browser.page).toContain('id="L3"');
    const visitor = new Browser(world.send);
    await visitor.get(`${at}/-/blame/main/a.txt`);
    expect(visitor.page).toContain(`/-/commit/${later}`);
  });

  it('have lines to which blame and the search for code lead, also far below and in files that are rendered', async () => {
    const word = world.unique('needle');
    const long = Array.from({ length: 1500 }, (_, n) => (n === 1399 ? `line ${n + 1} ${word}` : `line ${n + 1}`)).join(
      '\n',
    );
    const { project, at, sha } = await filled('public', { 'long #1.txt': long, 'page.md': `# Title\n\n${word}\n` });
    const browser = await signedIn(world, await world.user());
    await browser.get(`/search?search=${word}&scope=code&project_id=${project.id}`);
    const found = [...browser.page.matchAll(/<h2>.*?href="([^"]*\/-\/blob\/[^"]*)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    );
    expect(found).toHaveLength(2);
    for (const address of found) {
      const [, line = ''] = /#L(\d+)$/.exec(address) ?? [];
      await browser.get(address.replace(/#.*/, ''));
      expect([address, browser.page.includes(`id="L${line}"`)]).toEqual([address, true]);
      expect(browser.page).toContain(`data-permalink href="${at}/-/blob/${sha}/`);
    }
    await browser.get(`${at}/-/blame/main/long%20%231.txt?from=1001`);
    expect(browser.page).toContain(
      `id="L1001"><a href="${at}/-/blob/main/long%20%231.txt?plain=1&amp;from=1001#L1001">1001</a>`,
    );
    await browser.get(`${at}/-/blob/main/long%20%231.txt?plain=1&from=1001`);
    expect(browser.page).toContain('id="L1001"');
    expect(browser.page).not.toContain('Preview</a>');
    await browser.get(`${at}/-/blob/main/page.md`);
    expect(browser.page).toContain('data-lines href=');
  });
});
