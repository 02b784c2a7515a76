import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { alertsOn, Browser, noticeOn } from '../support/browser.ts';
import { clone, run } from '../support/git_client.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const [owner, developer, reporter] = [await world.user(), await world.user(), await world.user()];
const [guest, stranger] = [await world.user(), await world.user()];

type Visibility = 'private' | 'internal' | 'public';

/** A place with a wiki: where its pages and its API are. */
async function place(kind: 'project' | 'group', visibility: Visibility = 'private') {
  const group = await world.group({ owner, visibility });
  const project = await world.project({ owner, namespaceId: group.id, visibility });
  const roles = [
    [developer, 30],
    [reporter, 20],
    [guest, 10],
  ] as const;
  const [api, base, id] =
    kind === 'project'
      ? ([`/projects/${project.id}`, `/${project.fullPath}/-/wikis`, project.fullPath] as const)
      : ([`/groups/${group.id}`, `/groups/${group.fullPath}/-/wikis`, group.fullPath] as const);
  for (const [user, level] of roles) {
    await world.api(owner).post(`${api}/members`, { user_id: user.id, access_level: level });
  }
  return { group, project, api, base, fullPath: id };
}

describe.each(['project', 'group'] as const)('The wiki of a %s', (kind) => {
  it('begins with a first page, which is read, edited, renamed and deleted', LONG, async () => {
    const { base } = await place(kind);
    const browser = await signedIn(world, developer);
    await browser.get(base);
    expect(browser.page).toContain('The wiki has no pages yet');
    expect(browser.page).toContain(`href="${base}/new?title=home"`);
    expect(browser.page).toContain('.wiki.git"');
    await browser.get(`${base}/new?title=home`);
    expect(browser.page).toContain('value="home"');
    await browser.submit(base, { title: '', content: 'Kept', format: 'markdown', message: '' });
    expect([browser.answer.status, alertsOn(browser.page)]).toEqual([422, ['Title can&#39;t be blank']]);
    expect(browser.page).toContain('>Kept</textarea>');
    await browser.submit(base, {
      title: 'home',
      content: '# Hello\r\n\r\n[[guides/First steps]] [raw](guides/First-steps.md)\r\n\r\n## More\r\n',
      format: 'markdown',
      message: '',
    });
    expect(browser.answer.headers.location).toBe(`${base}/home`);
    await browser.follow();
    expect(noticeOn(browser.page)).toBe('The page was created.');
    const link = `${base}/guides/First-steps"`;
    expect(browser.page.split(link)).toHaveLength(3);
    expect(browser.page).toContain('href="#user-content-more"');
    await browser.get(base);
    expect(browser.answer.headers.location).toBe(`${base}/home`);

    await browser.get(`${base}/new`);
    await browser.submit(base, {
      title: 'guides/First steps',
      content: '[up](../home)',
      format: 'markdown',
      message: '',
    });
    await browser.follow();
    expect(browser.page).toContain(`${base}/home">up</a>`);
    const edit = `${base}/guides/First-steps/edit`;
    await browser.get(edit);
    const [, version = ''] = /name="version" value="([0-9a-f]{40})"/.exec(browser.page) ?? [];
    const before = { titleBefore: 'guides/First steps', format: 'markdown', message: '', version };
    await browser.submit(edit, { ...before, title: 'guides/First steps', content: 'Changed' });
    expect(browser.answer.headers.location).toBe(`${base}/guides/First-steps`);
    await browser.get(edit);
    await browser.submit(edit, { ...before, title: 'guides/First steps', content: 'Overwritten' });
    expect(browser.answer.status).toBe(422);
    expect(alertsOn(browser.page)[0]).toContain('has been changed by someone else');
    await browser.get(edit);
    const [, now = ''] = /name="version" value="([0-9a-f]{40})"/.exec(browser.page) ?? [];
    await browser.submit(edit, { ...before, version: now, title: 'Start', content: 'Changed' });
    expect(browser.answer.headers.location).toBe(`${base}/Start`);

    await browser.get(`${base}/guides/First-steps`);
    expect(browser.answer.headers.location).toBe(`${base}/Start`);
    await browser.get(`${base}/pages`);
    expect(browser.page).toContain(`href="${base}/Start"`);
    await browser.get(`${base}/Start`);
    await browser.confirm(`${base}/Start/delete`, { named: 'Start' });
    expect(browser.answer.headers.location).toBe(base);
    await browser.get(`${base}/Start`);
    expect(browser.answer.status).toBe(404);
  });

  it('has the history of a page through its renames, its versions, and what differs between two', LONG, async () => {
    const { base, api } = await place(kind);
    const mine = world.api(developer);
    const text = (...lines: string[]) => ['one', 'two', 'three', 'four', 'five', ...lines].join('\n');
    await mine.post(`${api}/wikis`, { title: 'Old', content: text('first words') });
    await mine.put(`${api}/wikis/Old`, { content: text('second words') });
    await mine.put(`${api}/wikis/Old`, { title: 'New' });
    await mine.put(`${api}/wikis/New`, { content: text('fourth words') });
    await mine.post(`${api}/wikis`, { title: 'Other', content: 'decoy' });
    const browser = await signedIn(world, guest);
    await browser.get(`${base}/Old/history`);
    expect(browser.answer.headers.location).toBe(`${base}/New/history`);
    await browser.follow();
    const shas = [...browser.page.matchAll(/name="from" value="([0-9a-f]{40})"/g)].map(([, sha]) => sha);
    expect(shas).toHaveLength(4);
    expect(browser.page).toContain('named Old');
    await browser.get(`${base}/New?version=${shas[3]}`);
    expect(browser.page).toContain('first words');
    expect(browser.page).toContain('earlier version');
    await browser.get(`${base}/New/compare?from=${shas[3]}&to=${shas[0]}`);
    const shown = browser.page.replace(/<[^>]*>/g, '');
    expect(shown).toContain('first words');
    expect(shown).toContain('fourth words');
    expect(shown).not.toContain('decoy');
    await browser.get(`${base}/New/compare?to=${shas[2]}`);
    expect(browser.page.replace(/<[^>]*>/g, '')).toContain('second words');
    await browser.get(`${base}/New/compare?to=${'0'.repeat(40)}`);
    expect(browser.answer.status).toBe(404);
  });

  it('shows its sidebar beside all pages, and files that are attached to it', LONG, async () => {
    const { base, api, fullPath } = await place(kind);
    const browser = await signedIn(world, developer);
    await browser.get(`${base}/new?title=_sidebar`);
    await browser.submit(base, { title: '_sidebar', content: 'See [[The map]]', format: 'markdown', message: '' });
    await world.api(developer).post(`${api}/wikis`, { title: 'home', content: 'Welcome' });
    await browser.get(`${base}/home`);
    expect(browser.page).toContain(`${base}/The-map">The map</a>`);
    await browser.get(`${base}/pages`);
    expect(browser.page).not.toContain('sidebar');
    await browser.get(`${base}/uploads/new`);
    const form = new FormData();
    form.append('authenticity_token', /name="authenticity_token" value="([^"]*)"/.exec(browser.page)?.[1] ?? '');
    form.append('file', new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'map.svg'));
    const whole = new Response(form);
    const headers = { 'Content-Type': whole.headers.get('content-type') ?? '' };
    await browser.request('POST', `${base}/uploads/new`, { headers, body: new Uint8Array(await whole.arrayBuffer()) });
    const [, markdown = '', file] = /id="uploaded"[^>]*value="(!\[map\]\(([^)]+)\))"/.exec(browser.page) ?? [];
    await world.api(developer).put(`${api}/wikis/home`, { content: markdown });
    await browser.get(`${base}/home`);
    expect(browser.page).toContain(`${base}/${file}"`);
    const sent = await browser.get(`${base}/${file}`);
    expect([sent.status, sent.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect(sent.headers['content-security-policy']).toContain('sandbox');
    const visitor = await signedIn(world, stranger);
    expect((await visitor.get(`${base}/${file}`)).status).toBe(404);
    const { body: preview } = await world.graphql(
      `query ($text: String!, $place: ${kind === 'project' ? 'ProjectRef' : 'GroupRef'}) { markdown(text: $text, gfm: true, ${kind}: $place, wikiPage: "a/b") { html } }`,
      { text: '[[Home]] ![map](pic.png)', place: fullPath },
      developer,
    );
    expect(preview.data?.markdown.html).toContain(`${base}/Home"`);
    expect(preview.data?.markdown.html).toContain(`${base}/a/pic.png"`);
  });

  it('is read by guests, written by developers, and to others as if it were not there', LONG, async () => {
    const { base, api } = await place(kind);
    await world.api(developer).post(`${api}/wikis`, { title: 'home', content: 'Secret plans' });
    for (const [who, reads, writes] of [
      [owner, true, true],
      [developer, true, true],
      [reporter, true, false],
      [guest, true, false],
      [stranger, false, false],
      [null, false, false],
    ] as const) {
      const browser = who ? await signedIn(world, who) : new Browser(world.send);
      for (const below of ['', '/home', '/pages', '/home/history', '/home/compare']) {
        browser.page = '';
        await browser.get(base + below);
        if (below === '' && reads) await browser.follow();
        expect([below, browser.answer.status === 200]).toEqual([below, reads]);
        if (!reads) expect(browser.page).not.toContain('Secret');
      }
      for (const below of ['/new', '/home/edit', '/uploads/new']) {
        await browser.get(base + below);
        expect([below, browser.answer.status === 200]).toEqual([below, writes]);
      }
      await browser.get(`${base}/home`);
      expect(browser.page.includes(`${base}/home/edit"`)).toBe(writes);
      if (!writes && who) {
        await browser.get('/');
        await browser.submit(`${base}/home/edit`, {
          title: 'home',
          content: `Mine ${who.username}`,
          format: 'markdown',
        });
        expect([403, 404]).toContain(browser.answer.status);
        await browser.confirm(`${base}/home/delete`);
        expect([403, 404]).toContain(browser.answer.status);
      }
    }
    expect((await world.api(guest).get(`${api}/wikis/home`)).body.content).toBe('Secret plans');
  });

  it('is read by visitors where it is public, and by nobody while it is off', LONG, async () => {
    const { base, api } = await place(kind, 'public');
    await world.api(developer).post(`${api}/wikis`, { title: 'home', content: 'Open plans' });
    const visitor = new Browser(world.send);
    await visitor.get(`${base}/home`);
    expect(visitor.page).toContain('Open plans');
    expect(visitor.page).toContain(`href="${base}"`);
    await world.api(owner).put(api, { wiki_access_level: 'disabled' });
    for (const browser of [visitor, await signedIn(world, owner)]) {
      browser.page = '';
      await browser.get(`${base}/home`);
      expect(browser.answer.status).not.toBe(200);
      expect(browser.page).not.toContain('Open plans');
    }
  });
});

it('The wiki of an archived project is read, and not written', LONG, async () => {
  const { base, api } = await place('project');
  await world.api(developer).post(`${api}/wikis`, { title: 'home', content: 'Plans' });
  await world.api(owner).post(`${api}/archive`);
  const browser = await signedIn(world, owner);
  await browser.get(`${base}/home`);
  expect(browser.page).toContain('Plans');
  expect(browser.page).not.toContain(`${base}/home/edit"`);
  expect((await browser.get(`${base}/home/edit`)).status).toBe(404);
});

it('A page that git renamed is found by all the names that it had; one that was deleted is not', LONG, async () => {
  const { project, base } = await place('project', 'public');
  await world.api(developer).post(`/projects/${project.id}/wikis`, { title: 'first', content: 'a\nb\nc\nd\n' });
  const remote = `${world.url.replace('http://', `http://${developer.username}:${developer.token}@`)}/${project.fullPath}.wiki.git`;
  const directory = await clone(remote);
  await run(directory, 'mv', 'first.md', 'second.md');
  await run(directory, 'commit', '-qm', 'Move');
  await run(directory, 'mv', 'second.md', 'third.markdown');
  await run(directory, 'commit', '-qm', 'Move again');
  await writeFile(path.join(directory, 'gone.md'), 'x\n');
  await run(directory, 'add', '.');
  await run(directory, 'commit', '-qm', 'Add');
  await run(directory, 'rm', '-q', 'gone.md');
  await run(directory, 'commit', '-qm', 'Delete');
  await run(directory, 'push', '-q', 'origin', 'HEAD');
  const visitor = new Browser(world.send);
  for (const name of ['first', 'second']) {
    await visitor.get(`${base}/${name}`);
    expect(visitor.answer.headers.location).toBe(`${base}/third`);
  }
  expect((await visitor.get(`${base}/gone`)).status).not.toBe(200);
});
