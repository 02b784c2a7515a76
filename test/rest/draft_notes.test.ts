// Each of its tests takes long.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { startMailbox } from '../support/mailbox.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { startReceiver } from '../support/receiver.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const mailbox = await startMailbox();
const world = await startWorld({ smtp: mailbox.url });
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const [owner, ann, ben] = [await world.user(), await world.user(), await world.user()];
let project: ProjectRow;
let mergeRequest: Awaited<ReturnType<typeof opened>>;
let path: string;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  for (const user of [ann, ben]) await world.member(project, user, 'developer');
  await withTopic(world, project, owner);
  mergeRequest = await opened(world, project, owner);
  path = `/projects/${project.id}/merge_requests/${mergeRequest.iid}`;
});

/** The path of a merge request of its own, without commits. */
async function another(): Promise<string> {
  const { _max: last } = await world.db.mergeRequest.aggregate({
    where: { targetProjectId: project.id },
    _max: { iid: true },
  });
  const iid = (last.iid ?? 0) + 1;
  await world.mergeRequest(project, owner, { iid, sourceBranch: world.unique('topic') });
  return `/projects/${project.id}/merge_requests/${iid}`;
}

async function draft(who: TestUser, at: string, values: Json): Promise<Json> {
  const answer = await world.api(who).post(`${at}/draft_notes`, values);
  expect([answer.status, answer.body]).toMatchObject([201, { note: values.note }]);
  return answer.body;
}

const draftsOf = async (who: TestUser, at: string) => (await world.api(who).get(`${at}/draft_notes`)).body;
const bodiesOf = async (at: string) => (await world.api(owner).get(`${at}/notes`)).body.map(({ body }: Json) => body);

async function line(): Promise<Json> {
  const { body } = await world.api(owner).get(path);
  const { base_sha, start_sha, head_sha } = body.diff_refs;
  return { base_sha, start_sha, head_sha, position_type: 'text', new_path: 'b.txt', new_line: 1 };
}

describe('Draft notes', () => {
  it('are kept with what they are to be, in their order', async () => {
    const { body: thread } = await world.api(owner).post(`${path}/discussions`, { body: 'Why?' });
    const first = await draft(ann, path, { note: 'Plain', commit_id: 'undefined' });
    expect(first).toEqual({
      id: expect.any(Number),
      author_id: ann.id,
      merge_request_id: mergeRequest.id,
      resolve_discussion: false,
      discussion_id: null,
      note: 'Plain',
      commit_id: null,
      line_code: null,
      position: {
        ...{ base_sha: null, start_sha: null, head_sha: null, old_path: null, new_path: null },
        ...{ position_type: null, old_line: null, new_line: null, line_range: null },
      },
    });
    const answer = { note: 'Because', in_reply_to_discussion_id: thread.id, resolve_discussion: true };
    expect(await draft(ann, path, answer)).toMatchObject({ discussion_id: thread.id, resolve_discussion: true });
    const position = await line();
    const placed = await draft(ann, path, { note: 'Here', position, commit_id: position.head_sha });
    expect(placed).toMatchObject({ position, commit_id: position.head_sha });
    expect(placed.line_code).toMatch(/^[0-9a-f]{40}_0_1$/);
    expect((await draftsOf(ann, path)).map(({ note }: Json) => note)).toEqual(['Plain', 'Because', 'Here']);
    const page = await world.api(ann).get(`${path}/draft_notes?per_page=1&page=2`);
    expect([page.headers['x-total'], page.body]).toMatchObject(['3', [{ note: 'Because' }]]);
    expect((await world.api(ann).get(`${path}/draft_notes/${first.id}`)).body).toEqual(first);
    const one = `${path}/draft_notes/${first.id}`;
    const changed = await world.api(ann).put(one, { note: 'Changed', position });
    expect(changed).toMatchObject({ status: 200, body: { note: 'Changed', position } });
    expect(await world.api(ann).put(one, {})).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - Missing params to modify' },
    });
    expect((await world.api(ann).put(one, { note: ' ' })).status).toBe(400);
    expect((await world.api(ann).delete(one)).status).toBe(204);
    for (const method of ['get', 'delete'] as const) expect((await world.api(ann)[method](one)).status).toBe(404);
    expect((await world.api(ann).put(`${one}/publish`, {})).status).toBe(404);
  });

  it('are seen, changed and published by their author alone', async () => {
    const at = await another();
    const mine = await draft(ann, at, { note: `zqsecret @${ben.username}` });
    const own = await draft(ben, at, { note: 'decoy' });
    const admin = await world.user({ admin: true });
    for (const other of [owner, ben, admin]) {
      const api = world.api(other);
      const one = `${at}/draft_notes/${mine.id}`;
      const answers = [
        await api.get(one),
        await api.put(one, { note: 'mine' }),
        await api.put(`${one}/publish`, {}),
        await api.delete(one),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      const read = [await draftsOf(other, at), await bodiesOf(at), (await api.get(`${at}/discussions`)).body];
      const node = await world.graphql(
        '{ node(id: $id) { id } }'.replace('$id', JSON.stringify(toGlobalId('DraftNote', mine.id))),
        {},
        other,
      );
      expect(node.body.data.node).toBeNull();
      expect(JSON.stringify([answers.map(({ body }) => body), read])).not.toContain('zqsecret');
      await api.post(`${at}/draft_notes/bulk_publish`);
    }
    expect((await draftsOf(ann, at)).map(({ id }: Json) => id)).toEqual([mine.id]);
    expect(await bodiesOf(at)).toEqual(['decoy']);
    expect(own.id).not.toBe(mine.id);
    expect(await world.db.todo.count({ where: { userId: ben.id, author: { id: ann.id } } })).toBe(0);
    expect((await world.api(undefined).get(`${at}/draft_notes`)).status).toBe(401);
    const query = `query ($id: ID!) { node(id: $id) { ... on DraftNote { body author { username } discussionId createdAt } } }`;
    const { body } = await world.graphql(query, { id: toGlobalId('DraftNote', mine.id) }, ann);
    expect(body.data.node).toMatchObject({ body: mine.note, author: { username: ann.username }, discussionId: null });
  });

  it('are refused where a note would be, and for threads that are not there', async () => {
    const at = await another();
    const elsewhere = (await world.api(owner).post(`${path}/discussions`, { body: 'Elsewhere' })).body.id;
    await world.api(owner).put(at, { title: 'Renamed' });
    const [system] = (await world.api(owner).get(`${at}/discussions`)).body;
    const posted = (who: TestUser, values: Json) => world.api(who).post(`${at}/draft_notes`, { note: 'x', ...values });
    expect(await posted(ann, { note: ' ' })).toMatchObject({ status: 400 });
    expect(await posted(ann, { in_reply_to_discussion_id: elsewhere })).toMatchObject({
      status: 404,
      body: { message: '404 Discussion Not Found' },
    });
    expect(await posted(ann, { in_reply_to_discussion_id: system.id })).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - Discussion can not be replied to.' },
    });
    expect(await posted(ann, { resolve_discussion: true })).toMatchObject({ status: 400 });
    const nowhere = { ...(await line()), new_path: 'none.txt' };
    const lost = await world.api(ann).post(`${path}/draft_notes`, { note: 'x', position: nowhere });
    expect([lost.status, lost.body.message]).toEqual([
      400,
      '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}',
    ]);
    const outsider = await world.user();
    const { id: thread } = (await world.api(owner).post(`${at}/discussions`, { body: 'Open' })).body;
    const resolving = { in_reply_to_discussion_id: thread, resolve_discussion: true };
    expect(await posted(outsider, resolving)).toMatchObject({ status: 403 });
    await draft(outsider, at, { note: 'kept' });
    await world.api(owner).put(at, { discussion_locked: true });
    expect((await posted(outsider, {})).status).toBe(403);
    expect((await world.api(outsider).post(`${at}/draft_notes/bulk_publish`)).status).toBe(403);
    expect((await draftsOf(outsider, at)).length).toBe(1);
    expect((await posted(ann, {})).status).toBe(201);
  });

  it('are at most 200 on a merge request, of 262,144 characters in all', async () => {
    const at = await another();
    const { id } = await world.db.mergeRequest.findFirstOrThrow({
      where: { targetProjectId: project.id, iid: Number(at.split('/').at(-1)) },
    });
    const data = { mergeRequestId: id, authorId: ann.id, body: 'x' };
    const posted = async (note: string) => (await world.api(ann).post(`${at}/draft_notes`, { note })).status;
    await world.db.draftNote.createMany({ data: Array.from({ length: 199 }, () => data) });
    expect([await posted('last'), await posted('one more')]).toEqual([201, 403]);
    await world.db.draftNote.deleteMany({ where: { mergeRequestId: id } });
    const long = 'x'.repeat(65_536);
    await world.db.draftNote.createMany({ data: Array.from({ length: 3 }, () => ({ ...data, body: long })) });
    expect([await posted(`${'y'.repeat(65_535)}`), await posted('yz')]).toEqual([201, 403]);
    const [first, , , last] = await draftsOf(ann, at);
    const put = async ({ id: one }: Json, note: string) =>
      (await world.api(ann).put(`${at}/draft_notes/${one}`, { note })).status;
    expect([await put(last, long), await put(first, 'short'), await posted('yz')]).toEqual([200, 200, 201]);
  });

  it('go with the account of their author, and with the merge request', async () => {
    const at = await another();
    const gone = await world.user();
    await draft(gone, at, { note: 'gone' });
    await draft(ann, at, { note: 'stays' });
    const admin = await world.user({ admin: true });
    expect((await world.api(admin).delete(`/users/${gone.id}`)).status).toBe(200);
    const left = () => world.db.draftNote.count({ where: { body: { in: ['gone', 'stays'] } } });
    expect(await left()).toBe(1);
    expect((await world.api(owner).delete(at)).status).toBe(204);
    expect(await left()).toBe(0);
  });
});

describe('A review', () => {
  it('is published at once: in order, with what it resolves, its quick actions and the state of the review', async () => {
    await world.db.draftNote.deleteMany({ where: { mergeRequestId: mergeRequest.id } });
    await world.api(owner).put(path, { reviewer_ids: [ann.id, ben.id] });
    const states = async () => (await world.api(owner).get(`${path}/reviewers`)).body.map(({ state }: Json) => state);
    const { body: thread } = await world.api(owner).post(`${path}/discussions`, { body: 'Resolve me' });
    const { body: open } = await world.api(owner).post(`${path}/discussions`, { body: 'Leave me' });
    await draft(ann, path, { note: 'First\n/label ~reviewed' });
    expect(await states()).toEqual(['review_started', 'unreviewed']);
    await draft(ann, path, { note: 'Done', in_reply_to_discussion_id: thread.id, resolve_discussion: true });
    await draft(ann, path, { note: 'Still', in_reply_to_discussion_id: open.id });
    await draft(ann, path, { note: 'Here', position: await line() });
    await draft(ann, path, { note: '/subscribe\n/title Reviewed' });
    await draft(ben, path, { note: 'not published' });
    await world.label(project, owner, 'reviewed');
    const before = (await bodiesOf(path)).length;
    const { updated_at } = (await world.api(owner).get(path)).body;
    expect((await world.api(ann).post(`${path}/draft_notes/bulk_publish`)).status).toBe(204);
    expect(await draftsOf(ann, path)).toEqual([]);
    const notes = (await world.api(owner).get(`${path}/notes?per_page=100`)).body.slice(before);
    const comments = notes.filter(({ system }: Json) => !system);
    expect(comments.map(({ body, type, author }: Json) => [body, type, author.id])).toEqual([
      ['First', 'DiscussionNote', ann.id],
      ['Done', 'DiscussionNote', ann.id],
      ['Still', 'DiscussionNote', ann.id],
      ['Here', 'DiffNote', ann.id],
    ]);
    expect(comments.map(({ resolved }: Json) => resolved)).toEqual([false, true, false, false]);
    expect(comments[3].position).toMatchObject({ new_path: 'b.txt', new_line: 1 });
    const record = (await world.api(owner).get(path)).body;
    expect([record.labels, record.title]).toEqual([['reviewed'], 'Reviewed']);
    expect(record.updated_at > updated_at).toBe(true);
    expect(await states()).toEqual(['reviewed', 'review_started']);
    expect((await world.api(ann).post(`${path}/draft_notes/bulk_publish`)).status).toBe(204);
    expect((await bodiesOf(path)).length).toBe(before + notes.length);
  });

  it('is published whole or not at all', async () => {
    const at = await another();
    const { body: thread } = await world.api(owner).post(`${at}/discussions`, { body: 'Soon gone' });
    await draft(ann, at, { note: 'Fine' });
    await draft(ann, at, { note: 'Lost', in_reply_to_discussion_id: thread.id });
    await world.api(owner).delete(`${at}/discussions/${thread.id}/notes/${thread.notes[0].id}`);
    expect((await world.api(ann).post(`${at}/draft_notes/bulk_publish`)).status).toBe(404);
    expect([await bodiesOf(at), (await draftsOf(ann, at)).length]).toEqual([[], 2]);
  });

  it('is published once, however often that is asked for at the same time', async () => {
    const at = await another();
    for (const note of ['One', 'Two']) await draft(ann, at, { note });
    const answers = await Promise.all([1, 2, 3].map(() => world.api(ann).post(`${at}/draft_notes/bulk_publish`)));
    for (const { status } of answers) expect([204, 409]).toContain(status);
    expect(await bodiesOf(at)).toEqual(['One', 'Two']);
  });

  it('of a draft alone leaves the others', async () => {
    const at = await another();
    const [first] = [await draft(ann, at, { note: 'One' }), await draft(ann, at, { note: 'Two' })];
    expect((await world.api(ann).put(`${at}/draft_notes/${first.id}/publish`, {})).status).toBe(204);
    expect([await bodiesOf(at), (await draftsOf(ann, at)).map(({ note }: Json) => note)]).toEqual([['One'], ['Two']]);
  });

  it('keeps an approval', async () => {
    const at = await another();
    await world.api(owner).put(at, { reviewer_ids: [ann.id] });
    await world.api(ann).post(`${at}/approve`);
    await draft(ann, at, { note: 'Afterthought' });
    await world.api(ann).post(`${at}/draft_notes/bulk_publish`);
    expect((await world.api(owner).get(`${at}/reviewers`)).body).toMatchObject([{ state: 'approved' }]);
  });

  it('is one email and one todo, and a webhook and an event for each note', async () => {
    const mailed = await world.user();
    await world.member(project, mailed, 'developer');
    const at = await another();
    await world.api(owner).put(at, { assignee_ids: [mailed.id] });
    await world.idle();
    const hook = `/${world.unique('receiver')}`;
    const wanted = { note_events: true, push_events: false };
    await world.api(owner).post(`/projects/${project.id}/hooks`, { url: receiver.url(hook), ...wanted });
    const address = `${mailed.username}@example.org`;
    await mailbox.next(address);
    const before = mailbox.to(address).length;
    await world.api(mailed).post('/todos/mark_as_done');
    for (const note of ['Alpha', 'Beta']) await draft(ann, at, { note });
    await world.idle();
    expect(mailbox.to(address).length).toBe(before);
    await world.api(ann).post(`${at}/draft_notes/bulk_publish`);
    await world.until(async () => mailbox.to(address).length > before);
    await world.idle();
    const mails = mailbox.to(address).slice(before);
    expect(mails.length).toBe(1);
    expect(mails[0]?.raw).toMatch(/reviewed the merge request, with 2 comments:\s+Alpha\s+---\s+Beta/);
    const told = await receiver.some(hook, 2, ({ body }) => body.object_kind === 'note');
    expect(told.map(({ body }) => body.object_attributes.note)).toEqual(['Alpha', 'Beta']);
    const { body: events } = await world.api(ann).get(`/users/${ann.id}/events`);
    expect(events.slice(0, 2).map(({ note }: Json) => note?.body)).toEqual(['Beta', 'Alpha']);
    const { body: todos } = await world.api(mailed).get('/todos');
    expect(todos.map(({ action_name }: Json) => action_name)).toContain('review_submitted');
    await world.api(owner).delete(`${at}`);
  });

  it('is not mailed together with answers in internal threads, which those who may read get by themselves', async () => {
    const at = await another();
    const guest = await world.user();
    await world.api(guest).post(`${at}/notes`, { body: 'I take part' });
    const { body: note } = await world.api(owner).post(`${at}/notes`, { body: 'Internal', internal: true });
    const { body: threads } = await world.api(owner).get(`${at}/discussions`);
    const thread = threads.find(({ notes }: Json) => notes[0].id === note.id);
    await world.idle();
    await draft(ann, at, { note: 'zqsecret', in_reply_to_discussion_id: thread.id });
    await draft(ann, at, { note: 'Open' });
    const before = mailbox.to(`${guest.username}@example.org`).length;
    await world.api(ann).post(`${at}/draft_notes/bulk_publish`);
    const address = `${guest.username}@example.org`;
    await world.until(async () => mailbox.to(address).length > before);
    await world.idle();
    const texts = mailbox.to(address).map(({ text }) => text);
    expect(texts.length).toBe(before + 1);
    expect(texts.join()).not.toContain('zqsecret');
    const owners = mailbox.to(`${owner.username}@example.org`).map(({ text }) => text);
    expect(owners.filter((text) => text?.includes('zqsecret')).length).toBe(1);
  });
});
