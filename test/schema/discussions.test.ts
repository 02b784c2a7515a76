// Each test takes long: the long run has them all.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import { refusal, talk } from '../support/discussions.ts';
import type { Json } from '../support/http.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const reporter = await world.user();
const author = await world.user();
const guest = await world.user();
const outsider = await world.user();
const { ask, resolve, thread, threads, write, written } = talk(world);

async function stage(visibility: 'private' | 'public' = 'private') {
  const project = await world.project({ owner, visibility });
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, author, 'developer');
  await world.member(project, guest, 'guest');
  await withTopic(world, project, owner);
  const mergeRequest = await opened(world, project, author);
  const id = toGlobalId('MergeRequest', mergeRequest.id);
  const begin = async (who: TestUser = reporter, body = 'Why?') =>
    (await written(who, { on: { id }, body, startDiscussion: true })).discussionId as string;
  const systemNotes = async () =>
    (
      await world.db.note.findMany({
        where: { subjectType: 'MergeRequest', subjectId: mergeRequest.id, system: true },
        orderBy: { id: 'asc' },
      })
    ).map(({ body }) => body);
  return { project, mergeRequest, id, begin, systemNotes };
}

describe('A thread', () => {
  it('is a note with its answers, in the order in which it was begun', async () => {
    const { id } = await stage();
    const first = await written(reporter, { on: { id }, body: 'first', startDiscussion: true });
    await written(author, { on: { id }, body: 'single' });
    const answer = await written(author, { on: { id }, body: 'answer', discussionId: first.discussionId });
    expect(answer.discussionId).toBe(first.discussionId);
    const found = await threads(reporter, 'MergeRequest', id);
    expect(found.map(({ notes }) => notes.nodes.map(({ body }: { body: string }) => body))).toEqual([
      ['first', 'answer'],
      ['single'],
    ]);
    expect(found[0]).toMatchObject({ id: first.discussionId, databaseId: first.databaseId, resolvable: true });
    expect(found[1]).toMatchObject({ resolvable: false, resolved: false, position: null, outdated: false });
    expect(await thread(reporter, first.discussionId)).toEqual(found[0]);
  });

  it.each(['Issue', 'Snippet'] as const)(
    'is there on records of the type %s as well, and not resolved there',
    async (type) => {
      const { project } = await stage();
      const values = { title: 'Text', content: 'text', file_name: 'a.txt', code: 'text', visibility: 'internal' };
      const path = `/projects/${project.id}/${type === 'Issue' ? 'issues' : 'snippets'}`;
      const { body } = await world.api(owner).post(path, values);
      const on = { id: toGlobalId(type, body.id) };
      const { discussionId } = await written(owner, { on, body: 'first', startDiscussion: true });
      await written(guest, { on, body: 'answer', discussionId });
      expect(await threads(guest, type, on.id)).toMatchObject([{ resolvable: false, notes: { totalCount: 2 } }]);
      expect(refusal(await resolve(owner, { id: discussionId }))).toEqual([
        'VALIDATION_FAILED',
        { 'input.id': ['is not a thread that can be resolved'] },
      ]);
    },
  );

  it('is begun by notes that know nothing of threads', async () => {
    const { mergeRequest, id } = await stage();
    const data = { subjectType: 'MergeRequest', subjectId: mergeRequest.id, authorId: author.id, body: 'older' };
    const note = await world.db.note.create({ data });
    await written(reporter, { on: { id }, body: 'answer', discussionId: toGlobalId('Discussion', note.id) });
    // Answered, it is a thread like others.
    expect(await threads(author, 'MergeRequest', id)).toMatchObject([{ resolvable: true, notes: { totalCount: 2 } }]);
  });

  it('stays the same when its first note is deleted, and goes with the last one', async () => {
    const { id, begin } = await stage();
    const thread_ = await begin();
    await written(author, { on: { id }, body: 'answer', discussionId: thread_ });
    const [{ databaseId }] = await threads(reporter, 'MergeRequest', id);
    const remove = (noteId: unknown) =>
      ask(owner, 'mutation ($id: ID!) { deleteNote(input: { id: $id }) { deletedNoteId } }', { id: noteId });
    await remove(String(databaseId));
    const [left] = await threads(reporter, 'MergeRequest', id);
    expect(left).toMatchObject({
      id: thread_,
      resolvable: true,
      notes: { totalCount: 1, nodes: [{ body: 'answer' }] },
    });
    expect(await thread(reporter, thread_)).toMatchObject({ id: thread_, resolvable: true });
    await written(author, { on: { id }, body: 'more', discussionId: thread_ });
    for (const note of await world.db.note.findMany({ where: { discussionId: databaseId } }))
      await remove(String(note.id));
    expect(await threads(reporter, 'MergeRequest', id)).toEqual([]);
    expect(await thread(reporter, thread_)).toBeNull();
    expect(await world.db.discussion.count({ where: { id: databaseId } })).toBe(0);
  });

  it('goes with its merge request', async () => {
    const { project, mergeRequest, begin } = await stage();
    await begin();
    await world.api(owner).delete(`/projects/${project.id}/merge_requests/${mergeRequest.iid}`);
    expect(await world.db.discussion.count({ where: { mergeRequestId: mergeRequest.id } })).toBe(0);
  });

  it('of an issue goes along when the issue is moved', async () => {
    const { project } = await stage();
    const target = await world.project({ owner });
    const issue = await world.issue(project, owner);
    const on = { id: toGlobalId('Issue', issue.id) };
    const { discussionId } = await written(owner, { on, body: 'gone' });
    for (const body of ['a1', 'a2']) await written(owner, { on, body, discussionId });
    await written(owner, { on, body: 'single' });
    const first = await world.db.note.findFirstOrThrow({ where: { subjectId: issue.id, body: 'gone' } });
    await world.api(owner).delete(`/projects/${project.id}/issues/${issue.iid}/notes/${first.id}`);
    const moved = await world
      .api(owner)
      .post(`/projects/${project.id}/issues/${issue.iid}/move`, { to_project_id: target.id });
    const found = await threads(owner, 'Issue', toGlobalId('Issue', moved.body.id));
    expect(found.slice(0, 2).map(({ notes }) => notes.nodes.map(({ body }: { body: string }) => body))).toEqual([
      ['a1', 'a2'],
      ['single'],
    ]);
    expect((await threads(owner, 'Issue', on.id))[0].notes.totalCount).toBe(2);
  });
});

describe('Answers', () => {
  it('to a thread of another record, to an answer, or to nothing are NOT_FOUND', async () => {
    const { id, begin } = await stage();
    const other = await stage();
    const foreign = await other.begin();
    const mine = await begin();
    const answer = await written(author, { on: { id }, discussionId: mine });
    for (const discussionId of [
      foreign,
      toGlobalId('Discussion', answer.databaseId),
      toGlobalId('Discussion', 999_999),
    ]) {
      expect(refusal(await write(author, { on: { id }, discussionId }))[0]).toBe('NOT_FOUND');
    }
    expect(await world.db.note.count({ where: { subjectId: other.mergeRequest.id, system: false } })).toBe(1);
  });

  it('to system notes are refused, and those that begin a thread at the same time', async () => {
    const { id, begin, project, mergeRequest } = await stage();
    await world.api(owner).put(`/projects/${project.id}/merge_requests/${mergeRequest.iid}`, { title: 'Other' });
    const [note] = await threads(owner, 'MergeRequest', id);
    expect(refusal(await write(owner, { on: { id }, discussionId: note.id }))).toEqual([
      'VALIDATION_FAILED',
      { 'input.discussionId': ['is a system note, which cannot be answered'] },
    ]);
    const discussionId = await begin();
    const [code, fields] = refusal(await write(owner, { on: { id }, discussionId, startDiscussion: true }));
    expect([code, Object.keys(fields ?? {})]).toEqual(['VALIDATION_FAILED', ['input.startDiscussion']]);
  });

  it('count as comments, and are events, like other notes', async () => {
    const { project, mergeRequest, id, begin } = await stage();
    await written(author, { on: { id }, body: 'answer', discussionId: await begin() });
    const { body } = await world.api(owner).get(`/projects/${project.id}/merge_requests/${mergeRequest.iid}`);
    expect(body.user_notes_count).toBe(2);
    const query = `{ project(ref: "${project.id}") { events(first: 1) { nodes { note { body discussionId } } } } }`;
    const events = await ask(owner, query);
    const [found] = await threads(owner, 'MergeRequest', id);
    expect(events.data.project.events.nodes).toEqual([{ note: { body: 'answer', discussionId: found.id } }]);
  });
});

describe('Resolving a thread', () => {
  it('is for developers and the author of the merge request', async () => {
    const { begin, id } = await stage();
    const discussion = await begin();
    expect(refusal(await resolve(reporter, { id: discussion }))[0]).toBe('FORBIDDEN');
    expect(refusal(await resolve(guest, { id: discussion }))[0]).toBe('NOT_FOUND');
    expect(refusal(await resolve(outsider, { id: discussion }))[0]).toBe('NOT_FOUND');
    expect(refusal(await resolve(undefined, { id: discussion }))[0]).toBe('UNAUTHENTICATED');
    expect(
      await world.db.discussion.count({ where: { resolvedAt: { not: null }, note: { authorId: reporter.id } } }),
    ).toBe(0);
    for (const [who, may] of [
      [developer, true],
      [author, true],
      [reporter, false],
    ] as const) {
      expect((await threads(who, 'MergeRequest', id))[0].viewerCanResolve).toBe(may);
    }
    const resolved = (await resolve(developer, { id: discussion })).data.resolveDiscussion.discussion;
    expect(resolved).toEqual({ id: discussion, resolved: true, resolvedBy: { username: developer.username } });
    // Again it stays as it is.
    expect((await resolve(author, { id: discussion })).data.resolveDiscussion.discussion).toEqual(resolved);
    const open = (await resolve(author, { id: discussion }, 'unresolve')).data.unresolveDiscussion.discussion;
    expect(open).toEqual({ id: discussion, resolved: false, resolvedBy: null });
  });

  it('is for the author who has no role as well, while the project is not archived', async () => {
    const { project, mergeRequest, begin } = await stage('public');
    await world.db.mergeRequest.update({ where: { id: mergeRequest.id }, data: { authorId: outsider.id } });
    const discussion = await begin();
    expect((await resolve(outsider, { id: discussion })).data.resolveDiscussion.discussion.resolved).toBe(true);
    await world.db.project.update({ where: { id: project.id }, data: { archived: true } });
    for (const who of [outsider, developer]) {
      expect(refusal(await resolve(who, { id: discussion }, 'unresolve'))[0]).toBe('FORBIDDEN');
    }
  });

  it('of another merge request than is said is NOT_FOUND', async () => {
    const { begin } = await stage();
    const other = await stage();
    const discussion = await begin();
    expect(refusal(await resolve(developer, { id: discussion, on: { id: other.id } }))[0]).toBe('NOT_FOUND');
  });

  it('is told of when no other is left, and counted', async () => {
    const { project, mergeRequest, begin, systemNotes } = await stage();
    const [one, two] = [await begin(), await begin()];
    const counts = async () =>
      (
        await ask(
          owner,
          `{ project(ref: "${project.id}") { mergeRequest(iid: ${mergeRequest.iid}) {
            resolvableDiscussionsCount resolvedDiscussionsCount mergeableDiscussionsState } } }`,
        )
      ).data.project.mergeRequest;
    expect(await counts()).toEqual({
      resolvableDiscussionsCount: 2,
      resolvedDiscussionsCount: 0,
      mergeableDiscussionsState: true,
    });
    await resolve(developer, { id: one });
    expect(await systemNotes()).toEqual([]);
    await resolve(developer, { id: two });
    await resolve(developer, { id: two });
    expect(await systemNotes()).toEqual(['resolved all discussions']);
    expect(await counts()).toMatchObject({ resolvedDiscussionsCount: 2 });
  });

  it('comes before merging where the project asks for it: 405 until then', async () => {
    const { project, mergeRequest, begin } = await stage();
    const discussion = await begin();
    const at = `/projects/${project.id}`;
    const state = async () =>
      (
        await ask(
          owner,
          `{ project(ref: "${project.id}") { mergeRequest(iid: ${mergeRequest.iid}) { mergeableDiscussionsState } } }`,
        )
      ).data.project.mergeRequest.mergeableDiscussionsState;
    await world.api(owner).put(at, { only_allow_merge_if_all_discussions_are_resolved: true });
    expect(await state()).toBe(false);
    const merge = () => world.api(owner).put(`${at}/merge_requests/${mergeRequest.iid}/merge`);
    expect(await merge()).toMatchObject({ status: 405, body: { message: '405 Method Not Allowed' } });
    await resolve(author, { id: discussion });
    expect(await state()).toBe(true);
    expect(await merge()).toMatchObject({ status: 200, body: { state: 'merged' } });
  });

  it('lets a merge request be merged whose pipeline has succeeded meanwhile', async () => {
    const { project, mergeRequest, begin } = await stage();
    const at = `/projects/${project.id}`;
    const post = (state: string) =>
      world.api(developer).post(`${at}/statuses/${mergeRequest.sha}`, { state, ref: 'topic' });
    await post('running');
    await world.api(owner).put(at, { only_allow_merge_if_all_discussions_are_resolved: true });
    const path = `${at}/merge_requests/${mergeRequest.iid}`;
    const waits = await world.api(owner).put(`${path}/merge`, { merge_when_pipeline_succeeds: true });
    expect(waits).toMatchObject({ status: 200, body: { state: 'opened' } });
    const discussion = await begin();
    await post('success');
    await world.idle();
    const state = async () => (await world.api(owner).get(path)).body.state;
    expect(await state()).toBe('opened');
    await resolve(developer, { id: discussion });
    await expect.poll(state, { timeout: 20_000 }).toBe('merged');
  });
});

describe('Lists of threads', () => {
  it('take as many statements however many threads and notes there are', async () => {
    const { id, begin } = await stage();
    const query = `query ($id: ID!) { node(id: $id) { ... on MergeRequest { resolvableDiscussionsCount discussions(first: 50) { totalCount
      nodes { id resolved resolvedBy { username } position { newLine } notes { nodes { body author { username } } } } } } } }`;
    await written(author, { on: { id }, discussionId: await begin() });
    const count = async () => (await world.statements(() => ask(owner, query, { id }))).length;
    await count();
    const few = await count();
    for (let n = 0; n < 8; n += 1) {
      const discussionId = await begin();
      for (let m = 0; m < 3; m += 1) await written(author, { on: { id }, discussionId });
    }
    expect(await count()).toBe(few);
    const { node } = (await ask(owner, query, { id })).data;
    expect([node.resolvableDiscussionsCount, node.discussions.totalCount]).toEqual([9, 9]);
  });

  it('are walked through by cursors', async () => {
    const { id, begin } = await stage();
    for (let n = 0; n < 5; n += 1) await written(author, { on: { id }, discussionId: await begin(reporter, `t${n}`) });
    const query = `query ($id: ID!, $after: String) { node(id: $id) { ... on MergeRequest { discussions(first: 2, after: $after) {
      nodes { notes(first: 1) { nodes { body } } } pageInfo { endCursor hasNextPage } } } } }`;
    const seen: string[] = [];
    for (let after = null; ; ) {
      const page: Json = (await ask(owner, query, { id, after })).data.node.discussions;
      const { nodes, pageInfo } = page;
      seen.push(...nodes.map((node: { notes: { nodes: { body: string }[] } }) => node.notes.nodes[0]?.body));
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(seen).toEqual(['t0', 't1', 't2', 't3', 't4']);
  });

  it('leave out what comes from where the reader sees nothing', async () => {
    const { project, mergeRequest, id } = await stage('public');
    const hidden = await world.project({ owner });
    await world.issue(hidden, owner, { title: 'Hidden', description: `See ${project.fullPath}!${mergeRequest.iid}` });
    expect(await threads(owner, 'MergeRequest', id)).toHaveLength(1);
    const [shown] = await threads(owner, 'MergeRequest', id);
    expect(await threads(outsider, 'MergeRequest', id)).toEqual([]);
    expect(await thread(outsider, shown.id)).toBeNull();
  });

  it('show nothing of records that the reader does not see', async () => {
    const { begin } = await stage();
    const discussion = await begin();
    for (const who of [outsider, guest]) expect(await thread(who, discussion)).toBeNull();
    expect(await thread(reporter, discussion)).not.toBeNull();
  });
});
