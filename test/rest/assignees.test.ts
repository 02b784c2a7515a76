// Proves for every case what others show for some, or takes long: the long run has it.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { findRecipients } from '#src/domain/notifications/mailing/distribute.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { startMailbox } from '../support/mailbox.ts';
import { startReceiver } from '../support/receiver.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const mailbox = await startMailbox();
const world = await startWorld({ smtp: mailbox.url });
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const [owner, ann, ben, cleo, outsider] = [
  await world.user(),
  await world.user(),
  await world.user(),
  await world.user(),
  await world.user(),
];
const api = world.api(owner);
let project: ProjectRow;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'private' });
  for (const user of [ann, ben, cleo]) await world.member(project, user, 'reporter');
});

const issues = () => `/projects/${project.id}/issues`;
const ids = ({ assignees }: Json) => assignees.map(({ id }: Json) => id);

/** An issue as REST shows it, assigned to these users. */
async function issue(assignees: TestUser[], values: Json = {}): Promise<Json> {
  const assignee_ids = assignees.map(({ id }) => id);
  const { status, body } = await api.post(issues(), { title: world.unique('Issue'), assignee_ids, ...values });
  expect(status).toBe(201);
  return body;
}

const ask = async (query: string): Promise<Json> => (await world.graphql(query, {}, owner)).body;

/** The text of the mail to a user that has such a text. */
async function mailed(user: TestUser, part: string): Promise<string> {
  let found: string | undefined;
  await world.until(async () => {
    const texts = mailbox.to(`${user.username}@example.org`).map(({ text }) => text.replaceAll('\r\n', '\n'));
    found = texts.find((text) => text.includes(part));
    return found !== undefined;
  }, 10_000);
  return found ?? '';
}

/** The number of a merge request assigned to these users. */
async function mergeRequest(assignees: TestUser[], at = project): Promise<number> {
  const iid = Number(world.unique('').replace(/\D/g, '')) + 100;
  await world.mergeRequest(at, owner, { iid });
  const { status } = await api.put(`/projects/${at.id}/merge_requests/${iid}`, {
    assignee_ids: assignees.map(({ id }) => id),
  });
  expect(status).toBe(200);
  return iid;
}

describe('assignee_ids', () => {
  it('assigns to several users, in the order given; the first is the assignee', async () => {
    const made = await issue([ben, ann]);
    expect([ids(made), made.assignee.id]).toEqual([[ben.id, ann.id], ben.id]);
    const changed = await api.put(`${issues()}/${made.iid}`, { assignee_ids: [ann.id, cleo.id, ann.id] });
    expect([ids(changed.body), changed.body.assignee.id]).toEqual([[ann.id, cleo.id], ann.id]);
    const { body } = await api.get(issues());
    expect(ids(body.find(({ iid }: Json) => iid === made.iid))).toEqual([ann.id, cleo.id]);
  });

  it.each<[how: string, body: (some: number[]) => object | string, kept: number]>([
    ['as a list', (some) => ({ assignee_ids: some }), 2],
    ['as texts', (some) => ({ assignee_ids: some.map(String) }), 2],
    ['separated by commas', (some) => ({ assignee_ids: some.join(',') }), 2],
    ['as one number', ([one]) => ({ assignee_ids: one }), 1],
    ['as a list of 0, for nobody', () => ({ assignee_ids: [0] }), 0],
    ['empty, for nobody', () => ({ assignee_ids: '' }), 0],
    ['as an empty list, for nobody', () => ({ assignee_ids: [] }), 0],
    ['as null, for nobody', () => ({ assignee_ids: null }), 0],
    ['beside assignee_id, over which it wins', (some) => ({ assignee_ids: some, assignee_id: cleo.id }), 2],
  ])('is understood %s', async (_how, body, kept) => {
    const { iid } = await issue([cleo]);
    const given = [ben.id, ann.id];
    const answer = await api.put(`${issues()}/${iid}`, body(given));
    expect([answer.status, ids(answer.body)]).toEqual([200, given.slice(0, kept)]);
  });

  it('leaves out users who do not exist, are blocked, or cannot read the project', async () => {
    const blocked = await world.user();
    await world.member(project, blocked, 'reporter');
    await world.db.user.update({ where: { id: blocked.id }, data: { state: 'blocked' } });
    const made = await issue([], { assignee_ids: [outsider.id, ben.id, 2_147_483_000, blocked.id, ann.id] });
    expect(ids(made)).toEqual([ben.id, ann.id]);
    const guest = await world.user();
    await world.member(project, guest, 'guest');
    const iid = await mergeRequest([ann, guest, ben]);
    const { body } = await api.get(`/projects/${project.id}/merge_requests/${iid}`);
    expect(ids(body)).toEqual([ann.id, ben.id]);
  });

  it('is ignored from those who may not assign, and refuses more than 200 users', async () => {
    const guest = await world.user();
    await world.member(project, guest, 'guest');
    const { body } = await world.api(guest).post(issues(), { title: 'Mine', assignee_ids: [ann.id, ben.id] });
    expect(ids(body)).toEqual([]);
    const { iid } = await issue([ann]);
    const many = Array.from({ length: 201 }, (_, n) => n + 1);
    const refused = await api.put(`${issues()}/${iid}`, { assignee_ids: many });
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: { assignee_ids: ['has too many users (maximum is 200)'] } },
    ]);
    expect(ids((await api.get(`${issues()}/${iid}`)).body)).toEqual([ann.id]);
  });

  it('assignee_id still names the only one, and 0 nobody', async () => {
    const { iid } = await issue([ann, ben, cleo]);
    expect(ids((await api.put(`${issues()}/${iid}`, { assignee_id: ben.id })).body)).toEqual([ben.id]);
    await api.put(`${issues()}/${iid}`, { assignee_ids: [ann.id, ben.id] });
    const none = await api.put(`${issues()}/${iid}`, { assignee_id: 0 });
    expect([ids(none.body), none.body.assignee]).toEqual([[], null]);
  });
});

describe('GraphQL', () => {
  const updateIssue = (iid: number, input: string) =>
    ask(`mutation { updateIssue(input: { project: "${project.fullPath}", iid: ${iid}, ${input} }) {
      issue { assignee { databaseId } assignees { databaseId } } } }`);

  it('has assignees in one statement with their records, and refuses users who cannot read the project', async () => {
    const { iid } = await issue([cleo]);
    const { data } = await updateIssue(iid, `assigneeIds: ["${ben.id}", "${ann.id}"]`);
    expect(data.updateIssue.issue).toEqual({
      assignee: { databaseId: ben.id },
      assignees: [{ databaseId: ben.id }, { databaseId: ann.id }],
    });
    const { errors } = await updateIssue(iid, `assigneeIds: ["${outsider.id}", "${ann.id}"]`);
    expect(errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.assigneeIds.0': ['is not a user who can read the project'] },
    });
  });
});

describe('Every assignee', () => {
  it('has the issue in the lists of what is assigned to them, in either order, and nobody else has', async () => {
    const [ada, bob, eve] = [await world.user(), await world.user(), await world.user()];
    for (const user of [ada, bob, eve]) await world.member(project, user, 'reporter');
    const both = await issue([ada, bob]);
    const first = await issue([bob]);
    await issue([eve]);
    const last = await issue([eve, bob]);
    const listed = async (who: TestUser, path: string) => {
      const { headers, body } = await world.api(who).get(path);
      expect(headers['x-total']).toBe(String(body.length));
      return body.map(({ iid }: Json) => iid);
    };
    const all = [both.iid, first.iid, last.iid];
    for (const query of [`assignee_id=${bob.id}`, `assignee_username=${bob.username.toUpperCase()}`]) {
      for (const path of [`${issues()}?`, '/issues?scope=all&']) {
        expect(await listed(owner, `${path}${query}&sort=asc`)).toEqual(all);
        expect(await listed(owner, `${path}${query}&order_by=updated_at&sort=desc`)).toEqual(all.toReversed());
        expect(await listed(owner, `${path}${query}&per_page=100&not[assignee_id]=${eve.id}`)).toEqual(
          [both.iid, first.iid].toReversed(),
        );
      }
    }
    expect(await listed(bob, '/issues?scope=assigned_to_me&sort=asc')).toEqual(all);
    expect(await listed(ada, '/issues?scope=assigned_to_me')).toEqual([both.iid]);
    const page = await world.api(bob).get('/issues?scope=assigned_to_me&sort=asc&page=2&per_page=2');
    expect([page.headers['x-total'], page.body.map(({ iid }: Json) => iid)]).toEqual(['3', [last.iid]]);
    const { data } = await ask(
      `{ user(username: "${bob.username}") { issues(role: ASSIGNEE, sort: ASC, first: 2) { totalCount nodes { iid } } } }`,
    );
    expect(data.user.issues).toEqual({ totalCount: 3, nodes: [{ iid: both.iid }, { iid: first.iid }] });
  });

  it('sees a confidential issue, in lists, counts, searches and by its number; others do not', async () => {
    const [near, far] = [await world.user(), await world.user()];
    for (const user of [near, far]) await world.member(project, user, 'guest');
    const hidden = await issue([ann, near], { confidential: true, title: 'Hidden hyperbola' });
    const found = async (who: TestUser) => {
      const one = await world.api(who).get(`${issues()}/${hidden.iid}`);
      const { body, headers } = await world.api(who).get(`${issues()}?search=hyperbola`);
      const list = await world.api(who).get(`${issues()}?confidential=true`);
      const { body: events } = await world.api(who).get(`/projects/${project.id}/events?per_page=100`);
      const told = events.filter(({ target_id }: Json) => target_id === hidden.id).length;
      return [one.status, body.length, headers['x-total'], list.headers['x-total'], told];
    };
    expect(await found(near)).toEqual([200, 1, '1', '1', 1]);
    expect(await found(far)).toEqual([404, 0, '0', '0', 0]);
    const counted = async (who: TestUser) => {
      const { body } = await world.api(who).get(`/projects/${project.id}`);
      const { headers } = await world.api(who).get(issues());
      return [body.open_issues_count, headers['x-total']];
    };
    const [of, without] = [await counted(near), await counted(far)];
    expect(of).toEqual([without[0] + 1, String(Number(without[1]) + 1)]);
    expect((await world.api(near).put(`${issues()}/${hidden.iid}`, { title: 'Hidden parabola' })).status).toBe(200);
    expect((await world.api(far).put(`${issues()}/${hidden.iid}`, { title: 'Mine' })).status).toBe(403);
  });

  it('may change the merge request, is subscribed to it, and takes part in it', async () => {
    const iid = await mergeRequest([ann, ben]);
    const at = `/projects/${project.id}/merge_requests/${iid}`;
    const changed = await world.api(ben).put(at, { title: 'By Ben' });
    expect([changed.status, changed.body.title, changed.body.subscribed]).toEqual([200, 'By Ben', true]);
    expect((await world.api(cleo).put(at, { title: 'By Cleo' })).status).toBe(403);
    const { data } = await ask(`{ project(ref: "${project.fullPath}") { mergeRequest(iid: ${iid}) {
      assignees { databaseId } participants { nodes { databaseId } } } } }`);
    expect(data.project.mergeRequest.participants.nodes).toEqual(
      [owner, ann, ben].map(({ id }) => ({ databaseId: id })),
    );
    for (const query of ['scope=all&assignee_id=', 'not[assignee_id]=']) {
      const { body } = await api.get(`/projects/${project.id}/merge_requests?${query}${ben.id}&per_page=100`);
      expect(body.some((one: Json) => one.iid === iid)).toBe(query.startsWith('scope'));
    }
  });

  it('gets a todo, which is done once they are no longer assigned; a note names those who came and went', async () => {
    const { iid, id } = await issue([ann]);
    await api.put(`${issues()}/${iid}`, { assignee_ids: [ben.id, cleo.id] });
    await api.put(`${issues()}/${iid}`, { assignee_ids: [cleo.id, ann.id, owner.id] });
    const states = await world.db.todo.findMany({ where: { issueId: id }, orderBy: { id: 'asc' } });
    expect(states.map(({ userId, action, state }) => [userId, action, state])).toEqual([
      [ann.id, 'assigned', 'done'],
      [ben.id, 'assigned', 'done'],
      [cleo.id, 'assigned', 'pending'],
      [ann.id, 'assigned', 'pending'],
    ]);
    await api.put(`${issues()}/${iid}`, { assignee_ids: [] });
    const { body } = await api.get(`${issues()}/${iid}/notes`);
    const name = ({ username }: TestUser) => `@${username}`;
    expect(body.map((note: Json) => note.body)).toEqual([
      `assigned to ${name(ben)} and ${name(cleo)} and unassigned ${name(ann)}`,
      `assigned to ${name(ann)} and ${name(owner)} and unassigned ${name(ben)}`,
      `unassigned ${name(cleo)}, ${name(ann)} and ${name(owner)}`,
    ]);
  });

  it('is told by mail that they are assigned, or no longer', async () => {
    const { iid } = await issue([ann]);
    await api.put(`${issues()}/${iid}`, { assignee_ids: [ben.id, cleo.id] });
    const names = [ben, cleo].map(({ username }) => `Name of ${username}`).join(' and ');
    const sentence = `assigned the issue to ${names}.\n\n${world.url}/${project.fullPath}/-/issues/${iid}\n`;
    const texts = await Promise.all([ann, ben, cleo].map((user) => mailed(user, sentence)));
    expect(texts.map((text) => /because (.*)\./.exec(text)?.[1])).toEqual([
      'you were assigned',
      "you're assigned",
      "you're assigned",
    ]);
  });

  it('is in hooks, with the assignees before', async () => {
    const path = `/${world.unique('receiver')}`;
    await api.post(`/projects/${project.id}/hooks`, {
      url: receiver.url(path),
      issues_events: true,
      merge_requests_events: true,
      push_events: false,
    });
    const made = await issue([ann, ben]);
    await api.put(`${issues()}/${made.iid}`, { assignee_ids: [ann.id, cleo.id] });
    const [first, second] = await receiver.some(path, 2);
    if (!first || !second) throw new Error('There are two');
    expect(ids(first.body)).toEqual([ann.id, ben.id]);
    expect(first.body.object_attributes).toMatchObject({ assignee_id: ann.id, assignee_ids: [ann.id, ben.id] });
    expect(ids(second.body)).toEqual([ann.id, cleo.id]);
    const { assignees, ...others } = second.body.changes;
    expect([ids({ assignees: assignees.previous }), ids({ assignees: assignees.current }), others]).toEqual([
      [ann.id, ben.id],
      [ann.id, cleo.id],
      { updated_by_id: { previous: null, current: owner.id } },
    ]);
  });

  it('goes along when the issue is moved', async () => {
    const target = await world.project({ owner, visibility: 'private' });
    const made = await issue([ben, ann]);
    const { status, body } = await api.post(`${issues()}/${made.iid}/move`, { to_project_id: target.id });
    expect([status, ids(body)]).toEqual([201, [ben.id, ann.id]]);
  });

  it('leaves with their account, and the next one becomes the first', async () => {
    const admin = await world.user({ admin: true });
    const [gone, next] = [await world.user(), await world.user()];
    for (const user of [gone, next]) await world.member(project, user, 'reporter');
    const led = await issue([gone, next, ann]);
    const followed = await issue([ben, gone]);
    const iid = await mergeRequest([gone, next]);
    expect((await world.api(admin).delete(`/users/${gone.id}`)).status).toBe(200);
    const now = async (path: string) => {
      const { body } = await api.get(path);
      return [body.assignee?.id, ids(body)];
    };
    expect(await now(`${issues()}/${led.iid}`)).toEqual([next.id, [next.id, ann.id]]);
    expect(await now(`${issues()}/${followed.iid}`)).toEqual([ben.id, [ben.id]]);
    expect(await now(`/projects/${project.id}/merge_requests/${iid}`)).toEqual([next.id, [next.id]]);
    const { body } = await api.get(`${issues()}?assignee_id=${next.id}`);
    expect(body.map((one: Json) => one.iid)).toEqual([led.iid]);
  });
});

describe('Servers of the version before', () => {
  it('assign to one user, or nobody, by the column alone', async () => {
    const { id, iid } = await issue([ann, ben]);
    const now = async () => ids((await api.get(`${issues()}/${iid}`)).body);
    await world.db.$executeRaw`UPDATE issues SET assignee_id = ${cleo.id} WHERE id = ${id}`;
    expect(await now()).toEqual([cleo.id]);
    await world.db.$executeRaw`UPDATE issues SET title = 'Same' WHERE id = ${id}`;
    expect(await now()).toEqual([cleo.id]);
    await world.db.$executeRaw`UPDATE issues SET assignee_id = NULL WHERE id = ${id}`;
    expect(await now()).toEqual([]);
  });

  it('leave jobs that mail about one assignee', async () => {
    const made = await issue([ben]);
    const common = { projectId: project.id, subject: { type: 'Issue' as const, id: made.id }, actorId: owner.id };
    const happening = { ...common, event: 'reassignIssue' as const, assignees: { from: ann.id, to: ben.id } };
    await findRecipients(world.as(owner), [{ ...happening, key: crypto.randomUUID() }]);
    const page = `${world.url}/${project.fullPath}/-/issues/${made.iid}\n`;
    expect(await mailed(ann, page)).toContain(`assigned the issue to Name of ${ben.username}.`);
  });
});

describe('Quick actions', () => {
  it('assign to several users at once, add, remove and replace them', async () => {
    const { iid } = await issue([]);
    const now = async (body: string) => {
      await api.post(`${issues()}/${iid}/notes`, { body });
      return ids((await api.get(`${issues()}/${iid}`)).body);
    };
    expect(await now(`/assign @${ann.username} @${ben.username.toUpperCase()} @${outsider.username}`)).toEqual([
      ann.id,
      ben.id,
    ]);
    expect(await now('/assign me')).toEqual([ann.id, ben.id, owner.id]);
    expect(await now(`/unassign @${ann.username}, me`)).toEqual([ben.id]);
    expect(await now(`/reassign @${outsider.username}`)).toEqual([ben.id]);
    expect(await now(`/reassign @${cleo.username} @${ann.username}`)).toEqual([cleo.id, ann.id]);
    expect(await now('/unassign')).toEqual([]);
  });
});
