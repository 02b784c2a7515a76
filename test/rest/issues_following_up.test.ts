// Each test takes long: the long run has them all.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import { refusal, talk } from '../support/discussions.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const reporter = await world.user();
const guest = await world.user();
const { ask, resolve, thread, written } = talk(world);

async function stage() {
  const project = await world.project({ owner });
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  await withTopic(world, project, owner);
  const mergeRequest = await opened(world, project, owner, { title: 'Add b' });
  const on = { id: toGlobalId('MergeRequest', mergeRequest.id) };
  const begin = async (body = 'Why?') => {
    const { discussionId, databaseId } = await written(reporter, { on, body, startDiscussion: true });
    return { id: discussionId as string, databaseId: databaseId as number };
  };
  const at = `/projects/${project.id}/issues`;
  const of = { merge_request_to_resolve_discussions_of: mergeRequest.iid };
  const systemNotes = async () => {
    const where = { subjectType: 'MergeRequest', subjectId: mergeRequest.id, system: true };
    return (await world.db.note.findMany({ where, orderBy: { id: 'asc' } })).map(({ body }) => body);
  };
  return { project, mergeRequest, on, begin, at, of, systemNotes };
}

describe('An issue with merge_request_to_resolve_discussions_of', () => {
  it('resolves all threads of the merge request, names them in its description, and is named in each of them', async () => {
    const { project, mergeRequest, on, begin, at, of, systemNotes } = await stage();
    const [one, two, done] = [await begin('Why so?\n\nAnd how?'), await begin('Tests?'), await begin('Done')];
    await written(developer, { on, body: 'answer', discussionId: one.id });
    await resolve(developer, { id: done.id });
    const { status, body } = await world.api(developer).post(at, { title: 'Later', ...of });
    expect([status, body.title]).toEqual([201, 'Later']);
    const page = `/${project.fullPath}/-/merge_requests/${mergeRequest.iid}`;
    const started = (noteId: number) => `- [ ] @${reporter.username} started a [discussion](${page}#note_${noteId}):`;
    expect(body.description).toBe(
      [
        `The following discussions from !${mergeRequest.iid} should be addressed:`,
        '',
        `${started(one.databaseId)} (+1 comment)`,
        '',
        '    > Why so?',
        '    > ',
        '    > And how?',
        '',
        started(two.databaseId),
        '',
        '    > Tests?',
        '',
      ].join('\n'),
    );
    for (const { id } of [one, two]) {
      const found = await thread(owner, id);
      expect(found).toMatchObject({ resolved: true, resolvedBy: { username: developer.username } });
      expect(found.notes.nodes.at(-1)).toMatchObject({
        system: true,
        body: `created #${body.iid} to continue this discussion`,
      });
    }
    expect((await thread(owner, done.id)).notes.totalCount).toBe(1);
    expect(await systemNotes()).toContain('resolved all discussions');
  });

  it('resolves one thread alone with discussion_to_resolve, by either of its IDs', async () => {
    const { begin, at, of, systemNotes } = await stage();
    const [one, two, three] = [await begin(), await begin(), await begin()];
    for (const id of [one.databaseId, two.id]) {
      const { status, body } = await world
        .api(developer)
        .post(at, { title: 'One', description: 'Mine', ...of, discussion_to_resolve: id });
      expect([status, body.description]).toEqual([201, 'Mine']);
    }
    const resolved = await Promise.all([one, two, three].map(async ({ id }) => (await thread(owner, id)).resolved));
    expect(resolved).toEqual([true, true, false]);
    expect(await systemNotes()).not.toContain('resolved all discussions');
  });

  it('takes over the title from the merge request in GraphQL', async () => {
    const { project, mergeRequest, begin } = await stage();
    const { id } = await begin();
    const query = 'mutation ($input: CreateIssueInput!) { createIssue(input: $input) { issue { title } } }';
    const input = {
      project: project.id,
      mergeRequestToResolveDiscussionsOf: mergeRequest.iid,
      discussionToResolve: id,
    };
    const made = await ask(developer, query, { input });
    expect(made.data.createIssue.issue.title).toBe('Follow-up from "Add b"');
    expect(refusal(await ask(developer, query, { input: { project: project.id } }))).toEqual([
      'VALIDATION_FAILED',
      { 'input.title': ["can't be blank"] },
    ]);
  });

  it('resolves all threads where GraphQL names an empty one, as clients of typed languages send it', async () => {
    const { project, mergeRequest, begin } = await stage();
    const both = [(await begin()).id, (await begin()).id];
    const query = 'mutation ($input: CreateIssueInput!) { createIssue(input: $input) { issue { title } } }';
    const of = { mergeRequestToResolveDiscussionsOf: mergeRequest.iid, discussionToResolve: '' };
    const made = await ask(developer, query, { input: { project: project.id, ...of } });
    expect(made.data.createIssue.issue.title).toBe('Follow-up from "Add b"');
    for (const id of both) expect((await thread(owner, id)).resolved).toBe(true);
  });

  it('is opened by who may not resolve threads, or not see the merge request, without resolving any', async () => {
    const { begin, at, of } = await stage();
    const { id } = await begin();
    const made = await world.api(reporter).post(at, { title: 'Later', ...of });
    expect(made).toMatchObject({
      status: 201,
      body: { description: expect.stringContaining('should be addressed') },
    });
    const unseen = await world.api(guest).post(at, { title: 'Later', ...of });
    expect(unseen).toMatchObject({ status: 201, body: { description: null } });
    expect(await thread(owner, id)).toMatchObject({ resolved: false, notes: { totalCount: 1 } });
  });

  it('is opened without more where there is no such merge request or thread', async () => {
    const { begin, at, of } = await stage();
    const { id } = await begin();
    const other = await stage();
    const foreign = await other.begin();
    for (const wrong of [
      { merge_request_to_resolve_discussions_of: 4711 },
      { ...of, discussion_to_resolve: foreign.databaseId },
      { ...of, discussion_to_resolve: 999_999 },
      { discussion_to_resolve: foreign.databaseId },
    ]) {
      const made = await world.api(developer).post(at, { title: 'Later', ...wrong });
      expect(made).toMatchObject({ status: 201, body: { description: null } });
    }
    for (const one of [id, foreign.id]) expect((await thread(owner, one)).resolved).toBe(false);
    const malformed = await world.api(developer).post(at, { title: 'Later', ...of, discussion_to_resolve: 'a b' });
    expect(malformed.status).toBe(400);
  });

  it('is refused in GraphQL for these reasons, unless they are to be ignored', async () => {
    const { project, mergeRequest, begin } = await stage();
    await begin();
    const query = 'mutation ($input: CreateIssueInput!) { createIssue(input: $input) { issue { title } } }';
    const make = (who: typeof owner, input: object) =>
      ask(who, query, { input: { project: project.id, title: 'x', ...input } });
    const of = { mergeRequestToResolveDiscussionsOf: mergeRequest.iid };
    expect(refusal(await make(reporter, of))[0]).toBe('FORBIDDEN');
    expect(refusal(await make(guest, of))[0]).toBe('NOT_FOUND');
    expect(refusal(await make(owner, { mergeRequestToResolveDiscussionsOf: 4711 }))[0]).toBe('NOT_FOUND');
    expect(refusal(await make(owner, { ...of, discussionToResolve: '999999' }))[0]).toBe('NOT_FOUND');
    expect(refusal(await make(owner, { discussionToResolve: '999999' }))[0]).toBe('VALIDATION_FAILED');
    expect(await world.db.issue.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('has a description of bounded length, however much there is to follow up on', async () => {
    const { begin, at, of } = await stage();
    for (let n = 0; n < 60; n += 1) await begin(`${n} ${'long '.repeat(400)}`);
    const { status, body } = await world.api(developer).post(at, { title: 'Later', ...of });
    expect(status).toBe(201);
    expect(body.description.length).toBeLessThan(60_000);
    expect(body.description).toMatch(/… and \d+ more\.\n$/);
    expect(
      await world.db.discussion.count({ where: { resolvedAt: null, note: { body: { contains: 'long long' } } } }),
    ).toBe(0);
  });
});
