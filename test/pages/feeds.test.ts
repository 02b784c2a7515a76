// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { atom, xml } from '#pages/engine/atom.ts';
import { iCalendar } from '#pages/engine/icalendar.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { signedIn } from '../support/oauth.ts';

const { world, owner, guest, filled, committed } = await startCommittingWorld();

const SCRIPT = '<script>alert(1)</script>';
const UGLY = `A & B ${SCRIPT} "quoted" ]]>`;

/** The elements of a document, which must be well-formed XML, without characters that it must not hold, as paths with their texts. */
function elementsOf(text: string): [string, string][] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(text).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/);
  const body = text.replace(/^<\?xml version="1\.0" encoding="utf-8"\?>\n/, '');
  expect(body).not.toBe(text);
  const parts = /<(\/?)([a-z]+)((?: [a-z:]+="[^"<&]*(?:&[#\w]+;[^"<&]*)*")*)(\/?)>|([^<&]|&(?:amp|lt|gt|quot|#39);)+/g;
  const open: string[] = [];
  const found: [string, string][] = [];
  let at = 0;
  for (const part of body.matchAll(parts)) {
    expect(part.index).toBe(at);
    at += part[0].length;
    const [, closes, name, attributes = '', isEmpty] = part;
    if (name === undefined) {
      const last = found.at(-1);
      if (last && part[0].trim() !== '') last[1] += part[0];
    } else if (closes) expect(open.pop()).toBe(name);
    else {
      found.push([[...open, name].join('/'), attributes.trim()]);
      if (!isEmpty) open.push(name);
    }
  }
  expect([at, open]).toEqual([body.length, []]);
  return found;
}

const at = (elements: [string, string][], path: string) =>
  elements.filter(([one]) => one === path).map(([, text]) => text);

/** A feed as a reader with this private token gets it. */
const read = (path: string, token?: string) =>
  world.send('GET', path, {
    headers: { Accept: 'application/atom+xml', ...(token ? { 'PRIVATE-TOKEN': token } : {}) },
  });

describe('atom', () => {
  it('escapes all text, and leaves out what XML cannot hold', () => {
    expect(xml('a\u0000\u001b\uffff\ud800b <&>"\' \u{1f600}\n\t')).toBe('ab &lt;&amp;&gt;&quot;&#39; \u{1f600}\n\t');
    const entry = { key: 'x/1', path: '/a?b=1&c', author: UGLY, text: `<p>${UGLY}</p>\u0007`, isHtml: true };
    const made = atom(
      { title: UGLY, path: '/', entries: [{ ...entry, title: `${UGLY}\u000b`, updated: '2026-01-02T00:00:00.000Z' }] },
      new URL('https://git.example:8443/a.atom?labels=a%26b'),
    );
    const elements = elementsOf(made);
    expect(at(elements, 'feed/id')).toEqual(['tag:git.example,2026-11-26:/a.atom']);
    expect(at(elements, 'feed/updated')).toEqual(['2026-01-02T00:00:00.000Z']);
    expect(at(elements, 'feed/entry/id')).toEqual(['tag:git.example,2026-11-26:x/1']);
    expect(at(elements, 'feed/entry/title')[0]).not.toContain('<');
    expect(at(elements, 'feed/entry/link')[0]).toContain('href="https://git.example:8443/a?b=1&amp;c"');
    expect(
      at(elementsOf(atom({ title: 'x', path: '/', entries: [] }, new URL('https://a.example/'))), 'feed/updated'),
    ).toHaveLength(1);
  });
});

describe('The feed of commits', () => {
  it('has those of a branch for who may read them, also of one with slashes in its name', async () => {
    const { project, at: repository } = await filled([{ action: 'create', file_path: 'a', content: 'a' }]);
    const { id } = await committed(repository, [{ action: 'update', file_path: 'a', content: 'b' }], {
      commit_message: `${UGLY}\n\nAll of it`,
    });
    await world.api(owner).post(`${repository}/branches`, { branch: 'topic/a', ref: 'master' });
    await committed(repository, [{ action: 'update', file_path: 'a', content: 'c' }], {
      branch: 'topic/a',
      commit_message: 'Elsewhere',
    });
    const path = `/${project.fullPath}/-/commits/master.atom`;
    const { status, headers, body } = await read(path, owner.token);
    expect([status, headers['content-type']]).toEqual([200, 'application/atom+xml; charset=utf-8']);
    expect(headers['cache-control']).toBe('private, no-cache');
    const elements = elementsOf(String(body));
    expect(at(elements, 'feed/entry/title')).toHaveLength(2);
    expect(at(elements, 'feed/entry/link')[0]).toContain(`/${project.fullPath}/-/commit/${id}"`);
    expect(at(elements, 'feed/entry/content')[0]).toContain('All of it');
    expect(String(body)).not.toContain('Elsewhere');
    expect(String(body)).not.toContain(SCRIPT);
    const topic = await read(`/${project.fullPath}/-/commits/topic/a.atom`, owner.token);
    expect(String(topic.body)).toContain('Elsewhere');
    expect((await read(path, guest.token)).status).not.toBe(200);
    expect((await read(path)).status).toBe(404);
    const browser = await signedIn(world, owner);
    await browser.get(`/${project.fullPath}/-/commits/master`);
    expect(browser.page).toContain(
      `type="application/atom+xml" title="Commits · master · ${project.fullPath}" href="${path}"`,
    );
    expect((await browser.get(`/${project.fullPath}/-/commits/none.atom`)).status).toBe(404);
  });
});

describe('The feeds of tags and releases', () => {
  it('have what was tagged and released, for those who may read it, and are named on their pages', async () => {
    const { project } = await filled([{ action: 'create', file_path: 'a', content: 'a' }]);
    const api = world.api(owner);
    for (const tag_name of ['v2', 'v1'])
      await api.post(`/projects/${project.id}/repository/tags`, {
        tag_name,
        ref: 'master',
        message: `Tag ${tag_name}`,
      });
    const description = `Some *text* ${SCRIPT}`;
    await api.post(`/projects/${project.id}/releases`, { tag_name: 'v1', name: UGLY, description });
    const tags = elementsOf(String((await read(`/${project.fullPath}/-/tags.atom`, owner.token)).body));
    expect(at(tags, 'feed/entry/title').toSorted()).toEqual(['v1', 'v2']);
    expect(at(tags, 'feed/entry/content').toSorted()).toEqual(['type="text"Tag v1', 'type="text"Tag v2']);
    const releases = String((await read(`/${project.fullPath}/-/releases.atom`, owner.token)).body);
    expect(at(elementsOf(releases), 'feed/entry/link')[0]).toContain(`/${project.fullPath}/-/releases/v1"`);
    expect(releases).toContain('&lt;em&gt;text&lt;/em&gt;');
    expect(releases).not.toContain(SCRIPT);
    const browser = await signedIn(world, owner);
    for (const list of ['tags', 'releases']) {
      await browser.get(`/${project.fullPath}/-/${list}`);
      expect(browser.page).toContain(`href="/${project.fullPath}/-/${list}.atom"`);
      expect((await read(`/${project.fullPath}/-/${list}.atom`)).status).toBe(404);
    }
  });
});

describe('The feed of issues', () => {
  it('of a project and its group has those that its reader may see and the address asks for', async () => {
    const group = await world.group({ owner, visibility: 'private' });
    const member = await world.user();
    await world.member(group, member, 'guest');
    const project = await world.project({ owner, namespaceId: group.id });
    const beside = await world.project({ owner });
    await world.issue(project, owner, { title: UGLY, description: `Some *text* ${SCRIPT} \u0007`, labels: ['bug'] });
    await world.issue(project, owner, { title: 'Without a label' });
    await world.issue(project, owner, { title: 'Unspoken', confidential: true });
    await world.issue(beside, owner, { title: 'Outside' });
    for (const place of [`/${project.fullPath}`, `/groups/${group.fullPath}`]) {
      const path = `${place}/-/issues.atom`;
      const all = String((await read(path, member.token)).body);
      expect(at(elementsOf(all), 'feed/entry/title')).toEqual([
        'Without a label',
        'A &amp; B &lt;script&gt;alert(1)&lt;/script&gt; &quot;quoted&quot; ]]&gt;',
      ]);
      expect(all).toContain('&lt;em&gt;text&lt;/em&gt;');
      for (const absent of ['Unspoken', 'Outside', SCRIPT, '&lt;script&gt;alert(1)&lt;/script&gt; &lt;/p'])
        expect(all).not.toContain(absent);
      expect(String((await read(path, owner.token)).body)).toContain('Unspoken');
      const bugs = await read(`${path}?labels=bug&private_token=${member.token}`);
      expect(String(bugs.body)).not.toContain('Without a label');
      // Whoever reads the feed elsewhere learns no token from it.
      expect(String(bugs.body)).not.toContain(member.token);
      expect(String(bugs.body)).toContain('labels=bug"');
      expect((await read(path, (await world.user()).token)).status).toBe(404);
      const browser = await signedIn(world, member);
      await browser.get(`${place}/-/issues?labels=bug`);
      expect(browser.page).toContain(`href="${path}?labels=bug"`);
      expect((await browser.get(`${path}?labels=bug`)).status).toBe(200);
    }
  });

  it('tells readers without a token what is public, and nothing else', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    await world.issue(project, owner);
    const hidden = await world.project({ owner, visibility: 'internal' });
    expect((await read(`/${project.fullPath}/-/issues.atom`)).status).toBe(200);
    for (const path of [`/${hidden.fullPath}/-/issues.atom`, '/no/project/-/issues.atom']) {
      expect([path, (await read(path)).status]).toEqual([path, 404]);
    }
    expect((await read(`/${project.fullPath}/-/issues.atom`, 'no-such-token-at-all')).status).toBeGreaterThanOrEqual(
      401,
    );
    const readApi = await world.token(owner, ['read_api']);
    expect((await read(`/${project.fullPath}/-/issues.atom`, readApi)).status).toBe(200);
    const readUser = await world.token(owner, ['read_user']);
    expect((await read(`/${project.fullPath}/-/issues.atom`, readUser)).status).toBe(403);
  });
});

describe('Feeds of activity', () => {
  it('of a project, group, user and the start page have what their reader may see', async () => {
    const [author, member] = [await world.user(), await world.user()];
    const group = await world.group({ owner: author, visibility: 'private' });
    await world.member(group, member, 'guest');
    const project = await world.project({ owner: author, namespaceId: group.id });
    const hidden = await world.project({ owner: author });
    await world.api(author).post(`/projects/${project.id}/issues`, { title: `Seen ${SCRIPT}` });
    await world.api(author).post(`/projects/${hidden.id}/issues`, { title: 'Unseen' });
    await world.api(author).post(`/projects/${project.id}/issues/1/notes`, { body: 'Said & done \u0007' });
    const pages = {
      [`/${project.fullPath}.atom`]: [`/${project.fullPath}`, `/${project.fullPath}/-/activity`],
      [`/groups/${group.fullPath}.atom`]: [`/groups/${group.fullPath}`, `/groups/${group.fullPath}/-/activity`],
      [`/${author.username}.atom`]: [`/${author.username}`],
      '/dashboard/projects.atom': ['/'],
    };
    const browser = await signedIn(world, member);
    const other = await world.user();
    for (const [path, shown] of Object.entries(pages)) {
      const { status, body } = await read(path, member.token);
      expect([path, status]).toEqual([path, 200]);
      const elements = elementsOf(String(body));
      const titles = at(elements, 'feed/entry/title').join('\n');
      expect(titles).toContain('opened issue #1');
      expect(at(elements, 'feed/entry/content').join('\n')).toContain('Said &amp; done');
      expect(new Set(at(elements, 'feed/entry/id')).size).toBe(at(elements, 'feed/entry/id').length);
      expect(String(body)).not.toContain('Unseen');
      for (const page of shown) {
        await browser.get(page);
        expect([page, browser.page.includes(`href="${path}"`)]).toEqual([page, true]);
      }
      expect(String((await read(path, other.token)).body)).not.toContain('Seen');
    }
    expect((await read(`/${group.fullPath}.atom`, member.token)).status).toBe(200);
    expect((await read('/nobody-at-all.atom', member.token)).status).toBe(404);
  });

  it('cost the same statements however much happened', async () => {
    const project = await world.project({ owner });
    const counted = async () => (await world.statements(() => read(`/${project.fullPath}.atom`, owner.token))).length;
    await world.api(owner).post(`/projects/${project.id}/issues`, { title: 'One' });
    await counted();
    const few = await counted();
    for (const title of ['Two', 'Three', 'Four'])
      await world.api(owner).post(`/projects/${project.id}/issues`, { title });
    expect(await counted()).toBe(few);
  });
});

describe('Due dates as a calendar', () => {
  it('have escaped texts, and lines of at most 75 bytes that programs join', () => {
    const title = `Ärger; mit, Kommas\\ und\nZeilen\u0000 ${'ü'.repeat(60)}`;
    const day = { key: 'issue/1', path: '/a/b/-/issues/1', day: '2026-12-01', updated: '2026-11-29T10:00:00.123Z' };
    const text = iCalendar({ title: 'All', days: [{ ...day, title }] }, new URL('https://git.example/x.ics?a=b'));
    const lines = text.split('\r\n');
    expect(lines.every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
    const joined = text.replaceAll('\r\n ', '').split('\r\n');
    expect(joined).toContain(`SUMMARY:Ärger\\; mit\\, Kommas\\\\ und\\nZeilen ${'ü'.repeat(60)}`);
    expect(joined).toContain('DTSTART;VALUE=DATE:20261201');
    expect(joined).toContain('DTSTAMP:20261129T100000Z');
    expect(joined).toContain('URL:https://git.example/a/b/-/issues/1');
  });

  it('are those of open issues that the reader sees, from two weeks ago on', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const project = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
    const due = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const make = async (title: string, days: number, more: object = {}) =>
      (await world.api(owner).post(`/projects/${project.id}/issues`, { title, due_date: due(days), ...more })).body;
    await make('soon', 3, { assignee_ids: [owner.id] });
    await make('lately', -10);
    await make('long ago', -20);
    await make('secret', 5, { confidential: true });
    const closed = await make('closed', 4);
    await world.api(owner).put(`/projects/${project.id}/issues/${closed.iid}`, { state_event: 'close' });
    await world.api(owner).post(`/projects/${project.id}/issues`, { title: 'never' });
    const titles = async (path: string, token?: string) => {
      const { status, headers, body } = await read(path, token);
      expect([status, headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8']);
      return [...String(body).matchAll(/SUMMARY:(.*?) \(/g)].map(([, title]) => title);
    };
    const places = [`/${project.fullPath}/-/issues.ics`, `/groups/${group.fullPath}/-/issues.ics`];
    for (const path of places) {
      expect(await titles(path)).toEqual(['lately', 'soon']);
      expect(await titles(path, owner.token)).toEqual(['lately', 'soon', 'secret']);
      expect(await titles(`${path}?state=closed`)).toEqual(['closed']);
    }
    expect(await titles('/dashboard/issues.ics', owner.token)).toEqual(['soon']);
    expect((await read('/dashboard/issues.ics')).status).not.toBe(200);
  });
});
