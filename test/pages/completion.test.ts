// One part in depth, which the long run has.
// @module-tag long
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SCRIPT } from '#pages/engine/shared_assets.ts';
import { QUICK_ACTIONS } from '#src/domain/tracking/quick_actions/table.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const group = await world.group({ owner, visibility: 'private' });
const project = await world.project({ owner, namespaceId: group.id, visibility: 'private' });
const elsewhere = await world.project({ owner, visibility: 'public' });
const [guest, outsider] = [await world.user(), await world.user()];
await world.member(project, guest, 'guest');

/** What a text could go on with after a mark and some characters. */
async function choices(who: TestUser, query: Record<string, string>, place = project.fullPath) {
  const browser = await signedIn(world, who);
  const { status, body } = await browser.get(`/${place}/-/completion?${new URLSearchParams(query)}`);
  return { status, inserted: status === 200 ? (body as { insert: string }[]).map(({ insert }) => insert) : [], body };
}

const inserted = async (mark: string, text: string, who = owner) => (await choices(who, { mark, text })).inserted;

describe('What a text could go on with', () => {
  it('is the quick actions of the subject that begin with the text, from the graph, with what they do', async () => {
    const { body } = await choices(owner, { mark: '/', text: 'la', on: 'Issue' });
    expect(body).toEqual([{ insert: '/label ', about: '~label · Add labels' }]);
    expect((await choices(owner, { mark: '/', text: 'clo', on: 'Issue' })).inserted).toEqual(['/close\n']);
    expect((await choices(owner, { mark: '/', text: 'appr', on: 'Issue' })).inserted).toEqual([]);
    expect((await choices(owner, { mark: '/', text: 'appr', on: 'MergeRequest' })).inserted).toEqual(['/approve\n']);
    expect((await choices(owner, { mark: '/', text: 'du', on: 'MergeRequest' })).inserted).toEqual([]);
    const names = Object.keys(QUICK_ACTIONS);
    const { body: all } = await world.graphql('{ quickActions { name description parameter } }');
    expect(all.data.quickActions.map(({ name }: { name: string }) => name)).toEqual(names);
    for (const { description } of all.data.quickActions) expect(description).toMatch(/\w/);
  });

  it('is the members of the project after @, and nobody else', async () => {
    expect(await inserted('@', guest.username)).toEqual([`@${guest.username} `]);
    expect(await inserted('@', outsider.username)).toEqual([]);
    expect(await inserted('@', '')).toContain(`@${owner.username} `);
  });

  it('is members before others who take part, and never who is blocked, a token or deleted', async () => {
    const place = await world.project({ owner, visibility: 'public' });
    const [writer, blocked, bot, gone] = [
      await world.user(),
      await world.user(),
      await world.user(),
      await world.user(),
    ];
    const member = await world.user();
    const { iid } = await world.issue(place, owner);
    for (const who of [writer, blocked, bot, gone]) {
      const sent = await world.api(who).post(`/projects/${place.id}/issues/${iid}/notes`, { body: 'Hello' });
      expect(sent.status).toBe(201);
    }
    for (const who of [member, blocked, bot]) await world.member(place, who, 'developer');
    await world.db.user.update({ where: { id: blocked.id }, data: { state: 'blocked' } });
    await world.db.user.update({ where: { id: bot.id }, data: { bot: true } });
    await world.api(await world.user({ admin: true })).delete(`/users/${gone.id}`);
    await world.idle();
    expect(await world.db.note.count({ where: { body: 'Hello', author: { ghost: true } } })).toBe(1);
    const asked = { mark: '@', text: '', on: 'Issue', iid: String(iid) };
    const { inserted } = await choices(member, asked, place.fullPath);
    expect(inserted).toEqual([member, owner, writer].map(({ username }) => `@${username} `));
  });

  it.each(['Issue', 'MergeRequest'] as const)('is those who take part in the %s after @, too', async (on) => {
    const [assignee, writer, reader] = [await world.user(), await world.user(), await world.user()];
    const at = on === 'Issue' ? 'issues' : 'merge_requests';
    const make = (iid: number) =>
      on === 'Issue' ? world.issue(elsewhere, owner) : world.mergeRequest(elsewhere, owner, { iid });
    const [{ iid }, decoy] = [await make(30), await make(31)];
    await world.api(owner).put(`/projects/${elsewhere.id}/${at}/${iid}`, { assignee_ids: [assignee.id] });
    const write = (who: TestUser, number: number) =>
      world.api(who).post(`/projects/${elsewhere.id}/${at}/${number}/notes`, { body: 'Hello' });
    await write(writer, iid);
    await write(outsider, decoy.iid);
    const ask = async (text: string, number = String(iid), place = elsewhere.fullPath) =>
      (await choices(reader, { mark: '@', text, on, iid: number }, place)).inserted;
    expect(await ask(writer.username)).toEqual([`@${writer.username} `]);
    expect(await ask(assignee.username)).toEqual([`@${assignee.username} `]);
    expect((await ask('')).filter((one) => one === `@${owner.username} `)).toHaveLength(1);
    for (const unasked of [outsider.username, writer.username.slice(1).padEnd(60, 'x')]) {
      expect(await ask(unasked)).toEqual([]);
    }
    for (const number of ['', '0', 'x', '99999999999', String(decoy.iid)]) {
      expect([number, await ask(writer.username, number)]).toEqual([number, []]);
    }
    expect((await choices(reader, { mark: '@', text: '', on, iid: '1' })).status).toBe(404);
  });

  it('is not those who take part in what the writer cannot see, nor writers of internal notes', async () => {
    const [hidden, internal] = [await world.user(), await world.user()];
    const secret = await world.issue(elsewhere, owner, { confidential: true, assigneeIds: [hidden.id] });
    const open = await world.issue(elsewhere, owner);
    await world.member(elsewhere, internal, 'reporter');
    await world
      .api(internal)
      .post(`/projects/${elsewhere.id}/issues/${open.iid}/notes`, { body: 'Hush', internal: true });
    await world.api(owner).delete(`/projects/${elsewhere.id}/members/${internal.id}`);
    const ask = async ({ iid }: { iid: number }, { username }: TestUser, who: TestUser) =>
      (await choices(who, { mark: '@', text: username, on: 'Issue', iid: String(iid) }, elsewhere.fullPath)).inserted;
    expect(await ask(secret, hidden, owner)).toEqual([`@${hidden.username} `]);
    expect(await ask(secret, hidden, outsider)).toEqual([]);
    expect(await ask(open, internal, outsider)).toEqual([]);
  });

  it('is the issue with the number and those with the text in their titles, without what the writer cannot see', async () => {
    const names = ['Broken pump', 'Pump 1 leaks', 'Secret pump', 'Door'];
    for (const title of names) await world.issue(project, owner, { title, confidential: title.startsWith('Secret') });
    await world.issue(elsewhere, owner, { title: 'Pump elsewhere' });
    expect((await inserted('#', 'pump')).sort()).toEqual(['#1 ', '#2 ', '#3 ']);
    expect((await inserted('#', 'pump', guest)).sort()).toEqual(['#1 ', '#2 ']);
    expect(await inserted('#', '4')).toEqual(['#4 ']);
    expect(await inserted('#', '1')).toEqual(['#1 ', '#2 ']);
    expect(await inserted('#', '99999999999')).toEqual([]);
  });

  it('is merge requests after !, for those who can read them', async () => {
    await world.mergeRequest(project, owner, { iid: 7, title: 'Oil the hinges' });
    expect(await inserted('!', 'hinge')).toEqual(['!7 ']);
    expect(await inserted('!', '7')).toEqual(['!7 ']);
    expect(await inserted('!', '8')).toEqual([]);
    expect(await inserted('!', 'hinge', guest)).toEqual([]);
  });

  it('is labels, milestones and emoji by name, in quotes where names have several words', async () => {
    const api = world.api(owner);
    await api.post(`/projects/${project.id}/labels`, { name: 'needs work', color: '#112233' });
    await api.post(`/groups/${group.id}/labels`, { name: 'needed', color: '#445566' });
    await api.post(`/projects/${elsewhere.id}/labels`, { name: 'needless', color: '#778899' });
    await world.milestone(project, owner, { title: 'Next one' });
    const { body } = await choices(owner, { mark: '~', text: 'need' });
    expect(body).toEqual([
      { insert: '~needed ', about: '', color: '#445566' },
      { insert: '~"needs work" ', about: '', color: '#112233' },
    ]);
    expect(await inserted('%', 'next')).toEqual(['%"Next one" ']);
    expect(await inserted(':', 'tad')).toEqual([':tada: ', ':stadium: ']);
    expect(await inserted(':', '+1')).toEqual([':+1: ']);
  });

  it('is nothing after other marks, and not there for strangers', async () => {
    for (const mark of ['', '?', '__proto__', 'constructor']) expect(await inserted(mark, 'a')).toEqual([]);
    expect((await choices(outsider, { mark: '@', text: '' })).status).toBe(404);
    expect((await choices(outsider, { mark: '@', text: '' }, `${group.fullPath}/none`)).status).toBe(404);
  });

  it('is kept by no cache and sent as JSON', async () => {
    const browser = await signedIn(world, owner);
    const { headers } = await browser.get(`/${project.fullPath}/-/completion?mark=@&text=`);
    expect(headers['cache-control']).toBe('private, no-store');
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});

it('text areas say which quick actions they can have, and the scripts of all pages weigh at most 30 KB', async () => {
  const browser = await signedIn(world, owner);
  const open = await world.issue(project, owner, { title: 'Talk' });
  await browser.get(`/${project.fullPath}/-/issues/${open.iid}`);
  expect(browser.page).toMatch(/<textarea id="body"[^>]* data-markdown[^>]* data-actions="Issue"/);
  expect(gzipSync(await SCRIPT.load()).length).toBeLessThanOrEqual(30 * 1024);
});
