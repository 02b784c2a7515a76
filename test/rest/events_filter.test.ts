// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const outsider = await world.user();

const project = await world.project({ owner, visibility: 'public' });
await world.member(project, guest, 'guest');
const issues = `/projects/${project.id}/issues`;
const { body: issue } = await world.api(owner).post(issues, { title: 'Open' });
const secret = await world.issue(project, owner, { title: 'Secret', confidential: true });
for (const state_event of ['close', 'reopen']) {
  expect((await world.api(owner).put(`${issues}/${issue.iid}`, { state_event })).status).toBe(200);
}
await world.api(guest).post(`${issues}/${issue.iid}/notes`, { body: 'Seen' });
await world.api(owner).post(`/projects/${project.id}/milestones`, { title: 'First' });
// Others do the same elsewhere.
const elsewhere = await world.project({ owner: outsider, visibility: 'public' });
await world.issue(elsewhere, outsider, { title: 'Elsewhere' });

/** What was done to what, in the order of the feed, whose total is right. */
async function told(who: TestUser | string, path: string, filter: Record<string, string> = {}) {
  const query = new URLSearchParams({ ...filter, per_page: '100' });
  const { status, headers, body } = await world.api(who).get(`${path}?${query}`);
  expect([status, headers['x-total']]).toEqual([200, String(body.length)]);
  return body.map(({ action_name, target_title }: Json) => `${action_name} ${target_title ?? 'it'}`);
}

const ofOwner = ['opened First', 'opened Open', 'closed Open', 'opened Secret', 'opened Open', 'created it'];

describe('GET /events', () => {
  it('tells what the caller did, and with a scope what all did in the projects of the caller', async () => {
    expect(await told(owner, '/events')).toEqual(ofOwner);
    expect(await told(guest, '/events')).toEqual(['commented on Open']);
    const [first, ...others] = ofOwner;
    expect(await told(owner, '/events', { scope: 'all' })).toEqual([first, 'commented on Open', ...others]);
    expect(await told(guest, '/events', { scope: 'all' })).toEqual(
      [first, 'commented on Open', ...others].filter((one) => !one?.includes('Secret')),
    );
    expect(await told(outsider, '/events', { scope: 'all' })).toEqual(['opened Elsewhere', 'created it']);
  });

  it('needs a caller who is signed in, and whose token reads more than users', async () => {
    expect(await world.api().get('/events')).toMatchObject({ status: 401 });
    expect(await world.api(await world.token(owner, ['read_user'])).get('/events')).toMatchObject({ status: 403 });
    expect(await told(await world.token(owner, ['read_api']), '/events')).toEqual(ofOwner);
  });

  it('counts confidential issues of the caller where it sees no others', async () => {
    const [author, other] = [await world.user(), await world.user()];
    const others = await world.project({ owner: other, visibility: 'private' });
    await world.member(others, author, 'guest');
    await world.issue(others, author, { title: 'Mine', confidential: true });
    await world.issue(others, other, { title: 'Yours', confidential: true });
    expect(await told(author, '/events', { scope: 'all' })).toEqual(['opened Mine', 'created it']);
  });

  it('forgets what a membership showed once that has ended', async () => {
    const left = await world.user();
    await world.member(project, left, 'reporter');
    expect(await told(left, '/events', { scope: 'all' })).toContain('opened Secret');
    await world.db.member.deleteMany({ where: { projectId: project.id, userId: left.id } });
    expect(await told(left, '/events', { scope: 'all' })).toEqual([]);
  });
});

describe.each([
  ['the caller', '/events'],
  ['a project', `/projects/${project.id}/events`],
  ['a user', `/users/${owner.id}/events`],
])('The events of %s', (_, path) => {
  const others = path.startsWith('/projects') ? ['commented on Open'] : [];

  it.each([
    ['created', ['opened First', 'opened Secret', 'opened Open', 'created it']],
    ['reopened', ['opened Open']],
    ['closed', ['closed Open']],
    ['CLOSED', ['closed Open']],
    ['Commented', others],
    ['merged', []],
    ['updated', []],
  ])('that say %s are found', async (action, found) => {
    expect(await told(owner, path, { action })).toEqual(found);
  });

  it.each([
    ['issue', ['opened Open', 'closed Open', 'opened Secret', 'opened Open']],
    ['milestone', ['opened First']],
    ['note', others],
    ['project', ['created it']],
    ['wiki', []],
    ['epic', []],
  ])('about records of the type %s are found', async (target_type, found) => {
    expect(await told(owner, path, { target_type })).toEqual(found);
  });

  it('come oldest first on request, page by page', async () => {
    const all = await told(owner, path);
    expect(await told(owner, path, { sort: 'asc' })).toEqual(all.toReversed());
    const pages = [];
    for (let page = 1; page <= Math.ceil(all.length / 2); page += 1) {
      const { body } = await world.api(owner).get(`${path}?sort=asc&per_page=2&page=${page}`);
      pages.push(...body.map(({ created_at }: Json) => created_at));
    }
    expect(pages).toEqual(pages.toSorted());
    expect(pages).toHaveLength(all.length);
  });

  it('are of the days that are asked for', async () => {
    const day = (offset: number) => new Date(Date.now() + offset * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
    const all = await told(owner, path);
    expect(await told(owner, path, { after: day(-1), before: day(1) })).toEqual(all);
    expect(await told(owner, path, { after: day(0) })).toEqual([]);
    expect(await told(owner, path, { before: day(0) })).toEqual([]);
    expect(await told(owner, path, { after: day(-1), action: 'closed', target_type: 'issue' })).toEqual([
      'closed Open',
    ]);
  });

  it.each([
    ['action=jumped', 'action does not have a valid value'],
    ['target_type=cat', 'target_type does not have a valid value'],
    ['before=soon', 'before is invalid'],
    ['after=2031-13-01', 'after is invalid'],
    ['sort=up', 'sort does not have a valid value'],
  ])('cannot be asked for with %s', async (query, error) => {
    expect(await world.api(owner).get(`${path}?${query}`)).toMatchObject({ status: 400, body: { error } });
  });
});

it('A confidential issue stays hidden from guests whatever is asked for', async () => {
  const path = `/projects/${project.id}/events`;
  expect(await told(guest, path, { action: 'created', target_type: 'issue' })).toEqual(['opened Open']);
  expect(await told(owner, path, { action: 'created', target_type: 'issue' })).toContain(`opened ${secret.title}`);
});
