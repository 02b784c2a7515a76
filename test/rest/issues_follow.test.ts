// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();
const api = world.api(reporter);
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner });
  at = `/projects/${project.id}/issues`;
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
});

describe('DELETE /projects/:id/issues/:issue_iid', () => {
  it('takes the issue out of every answer and keeps its row; its number is not used again', async () => {
    const issue = await world.issue(project, owner);
    const asOwner = world.api(owner);
    const before = Number((await asOwner.get(at)).headers['x-total']);
    expect(await asOwner.delete(`${at}/${issue.iid}`)).toMatchObject({ status: 204, body: null });
    expect((await asOwner.get(at)).headers['x-total']).toBe(String(before - 1));
    expect(await world.db.issue.findUnique({ where: { id: issue.id } })).toMatchObject({ deletedAt: expect.any(Date) });
    expect(await asOwner.delete(`${at}/${issue.iid}`)).toMatchObject({
      status: 404,
      body: { message: '404 Issue Not Found' },
    });
    expect((await world.issue(project, owner)).iid).toBeGreaterThan(issue.iid);
  });

  it('is for owners', async () => {
    const { id, iid } = await world.issue(project, reporter);
    expect(await api.delete(`${at}/${iid}`)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } });
    expect(await world.db.issue.findUnique({ where: { id } })).toMatchObject({ deletedAt: null });
  });
});

describe('Subscriptions to issues', () => {
  it('start and stop, and are 304 where that holds already', async () => {
    const { iid } = await world.issue(project, owner);
    const subscribe = () => api.post(`${at}/${iid}/subscribe`);
    const unsubscribe = () => api.post(`${at}/${iid}/unsubscribe`);
    expect(await unsubscribe()).toMatchObject({ status: 304, body: null });
    expect(await subscribe()).toMatchObject({ status: 201, body: { iid, subscribed: true } });
    expect(await subscribe()).toMatchObject({ status: 304, body: null });
    expect(await unsubscribe()).toMatchObject({ status: 201, body: { iid, subscribed: false } });
    expect((await api.get(`${at}/${iid}`)).body.subscribed).toBe(false);
  });

  it('hold for author, assignee, mentioned and who wrote a note without a choice of theirs', async () => {
    const { id, iid } = await world.issue(project, owner, {
      assigneeId: reporter.id,
      description: `see @${guest.username}!`,
    });
    const writer = await world.user();
    await world.member(project, writer, 'guest');
    await world.db.note.create({ data: { subjectType: 'Issue', subjectId: id, authorId: writer.id, body: 'n' } });
    for (const who of [owner, reporter, guest, writer]) {
      expect(await world.api(who).post(`${at}/${iid}/subscribe`)).toMatchObject({ status: 304 });
    }
    expect(await world.api(owner).post(`${at}/${iid}/unsubscribe`)).toMatchObject({
      status: 201,
      body: { subscribed: false },
    });
  });

  it('to what the caller may not see are 404', async () => {
    const { iid } = await world.issue(project, owner, { confidential: true });
    expect(await world.api(guest).post(`${at}/${iid}/subscribe`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    });
    expect(await world.db.subscription.count({ where: { userId: guest.id } })).toBe(0);
  });
});
