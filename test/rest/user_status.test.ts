// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const none = { emoji: null, availability: 'not_set', message: null, message_html: '', clear_status_at: null };

describe('The status of a user', () => {
  it('is shown to everyone, by ID and by username', async () => {
    const user = await world.user();
    const own = world.api(user);
    expect(await own.get('/user/status')).toMatchObject({ status: 200, body: none });
    const set = await own.put('/user/status', {
      emoji: 'coffee',
      message: 'Back :soon: <b>x</b>',
      availability: 'busy',
    });
    const status = { emoji: 'coffee', availability: 'busy', message: 'Back :soon: <b>x</b>', clear_status_at: null };
    expect(set).toMatchObject({ status: 200, body: status });
    expect(set.body.message_html).toContain('Back');
    expect(set.body.message_html).not.toContain('<script');
    for (const name of [user.id, user.username, user.username.toUpperCase()]) {
      expect(await world.api().get(`/users/${name}/status`)).toMatchObject({ status: 200, body: status });
    }
    expect(await world.api().get('/users/nobody-here/status')).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    });
    expect(await world.api().get('/users/999999/status')).toMatchObject({ status: 404 });
    expect((await world.api().get('/user/status')).status).toBe(401);
    const { data } = (
      await world.graphql(`{ user(username: "${user.username}") { status { emoji clearAt } } }`, {}, admin)
    ).body;
    expect(data.user.status).toEqual({ emoji: 'coffee', clearAt: null });
  });

  it('is replaced by PUT and changed by PATCH; a message alone is spoken, and what is left of nothing ends', async () => {
    const user = await world.user();
    const own = world.api(user);
    expect((await own.put('/user/status', { message: 'Hello' })).body).toMatchObject({ emoji: 'speech_balloon' });
    expect((await own.patch('/user/status', { availability: 'busy' })).body).toMatchObject({
      message: 'Hello',
      availability: 'busy',
    });
    expect((await own.put('/user/status', { emoji: '+1' })).body).toEqual({ ...none, emoji: 'thumbsup' });
    expect(await own.patch('/user/status')).toMatchObject({ status: 200, body: { emoji: 'thumbsup' } });
    expect((await own.get('/user/status')).body.emoji).toBe('thumbsup');
    expect((await own.put('/user/status')).body).toEqual(none);
    expect(await world.db.userStatus.count({ where: { userId: user.id } })).toBe(0);
  });

  it('ends by itself, if the user wants that', async () => {
    const user = await world.user();
    const own = world.api(user);
    const { clear_status_at } = (await own.put('/user/status', { emoji: 'tea', clear_status_after: '3_hours' })).body;
    expect(Math.round((Date.parse(clear_status_at) - Date.now()) / 3_600_000)).toBe(3);
    await world.db.userStatus.update({ where: { userId: user.id }, data: { clearAt: new Date(Date.now() - 1000) } });
    expect((await world.api().get(`/users/${user.id}/status`)).body).toEqual(none);
    const seen = await world.graphql('{ viewer { status { emoji } } }', {}, user);
    expect(seen.body.data.viewer.status).toBe(null);
    expect((await own.patch('/user/status', { message: 'New' })).body).toMatchObject({
      emoji: 'speech_balloon',
      clear_status_at: null,
    });
  });

  it('refuses unknown emoji, words and terms, and long messages', LONG, async () => {
    const own = world.api(await world.user());
    for (const wrong of [{ emoji: 'no_such_emoji' }, { message: 'x'.repeat(101) }, { availability: 'away' }]) {
      expect([wrong, (await own.put('/user/status', wrong)).status]).toEqual([wrong, 400]);
    }
    expect((await own.patch('/user/status', { clear_status_after: '2_years' })).status).toBe(400);
    expect((await own.put('/user/status', { message: 'é'.repeat(100) })).status).toBe(200);
  });
});

describe('Preferences', () => {
  it('are the own ones, and at least one must be given', async () => {
    const user = await world.user();
    const own = world.api(user);
    const usual = {
      id: user.id,
      user_id: user.id,
      view_diffs_file_by_file: false,
      show_whitespace_in_diffs: true,
      pass_user_identities_to_ci_jwt: false,
    };
    expect((await own.get('/user/preferences')).body).toEqual(usual);
    const changed = await own.put('/user/preferences', {
      view_diffs_file_by_file: true,
      show_whitespace_in_diffs: false,
    });
    const now = { ...usual, view_diffs_file_by_file: true, show_whitespace_in_diffs: false };
    expect([changed.status, changed.body]).toEqual([200, now]);
    expect((await own.put('/user/preferences', {})).status).toBe(400);
    expect((await own.get('/user/preferences')).body).toEqual(now);
    const spied = `{ user(id: ${user.id}) { preferences { viewDiffsFileByFile } } }`;
    expect((await world.graphql(spied, {}, admin)).body.data.user.preferences).toBe(null);
    expect((await world.api(admin).get('/user/preferences')).body.view_diffs_file_by_file).toBe(false);
  });
});

describe('What waits for a user', () => {
  it('counts what is open and assigned to them, where they can still see it', async () => {
    const [user, owner] = [await world.user(), await world.user()];
    const project = await world.project({ owner, visibility: 'private' });
    await world.member(project, user, 'developer');
    const open = await world.issue(project, owner, { assigneeIds: [user.id] });
    const closed = await world.issue(project, owner, { assigneeIds: [user.id] });
    await world.db.issue.update({ where: { id: closed.id }, data: { state: 'closed' } });
    await world.issue(project, owner, { assigneeIds: [owner.id] });
    for (const iid of [1, 2, 3]) await world.mergeRequest(project, owner, { iid });
    await world.api(owner).put(`/projects/${project.id}/merge_requests/1`, { assignee_ids: [user.id] });
    await world.api(owner).put(`/projects/${project.id}/merge_requests/2`, { reviewer_ids: [user.id] });
    const { status, body } = await world.api(user).get('/user_counts');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      merge_requests: 1,
      assigned_issues: 1,
      assigned_merge_requests: 1,
      review_requested_merge_requests: 1,
    });
    expect(body.todos).toBe((await world.api(user).get('/todos')).body.length);
    await world.db.member.deleteMany({ where: { projectId: project.id, userId: user.id } });
    expect((await world.api(user).get('/user_counts')).body).toEqual({
      ...{ merge_requests: 0, assigned_issues: 0, assigned_merge_requests: 0 },
      ...{ review_requested_merge_requests: 0, todos: 0 },
    });
    expect(open.state).toBe('opened');
    expect((await world.api().get('/user_counts')).status).toBe(401);
  });
});

describe('The memberships of a user', () => {
  it('are the direct ones in projects and groups, of one kind if asked for, for administrators', async () => {
    const [user, owner] = [await world.user(), await world.user()];
    const group = await world.group({ owner });
    const inherited = await world.project({ owner, namespaceId: group.id });
    const project = await world.project({ owner });
    await world.member(group, user, 'reporter');
    await world.member(project, user, 'developer');
    const asAdmin = world.api(admin);
    const rows = [
      { source_id: group.id, source_name: group.name, source_type: 'Namespace', access_level: 20 },
      { source_id: project.id, source_name: project.name, source_type: 'Project', access_level: 30 },
    ];
    expect(inherited.id).not.toBe(project.id);
    expect((await asAdmin.get(`/users/${user.id}/memberships`)).body).toEqual(rows);
    expect((await asAdmin.get(`/users/${user.id}/memberships?type=Project`)).body).toEqual([rows[1]]);
    expect((await asAdmin.get(`/users/${user.id}/memberships?type=Namespace`)).body).toEqual([rows[0]]);
    const second = await asAdmin.get(`/users/${user.id}/memberships?per_page=1&page=2`);
    expect([second.body, second.headers['x-total']]).toEqual([[rows[1]], '2']);
    expect((await asAdmin.get(`/users/${user.id}/memberships?type=Other`)).status).toBe(400);
    expect((await asAdmin.get('/users/999999/memberships')).status).toBe(404);
    expect((await world.api(user).get(`/users/${user.id}/memberships`)).status).toBe(403);
    const left = await world.project({ owner, name: 'Left long ago' });
    const expiresAt = new Date('2020-01-01');
    await world.db.member.create({ data: { projectId: left.id, userId: user.id, accessLevel: 30, expiresAt } });
    expect((await asAdmin.get(`/users/${user.id}/memberships`)).body).toEqual(rows);
    const own = '{ viewer { memberships(first: 9) { totalCount nodes { sourceName } } } }';
    expect((await world.graphql(own, {}, user)).body.data.viewer.memberships).toEqual({
      totalCount: 2,
      nodes: rows.map(({ source_name: sourceName }) => ({ sourceName })),
    });
    await world.db.project.update({ where: { id: project.id }, data: { deletedAt: new Date() } });
    expect((await asAdmin.get(`/users/${user.id}/memberships`)).body).toEqual([rows[0]]);
  });
});

it('Users and administrators learn how much has to do with a user, and nobody else', async () => {
  const [user, owner] = [await world.user(), await world.user()];
  const project = await world.project({ owner, visibility: 'public' });
  await world.member(project, user, 'developer');
  await world.member(await world.group({ owner }), user, 'guest');
  await world.issue(project, user);
  await world.issue(project, owner);
  await world.mergeRequest(project, user, { iid: 1 });
  await world.mergeRequest(project, owner, { iid: 2 });
  const counts = { groups_count: 1, projects_count: 1, issues_count: 1, merge_requests_count: 1 };
  for (const who of [user, admin]) {
    expect((await world.api(who).get(`/users/${user.id}/associations_count`)).body).toEqual(counts);
  }
  expect((await world.api(owner).get(`/users/${user.id}/associations_count`)).status).toBe(403);
  expect((await world.api(admin).get('/users/999999/associations_count')).status).toBe(404);
});

describe('GET /avatar', () => {
  it('shows the picture of the user with that public address, and what the avatar service has for others', async () => {
    const user = await world.user();
    const email = `${user.username}@example.org`;
    const pictured = { avatarKey: 'abc.png' };
    await world.db.user.update({ where: { id: user.id }, data: pictured });
    const anonymous = world.api();
    const hidden = await anonymous.get(`/avatar?email=${email}&size=32`);
    expect([hidden.status, hidden.body.avatar_url]).toEqual([
      200,
      expect.stringMatching(/^https:\/\/www\.gravatar\.com\/avatar\/[0-9a-f]{32}\?s=32&d=identicon$/),
    ]);
    const shown = await world.api(admin).put(`/users/${user.id}`, { public_email: email.toUpperCase() });
    expect(shown.body.public_email).toBe(email);
    expect((await anonymous.get(`/avatar?email=${email}`)).body).toEqual({
      avatar_url: `${world.url}/uploads/-/system/user/avatar/${user.id}/abc.png`,
    });
    expect((await anonymous.get('/avatar')).status).toBe(400);
    expect((await anonymous.get(`/avatar?email=${email}&size=0`)).status).toBe(400);
    await world.api(admin).put('/application/settings', { restricted_visibility_levels: ['public'] });
    try {
      expect((await anonymous.get(`/avatar?email=${email}`)).status).toBe(403);
      expect((await world.api(user).get(`/avatar?email=${email}`)).status).toBe(200);
    } finally {
      await world.api(admin).put('/application/settings', { restricted_visibility_levels: [] });
    }
  });
});

it('A public address is a confirmed one of the user, and only as long as it is that', async () => {
  const [user, other] = [await world.user(), await world.user()];
  const asAdmin = world.api(admin);
  const second = `${world.unique('second')}@example.org`;
  for (const foreign of [`${other.username}@example.org`, second, 'nonsense']) {
    expect([foreign, (await asAdmin.put(`/users/${user.id}`, { public_email: foreign })).status]).toEqual([
      foreign,
      404,
    ]);
  }
  const { id } = await world.db.email.create({ data: { userId: user.id, email: second, confirmedAt: new Date() } });
  const update = 'mutation ($to: String) { updateProfile(input: {publicEmail: $to}) { user { publicEmail } } }';
  const { data } = (await world.graphql(update, { to: second }, user)).body;
  expect(data.updateProfile.user.publicEmail).toBe(second);
  expect((await world.api(other).get(`/users/${user.id}`)).body.public_email).toBe(second);
  await world.api(user).delete(`/user/emails/${id}`);
  expect((await world.api(other).get(`/users/${user.id}`)).body.public_email).toBe(null);
  const primary = `${user.username}@example.org`;
  await asAdmin.put(`/users/${user.id}`, { public_email: primary });
  const renamed = await asAdmin.put(`/users/${user.id}`, { email: `${world.unique('moved')}@example.org` });
  expect(renamed.body.public_email).toBe(null);
});

it('GET /metadata says what GET /version does, to signed-in callers', async () => {
  const user = world.api(await world.user());
  const { status, body } = await user.get('/metadata');
  expect([status, body.kas]).toEqual([
    200,
    { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
  ]);
  expect(body).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/), enterprise: false });
  expect((await user.get('/version')).body).toEqual(body);
  expect((await world.api().get('/metadata')).status).toBe(401);
});
