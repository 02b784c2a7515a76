// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { forgetEvents, recordEvent } from '#src/domain/activity/record_event.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();
const outsider = await world.user();

/** A private project with an issue, a confidential one and a merge request, and an event of a note on each. */
async function stage() {
  const project = await world.project({ owner, visibility: 'private' });
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  const open = await world.issue(project, owner, { title: 'open' });
  const secret = await world.issue(project, owner, { title: 'secret', confidential: true });
  const { db } = world;
  const merge = await db.mergeRequest.create({
    data: {
      iid: 1,
      targetProjectId: project.id,
      sourceProjectId: project.id,
      title: 'merge',
      sourceBranch: 'topic',
      targetBranch: 'main',
      authorId: owner.id,
    },
  });
  const by = { projectId: project.id, authorId: owner.id };
  const target = { type: 'MergeRequest', id: merge.id, title: 'merge' } as const;
  await db.$transaction((tx) => recordEvent(tx, { ...by, action: 'accepted', target }));
  const note = async (subjectType: 'Issue' | 'MergeRequest', { id, title }: { id: number; title: string }) => {
    const data = { subjectType, subjectId: id, authorId: owner.id, body: `About ${title}` };
    const written = await db.note.create({ data });
    const on = { type: `${subjectType}Note`, id: written.id, title, subjectId: id } as const;
    await db.$transaction((tx) => recordEvent(tx, { ...by, action: 'commented on', target: on }));
    return written;
  };
  const notes = [await note('Issue', open), await note('Issue', secret), await note('MergeRequest', merge)];
  return { project, open, secret, merge, notes, at: `/projects/${project.id}/events` };
}

/** What a feed says of the notes and the merge request of the project, newest first. Its total is that of its events. */
async function feed(who: TestUser, path: string, projectId: number): Promise<string[]> {
  const { status, headers, body } = await world.api(who).get(`${path}?per_page=100`);
  expect(status).toBe(200);
  expect(headers['x-total']).toBe(String(body.length));
  return body
    .filter(({ project_id, target_type }: Json) => project_id === projectId && target_type !== 'Issue')
    .filter(({ target_type }: Json) => target_type !== null)
    .map(
      ({ action_name, target_title, note }: Json) => `${action_name} ${target_title}${note ? `: ${note.body}` : ''}`,
    );
}

const SHA = '1'.repeat(40);
const OF_OPEN = 'commented on open: About open';
const OF_SECRET = 'commented on secret: About secret';
const OF_MERGE = ['commented on merge: About merge', 'accepted merge'];

describe('Events about merge requests and notes', () => {
  it('are told to those who can read what they are about, with the right totals', LONG, async () => {
    const { project, at } = await stage();
    for (const path of [at, `/users/${owner.id}/events`]) {
      expect(await feed(owner, path, project.id)).toEqual([OF_MERGE[0], OF_SECRET, OF_OPEN, OF_MERGE[1]]);
      expect(await feed(reporter, path, project.id)).toEqual([OF_MERGE[0], OF_SECRET, OF_OPEN, OF_MERGE[1]]);
      expect(await feed(guest, path, project.id)).toEqual([OF_OPEN]);
    }
    expect(await feed(outsider, `/users/${owner.id}/events`, project.id)).toEqual([]);
    expect((await world.api(outsider).get(at)).status).toBe(404);
  });

  it('show a note as the contract has it', LONG, async () => {
    const { notes, open, at } = await stage();
    const { body } = await world.api(guest).get(at);
    expect(body[0]).toMatchObject({
      target_id: notes[0]?.id,
      target_type: 'Note',
      target_title: 'open',
      note: { id: notes[0]?.id, body: 'About open', noteable_id: open.id, noteable_type: 'Issue', system: false },
    });
  });

  it('tell what kind of thread a note is in, by the type of the target', LONG, async () => {
    const { project, merge, notes, at } = await stage();
    const [ofIssue, , ofRequest] = notes.map((one) => one?.id ?? 0);
    await world.db.note.update({ where: { id: ofIssue ?? 0 }, data: { startsThread: true } });
    const shas = { baseSha: SHA, startSha: SHA, headSha: SHA };
    const position = { positionType: 'text', ...shas, oldPath: 'a', newPath: 'a', oldLine: null, newLine: 1 };
    const thread = { id: ofRequest ?? 0, noteId: ofRequest ?? 0, mergeRequestId: merge.id };
    await world.db.discussion.create({ data: { ...thread, position, originalPosition: position } });
    const { body } = await world.api(owner).get(`${at}?target_type=note`);
    const types = new Map(body.map((one: Json) => [one.target_id, one.target_type]));
    expect([...types.values()].sort()).toEqual(['DiffNote', 'DiscussionNote', 'Note']);
    expect([types.get(ofIssue), types.get(ofRequest)]).toEqual(['DiscussionNote', 'DiffNote']);
    expect(body.every(({ project_id }: Json) => project_id === project.id)).toBe(true);
  });

  it('follow an issue that becomes confidential, or public, or is deleted', LONG, async () => {
    const { project, open, secret, at } = await stage();
    const issues = `/projects/${project.id}/issues`;
    await world.api(owner).put(`${issues}/${open.iid}`, { confidential: true });
    expect(await feed(guest, at, project.id)).toEqual([]);
    await world.api(owner).put(`${issues}/${secret.iid}`, { confidential: false });
    expect(await feed(guest, at, project.id)).toEqual([OF_SECRET]);
    await world.api(owner).delete(`${issues}/${secret.iid}`);
    expect(await feed(guest, at, project.id)).toEqual([]);
    expect(await feed(owner, at, project.id)).toEqual([OF_MERGE[0], OF_OPEN, OF_MERGE[1]]);
  });

  it('are hidden with the merge requests of a project that has switched them off', async () => {
    const { project, at } = await stage();
    await world.api(owner).put(`/projects/${project.id}`, { merge_requests_enabled: false });
    for (const path of [at, `/users/${owner.id}/events`]) {
      expect(await feed(reporter, path, project.id)).toEqual([OF_SECRET, OF_OPEN]);
    }
  });

  it('go with the note or merge request', LONG, async () => {
    const { project, merge, notes, at } = await stage();
    await world.db.$transaction((tx) => forgetEvents(tx, { type: 'IssueNote', id: notes[0]?.id ?? 0 }));
    expect(await feed(reporter, at, project.id)).toEqual([OF_MERGE[0], OF_SECRET, OF_MERGE[1]]);
    await world.db.$transaction((tx) => forgetEvents(tx, { type: 'MergeRequest', id: merge.id }));
    expect(await feed(reporter, at, project.id)).toEqual([OF_SECRET]);
  });

  it('are counted the same when all are counted anew', async () => {
    await stage();
    const counts = () =>
      world.db.projectEventCount.findMany({
        where: { count: { not: 0 } },
        orderBy: [{ projectId: 'asc' }, { kind: 'asc' }, { slot: 'asc' }],
      });
    const kept = await counts();
    await world.db.$queryRaw`SELECT count_all_events()::text`;
    expect(await counts()).toEqual(kept);
  });
});
