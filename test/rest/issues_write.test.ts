import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
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

const labelTitles = async () =>
  (await world.db.label.findMany({ where: { projectId: project.id }, orderBy: { title: 'asc' } })).map((l) => l.title);

describe('POST /projects/:id/issues', () => {
  it('opens an issue with all that a reporter may set, and makes missing labels', async () => {
    const milestone = await world.milestone(project, owner);
    const { status, body } = await api.post(at, {
      title: 'All of it',
      description: 'text',
      labels: 'fresh, other ,fresh',
      milestone_id: milestone.id,
      assignee_id: guest.id,
      due_date: '2030-02-28',
      confidential: true,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      title: 'All of it',
      description: 'text',
      state: 'opened',
      labels: ['fresh', 'other'],
      milestone: { id: milestone.id },
      assignee: { id: guest.id },
      author: { id: reporter.id },
      due_date: '2030-02-28',
      confidential: true,
      subscribed: true,
    });
    expect(await labelTitles()).toEqual(expect.arrayContaining(['fresh', 'other']));
    const where = { targetType: 'Issue', targetId: body.id };
    expect(await world.db.event.findMany({ where })).toMatchObject([{ action: 'opened', authorId: reporter.id }]);
  });

  it('drops what a guest may not set, and makes no labels for him', LONG, async () => {
    const milestone = await world.milestone(project, owner);
    const given = {
      title: 'From a guest',
      labels: 'smuggled',
      milestone_id: milestone.id,
      assignee_id: owner.id,
      due_date: '2030-01-01',
    };
    expect(await world.api(guest).post(at, given)).toMatchObject({
      status: 201,
      body: { labels: [], milestone: null, assignee: null, due_date: null },
    });
    expect(await labelTitles()).not.toContain('smuggled');
  });

  it.each([
    [{}, { error: 'title is missing' }],
    [{ title: '' }, { message: { title: ["can't be blank"] } }],
    [{ title: '   ' }, { message: { title: ["can't be blank"] } }],
    [{ title: 'x'.repeat(256) }, { message: { title: ['is too long (maximum is 255 characters)'] } }],
    [{ title: 'x', due_date: 'tomorrow' }, { error: 'due_date is invalid' }],
    [
      { title: 'x', assignee_id: 'me', milestone_id: 'it' },
      { error: 'assignee_id is invalid, milestone_id is invalid' },
    ],
  ])('refuses %j', async (given, body) => {
    const before = await world.db.issue.count();
    const answer = await api.post(at, given);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body });
    expect(await world.db.issue.count()).toBe(before);
  });

  it('takes 255 characters, of any plane', async () => {
    const title = '🦊'.repeat(255);
    expect(await api.post(at, { title })).toMatchObject({ status: 201, body: { title } });
  });

  it('honours iid from administrators and owners alone, and goes on counting from the highest', async () => {
    const own = await world.project({ owner });
    await world.member(own, reporter, 'reporter');
    const path = `/projects/${own.id}/issues`;
    const numberOf = async (who: typeof owner, iid?: number) =>
      (await world.api(who).post(path, { title: 'numbered', ...(iid === undefined ? {} : { iid }) })).body.iid;
    expect(await numberOf(owner, 7)).toBe(7);
    expect(await numberOf(await world.user({ admin: true }), 3)).toBe(3);
    expect([await numberOf(reporter), await numberOf(reporter, 20)]).toEqual([8, 9]);
  });

  it(
    '409 for an iid that another issue has, also one that was deleted, and 400 for one out of range',
    LONG,
    async () => {
      const own = await world.project({ owner });
      const path = `/projects/${own.id}/issues`;
      const [taken, gone] = [await world.issue(own, owner), await world.issue(own, owner)];
      expect((await world.api(owner).delete(`${path}/${gone.iid}`)).status).toBe(204);
      const label = await world.label(own, owner);
      for (const given of [{ iid: taken.iid }, { iid: taken.iid, labels: label.title }, { iid: gone.iid }]) {
        const answer = await world.api(owner).post(path, { title: 'again', ...given });
        expect(answer.status).toBe(409);
        expect(JSON.stringify(answer.body)).toContain('iid');
      }
      for (const iid of [0, -1, 1_000_000_001])
        expect((await world.api(owner).post(path, { title: 'again', iid })).status).toBe(400);
      expect((await world.api(owner).post(path, { title: 'next' })).body.iid).toBe(gone.iid + 1);
      expect(await world.db.issue.count({ where: { projectId: own.id } })).toBe(3);
    },
  );

  it('honours created_at from administrators and owners of the namespace alone', async () => {
    const created_at = '2016-03-11T03:45:40.000Z';
    const admin = await world.user({ admin: true });
    for (const who of [owner, admin]) {
      expect(await world.api(who).post(at, { title: 'old', created_at })).toMatchObject({
        status: 201,
        body: { created_at },
      });
    }
    const ignored = await api.post(at, { title: 'now', created_at });
    expect(ignored.status).toBe(201);
    expect(Date.parse(ignored.body.created_at)).toBeGreaterThan(Date.parse('2020-01-01'));
  });

  it('takes assignees who cannot see the project, and milestones of others, for none', async () => {
    const elsewhere = await world.project({ owner });
    const milestone = await world.milestone(elsewhere, owner);
    const given = { title: 'x', assignee_id: (await world.user()).id, milestone_id: milestone.id };
    expect(await api.post(at, given)).toMatchObject({ status: 201, body: { assignee: null, milestone: null } });
  });
});

describe('PUT /projects/:id/issues/:issue_iid', () => {
  it('changes what is given and leaves the rest', async () => {
    const { iid } = await world.issue(project, owner, { description: 'kept', labels: ['a'], dueDate: '2031-01-01' });
    const { status, body } = await api.put(`${at}/${iid}`, { title: 'New', labels: 'b,c' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      title: 'New',
      description: 'kept',
      labels: ['b', 'c'],
      due_date: '2031-01-01',
      state: 'opened',
    });
    expect(body).toHaveProperty('subscribed');
  });

  it('closes, reopens as opened, and leaves what is so already', async () => {
    const { id, iid } = await world.issue(project, owner);
    for (const [state_event, state] of [
      ['close', 'closed'],
      ['close', 'closed'],
      ['reopen', 'opened'],
      ['reopen', 'opened'],
    ]) {
      expect(await api.put(`${at}/${iid}`, { state_event })).toMatchObject({ status: 200, body: { state } });
    }
    const events = await world.db.event.findMany({
      where: { targetType: 'Issue', targetId: id },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ action }) => action)).toEqual(['opened', 'closed', 'opened']);
  });

  it.each(['', null])('clears due date, milestone, assignee and labels by %j', async (blank) => {
    const milestone = await world.milestone(project, owner);
    const { iid } = await world.issue(project, owner, {
      dueDate: '2031-01-01',
      milestoneId: milestone.id,
      assigneeId: guest.id,
      labels: ['z'],
    });
    const given = { due_date: blank, milestone_id: blank, assignee_id: blank, labels: blank };
    expect(await api.put(`${at}/${iid}`, given)).toMatchObject({
      status: 200,
      body: { due_date: null, milestone: null, assignee: null, labels: [] },
    });
  });

  it('clears milestone and assignee by 0', async () => {
    const milestone = await world.milestone(project, owner);
    const { iid } = await world.issue(project, owner, { milestoneId: milestone.id, assigneeId: guest.id });
    const given = { milestone_id: 0, assignee_id: '0' };
    expect(await api.put(`${at}/${iid}`, given)).toMatchObject({
      status: 200,
      body: { milestone: null, assignee: null },
    });
  });

  it('takes a severity, which only incidents have, and leaves the issue as it is', async () => {
    const { iid } = await world.issue(project, owner);
    const before = (await api.get(`${at}/${iid}`)).body;
    const { status, body } = await api.put(`${at}/${iid}`, { severity: 'HIGH' });
    expect([status, body]).toEqual([200, { ...before, updated_at: expect.any(String) }]);
    expect(body.severity).toBe('UNKNOWN');
  });

  it.each([
    [
      {},
      {
        error: expect.stringMatching(
          /^title, description, .*due_date.* are missing, at least one parameter must be provided$/,
        ),
      },
    ],
    [{ title: '' }, { message: { title: ["can't be blank"] } }],
    [{ title: 'x'.repeat(256) }, { message: { title: ['is too long (maximum is 255 characters)'] } }],
    [{ state_event: 'destroy' }, { error: 'state_event does not have a valid value' }],
  ])('refuses %j', async (given, body) => {
    const { iid, title } = await world.issue(project, owner);
    expect(await api.put(`${at}/${iid}`, given)).toMatchObject({ status: 400, body });
    expect((await api.get(`${at}/${iid}`)).body.title).toBe(title);
  });

  it('is for reporters, the author and the assignee', LONG, async () => {
    const own = await world.issue(project, guest);
    const assigned = await world.issue(project, owner, { assigneeId: guest.id });
    const foreign = await world.issue(project, owner);
    const asGuest = world.api(guest);
    expect(await asGuest.put(`${at}/${own.iid}`, { title: 'Mine' })).toMatchObject({
      status: 200,
      body: { title: 'Mine' },
    });
    expect(await asGuest.put(`${at}/${assigned.iid}`, { state_event: 'close' })).toMatchObject({ status: 200 });
    const refused = await asGuest.put(`${at}/${foreign.iid}`, { title: 'Not mine' });
    expect(refused).toMatchObject({ status: 403, body: { message: '403 Forbidden' } });
    expect((await api.get(`${at}/${foreign.iid}`)).body.title).toBe(foreign.title);
  });

  it('drops labels, milestone, assignee and due date that an author below reporter gives', async () => {
    const own = await world.issue(project, guest);
    const given = { title: 'Kept', labels: 'smuggled2', due_date: '2030-01-01', assignee_id: owner.id };
    expect(await world.api(guest).put(`${at}/${own.iid}`, given)).toMatchObject({
      status: 200,
      body: { title: 'Kept', labels: [], due_date: null, assignee: null },
    });
    expect(await labelTitles()).not.toContain('smuggled2');
  });

  it('honours updated_at from the owner of the namespace alone', async () => {
    const updated_at = '2017-01-02T03:04:05.678Z';
    const { iid } = await world.issue(project, owner);
    expect(await world.api(owner).put(`${at}/${iid}`, { updated_at })).toMatchObject({
      status: 200,
      body: { updated_at },
    });
    expect((await api.put(`${at}/${iid}`, { updated_at })).body.updated_at).not.toBe(updated_at);
  });

  it('and DELETE of a confidential issue of others are 403, as the record is found', async () => {
    const { iid } = await world.issue(project, owner, { confidential: true });
    const forbidden = { status: 403, body: { message: '403 Forbidden' } };
    expect(await world.api(guest).put(`${at}/${iid}`, { title: 'x' })).toMatchObject(forbidden);
    expect(await world.api(guest).delete(`${at}/${iid}`)).toMatchObject(forbidden);
  });

  it('of a missing issue is 404', async () => {
    expect(await api.put(`${at}/999`, { title: 'x' })).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    });
  });
});
