// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createSnippet } from '#src/domain/snippets/save.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const outsider = await world.user();
const admin = await world.user({ admin: true });
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  at = `/projects/${project.id}`;
  await world.member(project, guest, 'guest');
});

/** An issue, a snippet, a merge request and a note on each, with the paths of their awards. */
async function awardables() {
  const issue = await world.issue(project, owner);
  const values = { title: 'Text', fileName: 'a.txt', content: 'text', visibility: 'public' } as const;
  const snippet = await createSnippet(world.as(owner), { project: project.id, ...values });
  const request = await world.mergeRequest(project, owner, { iid: issue.iid });
  const found = [];
  for (const [type, id, path] of [
    ['Issue', issue.id, `${at}/issues/${issue.iid}`],
    ['Snippet', snippet.id, `${at}/snippets/${snippet.id}`],
    ['MergeRequest', request.id, `${at}/merge_requests/${request.iid}`],
  ] as const) {
    const { body: note } = await world.api(owner).post(`${path}/notes`, { body: 'said' });
    found.push({ type, id, path: `${path}/award_emoji` });
    found.push({ type: 'Note', id: note.id, path: `${path}/notes/${note.id}/award_emoji` });
  }
  return found;
}

const unknown = {
  status: 404,
  body: { message: '404 Award Emoji {:name=>["is not included in the list"]} Not Found' },
};
const taken = { status: 404, body: { message: '404 Award Emoji {:name=>["has already been taken"]} Not Found' } };
const hidden = { status: 404, body: { message: '404 Award Emoji Not Found' } };

describe('Award emoji', () => {
  it('are given to issues, snippets and their notes, listed, read and taken back', LONG, async () => {
    for (const { type, id, path } of await awardables()) {
      const given = await world.api(guest).post(path, { name: 'tada' });
      expect(given).toMatchObject({
        status: 201,
        body: { name: 'tada', user: { username: guest.username }, awardable_id: id, awardable_type: type },
      });
      expect(Object.keys(given.body)).toEqual([
        'id',
        'name',
        'user',
        'created_at',
        'updated_at',
        'awardable_id',
        'awardable_type',
      ]);
      const one = `${path}/${given.body.id}`;
      expect(await world.api(outsider).get(one)).toMatchObject({ status: 200, body: given.body });
      const { headers, body } = await world.api(outsider).get(path);
      expect([headers['x-total'], body]).toEqual(['1', [given.body]]);
      expect(await world.api(outsider).delete(one)).toMatchObject({
        status: 401,
        body: { message: '401 Unauthorized' },
      });
      expect(await world.api(guest).delete(one)).toMatchObject({ status: 204, body: null });
      expect(await world.api(guest).delete(one)).toMatchObject({ status: 404, body: { message: '404 Not found' } });
    }
  });

  it('are taken back by administrators too', LONG, async () => {
    const [{ path } = { path: '' }] = await awardables();
    const { body } = await world.api(guest).post(path, { name: 'heart' });
    expect((await world.api(admin).delete(`${path}/${body.id}`)).status).toBe(204);
  });

  it('have names that there are, each once from one user, by whichever of its names', LONG, async () => {
    const [{ path } = { path: '' }] = await awardables();
    const api = world.api(guest);
    for (const name of ['', 'no_such_emoji', ':heart:', 'Heart', '__proto__', 'x'.repeat(100_000)]) {
      expect(await api.post(path, { name })).toMatchObject(unknown);
    }
    expect((await api.post(path)).status).toBe(400);
    expect((await api.post(path, { name: 'laughing' })).body.name).toBe('laughing');
    expect(await api.post(path, { name: 'laughing' })).toMatchObject(taken);
    expect(await api.post(path, { name: 'satisfied' })).toMatchObject(taken);
    expect((await world.api(outsider).post(path, { name: 'laughing' })).status).toBe(201);
  });

  it('are given once when they are given several times at once', LONG, async () => {
    const [{ path } = { path: '' }] = await awardables();
    const answers = await Promise.all([1, 2, 3, 4].map(() => world.api(guest).post(path, { name: 'rocket' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404]);
  });

  it('of thumbs are votes, which count, and are not for the author', LONG, async () => {
    const issue = await world.issue(project, owner);
    const path = `${at}/issues/${issue.iid}`;
    expect((await world.api(guest).post(`${path}/award_emoji`, { name: '+1' })).body.name).toBe('thumbsup');
    expect((await world.api(outsider).post(`${path}/award_emoji`, { name: '-1' })).body.name).toBe('thumbsdown');
    for (const name of ['+1', 'thumbsup', '-1', 'thumbsdown']) {
      expect(await world.api(owner).post(`${path}/award_emoji`, { name })).toMatchObject(hidden);
    }
    expect((await world.api(owner).post(`${path}/award_emoji`, { name: 'heart' })).status).toBe(201);
    expect((await world.api(owner).get(path)).body).toMatchObject({ upvotes: 1, downvotes: 1 });
  });

  it('are not given to system notes', async () => {
    const issue = await world.issue(project, owner);
    const { id } = await world.db.note.create({
      data: { subjectType: 'Issue', subjectId: issue.id, authorId: owner.id, body: 'closed', system: true },
    });
    const path = `${at}/issues/${issue.iid}/notes/${id}/award_emoji`;
    expect(await world.api(guest).post(path, { name: 'heart' })).toMatchObject(hidden);
    expect((await world.api(guest).get(path)).body).toEqual([]);
  });

  it('are hidden with the record, and found below no other one', LONG, async () => {
    const issue = await world.issue(project, owner, { confidential: true });
    const [other] = await awardables();
    const path = `${at}/issues/${issue.iid}/award_emoji`;
    const { body: award } = await world.api(owner).post(path, { name: 'heart' });
    const one = `${path}/${award.id}`;
    const api = world.api(guest);
    for (const answer of [await api.get(path), await api.get(one), await api.post(path, { name: 'heart' })]) {
      expect(answer).toMatchObject(hidden);
    }
    expect(await api.delete(one)).toMatchObject(hidden);
    expect((await world.api(owner).get(`${other?.path}/${award.id}`)).status).toBe(404);
    expect((await world.api(owner).delete(`${other?.path}/${award.id}`)).status).toBe(404);
    const ask = async (who: typeof guest) => {
      const query = 'query ($id: ID!) { node(id: $id) { ... on AwardEmoji { name } } }';
      return (await world.graphql(query, { id: toGlobalId('AwardEmoji', award.id) }, who)).body.data.node;
    };
    expect([await ask(guest), await ask(owner)]).toEqual([null, { name: 'heart' }]);
    const take = 'mutation ($id: ID!) { takeAwardBack(input: { id: $id }) { deletedAwardId } }';
    const { body } = await world.graphql(take, { id: `${award.id}` }, guest);
    expect(body.errors[0].extensions.code).toBe('NOT_FOUND');
    expect(await world.db.awardEmoji.count({ where: { id: award.id } })).toBe(1);
  });

  it('go with the note that they are on', LONG, async () => {
    const [, note] = await awardables();
    const { body } = await world.api(guest).post(`${note?.path}`, { name: 'heart' });
    expect((await world.api(owner).delete(`${note?.path}`.replace('/award_emoji', ''))).status).toBe(204);
    expect(await world.db.awardEmoji.count({ where: { id: body.id } })).toBe(0);
  });

  it.each([
    ['snippet', 'Snippet', 2],
    ['merge request', 'MergeRequest', 4],
  ])('and notes go with the %s that they are on', async (_name, subjectType, at) => {
    const [record, note] = (await awardables()).slice(at);
    await world.api(guest).post(`${record?.path}`, { name: 'heart' });
    await world.api(guest).post(`${note?.path}`, { name: 'heart' });
    await world.api(owner).delete(`${record?.path}`.replace('/award_emoji', ''));
    const of = [
      { subjectType, subjectId: record?.id ?? 0 },
      { subjectType: 'Note', subjectId: note?.id ?? 0 },
    ];
    expect(await world.db.awardEmoji.count({ where: { OR: of } })).toBe(0);
    expect(await world.db.note.count({ where: { OR: of } })).toBe(0);
  });
});
