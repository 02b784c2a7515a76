// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const api = world.api(reporter);
const insufficient = { status: 400, body: { message: 'Cannot move issue due to insufficient permissions!' } };
let source: ProjectRow;
let target: ProjectRow;
const move = (iid: number, to: number | string, who = reporter) =>
  world.api(who).post(`/projects/${source.id}/issues/${iid}/move`, { to_project_id: to });

beforeAll(async () => {
  source = await world.project({ owner });
  target = await world.project({ owner });
  for (const project of [source, target]) await world.member(project, reporter, 'reporter');
});

describe('POST /projects/:id/issues/:issue_iid/move', () => {
  it('opens a copy with labels and milestone of the same titles, and closes the old issue for good', LONG, async () => {
    const milestone = await world.milestone(source, owner, { title: 'Both' });
    const twin = await world.milestone(target, owner, { title: 'Both' });
    await world.label(target, owner, 'shared');
    const issue = await world.issue(source, owner, {
      title: 'Traveller',
      description: 'with luggage',
      labels: ['shared', 'stays'],
      milestoneId: milestone.id,
      assigneeId: reporter.id,
      dueDate: '2032-03-04',
      confidential: true,
    });
    await world.issue(target, owner);
    const { status, body } = await move(issue.iid, target.id);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      iid: 2,
      project_id: target.id,
      title: 'Traveller',
      description: 'with luggage',
      state: 'opened',
      labels: ['shared'],
      milestone: { id: twin.id },
      author: { id: owner.id },
      assignee: { id: reporter.id },
      due_date: '2032-03-04',
      confidential: true,
      subscribed: true,
    });
    expect((await api.get(`/projects/${source.id}/issues/${issue.iid}`)).body).toMatchObject({
      state: 'closed',
      title: 'Traveller',
    });
    expect(await move(issue.iid, target.id)).toMatchObject(insufficient);
    const labels = await world.db.label.findMany({ where: { projectId: target.id } });
    expect(labels.map(({ title }) => title)).toEqual(['shared']);
  });

  it('is told in both feeds, of a closed issue in that of the copy alone', async () => {
    const told = async (project: ProjectRow) => {
      const { body } = await api.get(`/projects/${project.id}/events`);
      return body[0] && [body[0].action_name, body[0].target_title];
    };
    const open = await world.issue(source, owner, { title: 'Moves open' });
    await move(open.iid, target.id);
    expect([await told(source), await told(target)]).toEqual([
      ['closed', 'Moves open'],
      ['opened', 'Moves open'],
    ]);
    const closed = await world.issue(source, owner, { title: 'Moves closed' });
    await api.put(`/projects/${source.id}/issues/${closed.iid}`, { state_event: 'close' });
    const events = () => world.db.event.count({ where: { projectId: source.id } });
    const before = await events();
    expect((await move(closed.iid, target.id)).body).toMatchObject({ state: 'closed' });
    expect(await events()).toBe(before);
  });

  it('takes notes, awards and subscriptions along, and tells both sides', async () => {
    const issue = await world.issue(source, owner);
    const subject = { subjectType: 'Issue', subjectId: issue.id };
    await world.db.note.create({ data: { ...subject, authorId: owner.id, body: 'hello' } });
    await world.db.awardEmoji.create({ data: { ...subject, userId: owner.id, name: 'thumbsup' } });
    await api.post(`/projects/${source.id}/issues/${issue.iid}/subscribe`);
    const { body } = await move(issue.iid, target.id);
    expect(body).toMatchObject({ user_notes_count: 1, upvotes: 1, subscribed: true });
    const notes = (subjectId: number) =>
      world.db.note.findMany({ where: { subjectType: 'Issue', subjectId }, orderBy: { id: 'asc' } });
    expect((await notes(issue.id)).at(-1)).toMatchObject({
      system: true,
      body: `moved to ${target.fullPath}#${body.iid}`,
    });
    expect((await notes(body.id)).at(-1)).toMatchObject({
      system: true,
      body: `moved from ${source.fullPath}#${issue.iid}`,
    });
  });

  it('takes the awards on each note along', async () => {
    const issue = await world.issue(source, owner);
    const on = { subjectType: 'Issue', subjectId: issue.id, authorId: owner.id };
    const names = ['heart', 'tada', 'rocket'];
    for (const name of names) {
      const { id } = await world.db.note.create({ data: { ...on, body: name } });
      const award = { subjectType: 'Note', subjectId: id, userId: reporter.id, name };
      await world.db.awardEmoji.create({ data: award });
    }
    const { body: copy } = await move(issue.iid, target.id);
    const path = `/projects/${target.id}/issues/${copy.iid}/notes`;
    const found = [];
    for (const { id, body, system } of (await api.get(path)).body) {
      const [award] = (await api.get(`${path}/${id}/award_emoji`)).body;
      if (!system) found.push([body, award?.name]);
    }
    expect(found).toEqual(names.map((name) => [name, name]));
  });

  it('has no milestone where the target has none of that title', async () => {
    const milestone = await world.milestone(source, owner, { title: 'Only here' });
    const issue = await world.issue(source, owner, { milestoneId: milestone.id });
    expect(await move(issue.iid, target.id)).toMatchObject({ status: 201, body: { milestone: null } });
  });

  it('takes the right of a reporter in both projects, which is checked first', async () => {
    const guest = await world.user();
    await world.member(source, guest, 'guest');
    await world.member(target, guest, 'reporter');
    const own = await world.issue(source, guest);
    expect(await move(own.iid, target.id, guest)).toMatchObject(insufficient);
    expect(await move(own.iid, source.id, guest)).toMatchObject(insufficient);
    const half = await world.user();
    await world.member(source, half, 'reporter');
    await world.member(target, half, 'guest');
    expect(await move(own.iid, target.id, half)).toMatchObject(insufficient);
    const secret = await world.issue(source, owner, { confidential: true });
    expect(await move(secret.iid, target.id, guest)).toMatchObject(insufficient);
    expect((await api.get(`/projects/${source.id}/issues/${own.iid}`)).body.state).toBe('opened');
  });

  it('goes to another project', async () => {
    const { iid } = await world.issue(source, owner);
    const message = 'Cannot move issue to project it originates from!';
    expect(await move(iid, source.id)).toMatchObject({ status: 400, body: { message } });
  });

  it('names what is missing', async () => {
    const { iid } = await world.issue(source, owner);
    const hidden = await world.project({ owner });
    for (const to of [0, hidden.id]) {
      expect(await move(iid, to)).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } });
    }
    expect(await move(999, target.id)).toMatchObject({ status: 404, body: { message: '404 Issue Not Found' } });
    const unsaid = await api.post(`/projects/${source.id}/issues/${iid}/move`, {});
    expect(unsaid).toMatchObject({ status: 400, body: { error: 'to_project_id is missing' } });
  });

  it('happens once, however often it is asked for at the same time', LONG, async () => {
    const { iid } = await world.issue(source, owner);
    const answers = await Promise.all(Array.from({ length: 6 }, () => move(iid, target.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
    const { lastIssueIid } = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: target.id } });
    expect(lastIssueIid).toBe(await world.db.issue.count({ where: { projectId: target.id } }));
  });
});
