import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();
const api = world.api(reporter);
let project: ProjectRow;
let at: string;

const titles = ({ body }: Json) => body.map(({ title }: { title: string }) => title);
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

/** What a list shows of an issue (rest-api-v4.md, Issues). */
const KEYS = [
  'id',
  'iid',
  'project_id',
  'title',
  'description',
  'state',
  'created_at',
  'updated_at',
  'labels',
  'milestone',
  'assignee',
  'assignees',
  'author',
  'user_notes_count',
  'upvotes',
  'downvotes',
  'start_date',
  'due_date',
  'confidential',
  'discussion_locked',
  'web_url',
  // The keys that today's version adds, and two above.
  'closed_at',
  'closed_by',
  'type',
  'issue_type',
  'merge_requests_count',
  'blocking_issues_count',
  'time_stats',
  'task_completion_status',
  'imported',
  'imported_from',
  'has_tasks',
  '_links',
  'severity',
  'moved_to_id',
  'service_desk_reply_to',
  'references',
];

beforeAll(async () => {
  const group = await world.group({ owner, path: 'space', visibility: 'private' });
  project = await world.project({ owner, namespaceId: group.id, path: 'filters' });
  at = `/projects/${project.id}/issues`;
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  const started = await world.milestone(project, owner, { title: 'Started', startDate: day(-3), dueDate: day(30) });
  const upcoming = await world.milestone(project, owner, { title: 'Upcoming', dueDate: day(7) });
  const make = (title: string, input: object = {}) => world.issue(project, owner, { title, ...input });
  await make('one', { labels: ['bug', 'ui'], milestoneId: started.id, description: 'has 100% of it' });
  await make('two', { labels: ['bug'], milestoneId: upcoming.id });
  await make('three', { description: 'A NEEDLE in hay' });
  await make('four', { labels: ['ui'] });
  await make('secret', { confidential: true });
  await make('assigned secret', { confidential: true, assigneeId: guest.id });
  await world.api(owner).put(`${at}/4`, { state_event: 'close' });
  await world.api(owner).put(`${at}/1`, { description: 'has 100% of everything' });
});

describe('GET /projects/:id/issues', () => {
  it('shows exactly the keys of the contract and of today, and of people the brief form', async () => {
    const { body } = await api.get(`${at}?iids[]=2`);
    expect(body).toHaveLength(1);
    const [issue] = body;
    expect(Object.keys(issue)).toEqual(KEYS);
    expect(Object.keys(issue.author)).toEqual(['id', 'name', 'username', 'state', 'avatar_url', 'web_url']);
    expect(issue).toMatchObject({
      iid: 2,
      project_id: project.id,
      state: 'opened',
      labels: ['bug'],
      assignee: null,
      milestone: { title: 'Upcoming', state: 'active', due_date: day(7), start_date: null, project_id: project.id },
      user_notes_count: 0,
      upvotes: 0,
      downvotes: 0,
      due_date: null,
      confidential: false,
      web_url: `${world.url}/space/filters/-/issues/2`,
    });
    expect(issue.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('lists the newest first, and says how many there are', async () => {
    const answer = await api.get(at);
    expect(titles(answer)).toEqual(['assigned secret', 'secret', 'four', 'three', 'two', 'one']);
    expect(answer.headers['x-total']).toBe('6');
  });

  it.each([
    ['sort=asc', ['one', 'two', 'three', 'four', 'secret', 'assigned secret']],
    ['order_by=updated_at', ['one', 'four', 'assigned secret', 'secret', 'three', 'two']],
    ['order_by=updated_at&sort=asc&per_page=2', ['two', 'three']],
    ['state=opened&sort=asc', ['one', 'two', 'three', 'secret', 'assigned secret']],
    ['state=closed', ['four']],
    ['state=all&sort=asc&per_page=1&page=2', ['two']],
    ['labels=bug', ['two', 'one']],
    ['labels=bug,%20ui', ['one']],
    ['labels=ui&state=closed', ['four']],
    ['labels=No%20Label&sort=asc', ['three', 'secret', 'assigned secret']],
    ['labels=bug,No%20Label&sort=asc', ['three', 'secret', 'assigned secret']],
    ['labels=unknown', []],
    ['labels=', ['assigned secret', 'secret', 'four', 'three', 'two', 'one']],
    ['milestone=Started', ['one']],
    ['milestone=No%20Milestone', ['assigned secret', 'secret', 'four', 'three']],
    ['milestone=%23upcoming', ['two']],
    ['milestone=%23started', ['one']],
    ['milestone=unknown', []],
    ['iids[]=1&iids[]=3', ['three', 'one']],
    ['iids=2', ['two']],
    ['search=needle', ['three']],
    ['search=WO', ['two']],
    ['search=100%25', ['one']],
    ['search=_', []],
    ['search=o&labels=bug&milestone=Upcoming&state=opened', ['two']],
  ])('filters and orders by %s', async (query, expected) => {
    const answer = await api.get(`${at}?${query}`);
    expect(answer.status).toBe(200);
    expect(titles(answer)).toEqual(expected);
    if (!query.includes('per_page')) expect(answer.headers['x-total']).toBe(String(expected.length));
  });

  it('holds confidential issues for author, assignee, reporters and administrators only, the total included', async () => {
    const assigned = await world.api(guest).get(at);
    expect(titles(assigned)).toEqual(['assigned secret', 'four', 'three', 'two', 'one']);
    expect(assigned.headers['x-total']).toBe('5');
    const other = await world.user();
    await world.member(project, other, 'guest');
    const answer = await world.api(other).get(`${at}?state=opened`);
    expect([titles(answer), answer.headers['x-total']]).toEqual([['three', 'two', 'one'], '3']);
    const admin = await world.user({ admin: true });
    expect((await world.api(admin).get(at)).headers['x-total']).toBe('6');
  });

  it('is empty while issues are switched off', async () => {
    const off = await world.project({ owner, visibility: 'public', switches: { issuesEnabled: false } });
    expect(await world.api(owner).get(`/projects/${off.id}/issues`)).toMatchObject({ status: 200, body: [] });
  });

  it('counts notes of people, thumbs up and thumbs down', async () => {
    const { id, iid } = await world.issue(project, owner, { title: 'noted' });
    const note = { subjectType: 'Issue', subjectId: id, authorId: owner.id, body: 'n' };
    await world.db.note.createMany({ data: [note, note, { ...note, system: true }] });
    const award = { subjectType: 'Issue', subjectId: id };
    await world.db.awardEmoji.createMany({
      data: [
        { ...award, userId: owner.id, name: 'thumbsup' },
        { ...award, userId: guest.id, name: 'thumbsup' },
        { ...award, userId: reporter.id, name: 'thumbsdown' },
        { ...award, userId: reporter.id, name: 'smile' },
      ],
    });
    const [issue] = (await api.get(`${at}?iids=${iid}`)).body;
    expect(issue).toMatchObject({ user_notes_count: 2, upvotes: 2, downvotes: 1 });
    await world.api(owner).delete(`${at}/${iid}`);
  });
});

describe('GET /groups/:id/issues', () => {
  it('lists the issues of its projects and subgroups, with the same filters', async () => {
    const parent = await world.group({ owner, visibility: 'private' });
    const child = await world.group({ owner, visibility: 'private', parentId: parent.id });
    const inside = await world.project({ owner, namespaceId: parent.id });
    const deeper = await world.project({ owner, namespaceId: child.id });
    await world.issue(inside, owner, { title: 'shallow', labels: ['x'] });
    await world.issue(deeper, owner, { title: 'deep', labels: ['x', 'y'] });
    const asOwner = world.api(owner);
    expect(titles(await asOwner.get(`/groups/${parent.id}/issues`))).toEqual(['deep', 'shallow']);
    expect(titles(await asOwner.get(`/groups/${encodeURIComponent(child.fullPath)}/issues`))).toEqual(['deep']);
    expect(titles(await asOwner.get(`/groups/${parent.id}/issues?labels=x,y`))).toEqual(['deep']);
    expect(titles(await asOwner.get(`/groups/${parent.id}/issues?search=shall&state=opened`))).toEqual(['shallow']);
  });

  it('leaves out what the caller may not see', LONG, async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const open = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
    const closed = await world.project({ owner, namespaceId: group.id });
    await world.issue(open, owner, { title: 'open' });
    await world.issue(open, owner, { title: 'secret', confidential: true });
    await world.issue(closed, owner, { title: 'private' });
    const answer = await world.api(guest).get(`/groups/${group.id}/issues`);
    expect([titles(answer), answer.headers['x-total']]).toEqual([['open'], '1']);
  });

  it('of a group that is hidden or missing are 404', async () => {
    const group = await world.group({ owner, visibility: 'private' });
    for (const id of [group.id, 0, 'nowhere']) {
      const answer = await world.api(guest).get(`/groups/${id}/issues`);
      expect(answer).toMatchObject({ status: 404, body: { message: '404 Group Not Found' } });
    }
    expect(await world.api().get(`/groups/${group.id}/issues`)).toMatchObject({ status: 401 });
  });
});

describe('GET /issues', () => {
  it('lists what the caller wrote, in every project that he still sees', async () => {
    const writer = await world.user();
    const first = await world.project({ owner, visibility: 'public' });
    const second = await world.project({ owner, visibility: 'public' });
    await world.issue(first, writer, { title: 'mine' });
    await world.issue(first, owner, { title: 'not mine' });
    await world.issue(second, writer, { title: 'lost' });
    const asWriter = world.api(writer);
    expect(titles(await asWriter.get('/issues?sort=asc'))).toEqual(['mine', 'lost']);
    expect(titles(await asWriter.get('/issues?search=LOS'))).toEqual(['lost']);
    await world.db.project.update({ where: { id: second.id }, data: { visibility: 'private' } });
    const answer = await asWriter.get('/issues');
    expect([titles(answer), answer.headers['x-total']]).toEqual([['mine'], '1']);
    expect(await world.api().get('/issues')).toMatchObject({ status: 401 });
  });
});

describe('GET /projects/:id/issues/:issue_iid', () => {
  it('adds subscribed to the keys of the list', async () => {
    const { status, body } = await api.get(`${at}/1`);
    expect([status, Object.keys(body)]).toEqual([200, [...KEYS, 'subscribed']]);
    expect(body.subscribed).toBe(false);
    expect((await world.api(owner).get(`${at}/1`)).body.subscribed).toBe(true);
  });

  it('is 404 for confidential ones of others, missing and deleted ones', async () => {
    const notFound = { status: 404, body: { message: '404 Not found' } };
    expect(await world.api(guest).get(`${at}/5`)).toMatchObject(notFound);
    expect(await world.api(guest).get(`${at}/6`)).toMatchObject({ status: 200 });
    expect(await api.get(`${at}/999`)).toMatchObject(notFound);
    const { iid } = await world.issue(project, owner);
    await world.api(owner).delete(`${at}/${iid}`);
    expect(await api.get(`${at}/${iid}`)).toMatchObject(notFound);
  });
});
