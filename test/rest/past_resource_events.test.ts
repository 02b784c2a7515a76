// Proves for every case what others show for some, or takes long: the long run has it.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { Change, Subject } from '#src/domain/changes/change.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { writeSystemNotes } from '#src/domain/tracking/activity/system_notes.ts';
import { recordPastEvents } from '#src/domain/tracking/resource_events/past.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import type { Json } from '../support/http.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
const SECONDS = 1000;

const at = ({ id }: { id: number }, kind: 'issues' | 'merge_requests', { iid }: { iid: number }) =>
  `/projects/${id}/${kind}/${iid}`;
const kinds = ['label', 'milestone', 'state'] as const;

/** All events of an issue or merge request. */
async function eventsOf(path: string): Promise<Json[]> {
  const lists = [];
  for (const kind of kinds) {
    const { status, body } = await api.get(`${path}/resource_${kind}_events`);
    expect(status).toBe(200);
    lists.push(...body);
  }
  return lists;
}

const labelled = async (path: string) =>
  (await api.get(`${path}/resource_label_events`)).body.map(({ action, label }: Json) => [action, label?.name ?? null]);
const planned = async (path: string) =>
  (await api.get(`${path}/resource_milestone_events`)).body.map(({ action, milestone }: Json) => [
    action,
    milestone?.title ?? null,
  ]);
const states = async (path: string) =>
  (await api.get(`${path}/resource_state_events`)).body.map(({ state }: Json) => state);

/** Does something, after which no note is looked at that was there before. */
async function upgrade(work: () => Promise<unknown>, recordedSince = new Date(Date.now() + 60 * SECONDS)) {
  const { _max } = await world.db.note.aggregate({ _max: { id: true } });
  await work();
  const data = { lastNoteId: _max.id ?? 0, recordedSince };
  await world.db.pastResourceEvents.upsert({ where: { id: 1 }, create: data, update: data });
}

/** Changes what is in a project as a server did that recorded no events. */
async function before(project: ProjectRow, work: () => Promise<unknown>): Promise<void> {
  await upgrade(async () => {
    await work();
    const where = { OR: [{ issue: { projectId: project.id } }, { mergeRequest: { targetProjectId: project.id } }] };
    await world.db.labelEvent.deleteMany({ where });
    await world.db.milestoneEvent.deleteMany({ where });
    await world.db.stateEvent.deleteMany({ where });
    await world.db.note.updateMany({ data: { tellsEvent: false } });
  });
}

async function changed(path: string, ...changes: object[]): Promise<void> {
  for (const change of changes) expect((await api.put(path, change)).status).toBe(200);
}

/** The system notes about changes, without anything else. */
const noted = (type: Subject['type'], project: ProjectRow, on: { id: number; iid: number }, ...changes: Change[]) =>
  world.db.$transaction((tx) => writeSystemNotes(tx, owner, { ...on, type, title: 'Old', project }, changes));

async function stage() {
  const project = await world.project({ owner });
  const issue = await world.issue(project, owner);
  return { project, issue, path: at(project, 'issues', issue) };
}

describe('Events of what happened before they were recorded', () => {
  it('are those that would have been recorded, with the users and times of the system notes', async () => {
    const { project, issue, path } = await stage();
    const other = world.api(await world.user({ admin: true }));
    const request = await world.mergeRequest(project, owner, { iid: 1 });
    const requestPath = at(project, 'merge_requests', request);
    for (const title of ['a', 'b', 'c']) await world.label(project, owner, title);
    const [one, two] = [await world.milestone(project, owner), await world.milestone(project, owner)];
    let recorded: Json[] = [];
    await before(project, async () => {
      await changed(path, { labels: 'a,b' }, { labels: 'c,b' }, { labels: '' });
      await changed(path, { milestone_id: one.id }, { state_event: 'close' }, { milestone_id: two.id });
      await changed(path, { milestone_id: 0, title: 'Renamed' }, { state_event: 'reopen' });
      await changed(requestPath, { labels: 'a' }, { milestone_id: two.id }, { milestone_id: 0 });
      expect((await other.put(requestPath, { state_event: 'close' })).status).toBe(200);
      recorded = [...(await eventsOf(path)), ...(await eventsOf(requestPath))];
    });
    expect(recorded).toHaveLength(6 + 3 + 2 + 1 + 2 + 1);
    expect(await eventsOf(path)).toEqual([]);
    await recordPastEvents(world);
    const told = [...(await eventsOf(path)), ...(await eventsOf(requestPath))];
    const anyTime = { id: expect.any(Number), created_at: expect.any(String) };
    expect(told).toEqual(recorded.map((event) => ({ ...event, ...anyTime })));
    const close = await world.db.note.findFirstOrThrow({
      where: { subjectType: 'Issue', subjectId: issue.id, body: 'closed' },
    });
    expect(told.find((event) => 'source_commit' in event).created_at).toBe(close.createdAt.toISOString());
    const notes = await world.db.note.findMany({
      where: { subjectType: 'Issue', subjectId: issue.id, tellsEvent: false },
    });
    expect(notes.map(({ body }) => body)).toEqual([expect.stringMatching(/^changed title/)]);
  });

  it('name the commit or merge request that closed an issue, and tell merges', async () => {
    const { project, issue, path } = await stage();
    const again = await world.issue(project, owner);
    const byMergeCommit = await world.issue(project, owner);
    const request = await world.mergeRequest(project, owner, { iid: 1 });
    const [sha, mergeCommitSha] = ['c'.repeat(40), 'd'.repeat(40)];
    await world.db.mergeRequest.update({ where: { id: request.id }, data: { state: 'merged', mergeCommitSha } });
    await before(project, async () => {
      await noted('MergeRequest', project, request, { kind: 'merged' });
      await noted('Issue', project, issue, { kind: 'closed', via: { type: 'MergeRequest', ...request, project } });
      await noted('Issue', project, again, { kind: 'closed', via: { type: 'Commit', sha, project } });
      const via = { type: 'Commit', sha: mergeCommitSha, project } as const;
      await noted('Issue', project, byMergeCommit, { kind: 'closed', via });
    });
    await recordPastEvents(world);
    expect(await states(at(project, 'merge_requests', request))).toEqual(['merged']);
    expect(await eventsOf(path)).toMatchObject([
      { state: 'closed', source_commit: null, source_merge_request_id: request.id },
    ]);
    expect(await eventsOf(at(project, 'issues', again))).toMatchObject([
      { source_commit: sha, source_merge_request_id: null },
    ]);
    expect(await eventsOf(at(project, 'issues', byMergeCommit))).toMatchObject([
      { source_commit: null, source_merge_request_id: request.id },
    ]);
  });

  it('are without labels, milestones and users that are gone, and with those of groups', async () => {
    const group = await world.group({ owner });
    const project = await world.project({ owner, namespaceId: group.id });
    const issue = await world.issue(project, owner);
    const path = at(project, 'issues', issue);
    const inherited = await api.post(`/groups/${group.id}/labels`, { name: 'inherited', color: '#00ff00' });
    const shared = await api.post(`/groups/${group.id}/milestones`, { title: 'Shared "1"' });
    const [label, renamed] = [await world.label(project, owner), await world.label(project, owner)];
    const milestone = await world.milestone(project, owner);
    const leaving = await world.user();
    await world.member(project, leaving, 'developer');
    await before(project, async () => {
      await changed(path, { labels: label.title }, { labels: 'inherited' }, { labels: renamed.title });
      await changed(path, { milestone_id: milestone.id }, { milestone_id: shared.body.id });
      expect((await world.api(leaving).put(path, { state_event: 'close' })).status).toBe(200);
      await api.delete(`/projects/${project.id}/labels`, { name: label.title });
      await api.put(`/projects/${project.id}/labels/${renamed.id}`, { new_name: 'new name' });
      await api.delete(`/projects/${project.id}/milestones/${milestone.id}`);
      const admin = world.api(await world.user({ admin: true }));
      expect((await admin.delete(`/users/${leaving.id}`)).status).toBe(200);
    });
    await recordPastEvents(world);
    expect(inherited.status).toBe(201);
    expect(await labelled(path)).toEqual([
      ['add', null],
      ['add', 'inherited'],
      ['remove', null],
      ['remove', 'inherited'],
      ['add', 'new name'],
    ]);
    expect(await planned(path)).toEqual([
      ['add', null],
      ['add', 'Shared "1"'],
    ]);
    expect((await api.get(`${path}/resource_state_events`)).body).toMatchObject([{ state: 'closed', user: null }]);
  });

  it('do not come from notes of users, from other system notes, or from notes that a moved issue brought along', async () => {
    const { project, issue, path } = await stage();
    const label = await world.label(project, owner);
    const target = await world.project({ owner });
    let moved: Json = null;
    await before(project, async () => {
      const texts = [
        'closed',
        'reopened',
        `added ~${label.id} label`,
        'changed milestone to %"v1"',
        'removed milestone',
      ];
      for (const body of texts) expect((await api.post(`${path}/notes`, { body })).status).toBe(201);
      await noted('Issue', project, issue, { kind: 'title', from: 'closed', to: `added ~${label.id} label` });
      await noted('Issue', project, issue, { kind: 'timeSpent', seconds: 60 }, { kind: 'unapproved', wasWhole: true });
      await noted('Issue', project, issue, { kind: 'labels', added: [label.id], removed: [] });
      moved = (await api.post(`${path}/move`, { to_project_id: target.id })).body;
    });
    await recordPastEvents(world);
    expect((await eventsOf(path)).map(({ action, state }) => action ?? state)).toEqual(['add', 'closed']);
    expect(await eventsOf(at(target, 'issues', moved))).toEqual([]);
  });

  it('are there once, whether they were recorded, or are told again or by several processes at a time', async () => {
    const { project, issue, path } = await stage();
    await before(project, () => many(project, issue, 1200));
    await Promise.all([recordPastEvents(world), recordPastEvents(world)]);
    await recordPastEvents(world);
    expect(await world.db.stateEvent.count({ where: { issueId: issue.id } })).toBe(1200);
    const now = await stage();
    await upgrade(
      async () => {
        // A server of the version before that is still running, and this one.
        await noted('Issue', now.project, now.issue, { kind: 'closed' });
        await world.db.note.updateMany({
          where: { subjectType: 'Issue', subjectId: now.issue.id },
          data: { createdAt: new Date(Date.now() - 300 * SECONDS) },
        });
        await changed(now.path, { state_event: 'close' }, { state_event: 'reopen' });
      },
      new Date(Date.now() - 600 * SECONDS),
    );
    await recordPastEvents(world);
    expect((await states(now.path)).sort()).toEqual(['closed', 'closed', 'reopened']);
    expect(await states(path)).toHaveLength(20);
  });

  it('go on where a process was killed', async () => {
    const { project, issue } = await stage();
    await before(project, () => many(project, issue, 1200));
    const count = () => world.db.stateEvent.count({ where: { issueId: issue.id } });
    let left = 2;
    const $transaction = (work: (tx: Transaction) => Promise<unknown>) =>
      world.db.$transaction(async (tx) => {
        const result = await work(tx);
        left -= 1;
        if (left === 0) throw new Error('Killed');
        return result;
      });
    await expect(recordPastEvents({ db: { $transaction } as unknown as Db })).rejects.toThrow('Killed');
    expect(await count()).toBe(500);
    await recordPastEvents(world);
    expect(await count()).toBe(1200);
  });

  it('are looked for until a day after the upgrade, and not again', async () => {
    const { project, issue, path } = await stage();
    const rows = () => world.db.pastResourceEvents.count();
    await before(project, () => noted('Issue', project, issue, { kind: 'closed' }));
    await recordPastEvents(world);
    expect([await states(path), await rows()]).toEqual([['closed'], 1]);
    await upgrade(async () => undefined, new Date(Date.now() - 25 * 60 * 60 * SECONDS));
    await recordPastEvents(world);
    expect(await rows()).toBe(0);
    await noted('Issue', project, issue, { kind: 'reopened' });
    await recordPastEvents(world);
    expect(await states(path)).toEqual(['closed']);
  });
});

/** Many notes that an issue was closed and reopened, some time ago. */
async function many(project: ProjectRow, issue: { id: number; iid: number }, count: number): Promise<void> {
  const changes = Array.from({ length: count }, (_, n): Change => ({ kind: n % 2 === 0 ? 'closed' : 'reopened' }));
  await noted('Issue', project, issue, ...changes);
}
