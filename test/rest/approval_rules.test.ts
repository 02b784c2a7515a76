import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const [ann, ben, cleo, author] = [await world.user(), await world.user(), await world.user(), await world.user()];
const guest = await world.user();

/** A private project with developers, a branch to merge, and what is asked of it. */
async function stage() {
  const project = await world.project({ owner, visibility: 'private' });
  for (const user of [ann, ben, cleo, author]) await world.member(project, user, 'developer');
  await world.member(project, guest, 'guest');
  await withTopic(world, project, owner);
  const at = `/projects/${project.id}`;
  const api = world.api(owner);
  const rule = (body: object) => api.post(`${at}/approval_rules`, body);
  const request = await opened(world, project, author);
  const mr = `${at}/merge_requests/${request.iid}`;
  const approve = async (user: TestUser) => (await world.api(user).post(`${mr}/approve`)).status;
  const approvals = async () => (await api.get(`${mr}/approvals`)).body;
  const status = async () => (await api.get(mr)).body.detailed_merge_status;
  const merge = (body: object = {}) => api.put(`${mr}/merge`, body);
  return { project, at, api, rule, mr, request, approve, approvals, status, merge };
}

const usernames = (users: { username: string }[]) => users.map(({ username }) => username);

describe('Approval rules of a project', () => {
  it('are made, read, changed and removed by masters, and read by reporters', async () => {
    const { at, api, rule } = await stage();
    const made = await rule({ name: 'Security', approvals_required: 2, user_ids: [ann.id], usernames: [ben.username] });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      ...{ id: expect.any(Number), name: 'Security', rule_type: 'regular', report_type: null, approvals_required: 2 },
      eligible_approvers: [expect.objectContaining({ id: ann.id }), expect.objectContaining({ id: ben.id })],
      users: [expect.objectContaining({ id: ann.id }), expect.objectContaining({ id: ben.id })],
      ...{ groups: [], contains_hidden_groups: false, protected_branches: [] },
      applies_to_all_protected_branches: false,
    });
    const one = `${at}/approval_rules/${made.body.id}`;
    expect((await world.api(ann).get(`${at}/approval_rules`)).body).toEqual([made.body]);
    expect((await world.api(ann).get(one)).body).toEqual(made.body);
    expect((await world.api(ann).put(one, { name: 'x' })).status).toBe(403);
    const changed = await api.put(one, { name: 'Safety', approvals_required: 1, user_ids: [cleo.id] });
    expect([changed.status, changed.body.name, usernames(changed.body.users)]).toEqual([
      200,
      'Safety',
      [cleo.username],
    ]);
    expect((await api.put(one, { user_ids: [] })).body).toEqual({
      message: { user_ids: ['must name a user, or group_ids a group'] },
    });
    expect((await api.delete(one)).status).toBe(204);
    expect((await api.get(one)).status).toBe(404);
  });

  it('name developers, groups that the caller sees, and protections of the project', LONG, async () => {
    const { rule } = await stage();
    const other = await world.user();
    const hidden = await world.group({ owner: other, visibility: 'private' });
    for (const [given, field] of [
      [{ user_ids: [other.id] }, 'user_ids'],
      [{ user_ids: [guest.id] }, 'user_ids'],
      [{ usernames: ['nobody-there'] }, 'usernames'],
      [{ group_ids: [hidden.id] }, 'group_ids'],
      [{ user_ids: [ann.id], protected_branch_ids: [1_000_000] }, 'protected_branch_ids'],
      [{ user_ids: [ann.id], approvals_required: 101 }, 'approvals_required'],
      [{ rule_type: 'any_approver', user_ids: [ann.id] }, 'rule_type'],
      [{ rule_type: 'regular' }, 'user_ids'],
      [{ user_ids: [ann.id], name: ' ' }, 'name'],
      [{ user_ids: Array.from({ length: 101 }, (_, n) => n + 1) }, 'user_ids'],
    ] as const) {
      const { status, body } = await rule({ name: 'One', approvals_required: 1, ...given });
      expect([status, Object.keys(body.message)]).toEqual([400, [field]]);
    }
    expect((await rule({ name: 'One', approvals_required: 1 })).body.rule_type).toBe('any_approver');
    expect((await rule({ name: 'Two', approvals_required: 1 })).status).toBe(409);
    expect((await rule({ name: 'Two', approvals_required: 1, user_ids: [ann.id] })).status).toBe(201);
    expect((await rule({ name: 'Two', approvals_required: 1, user_ids: [ann.id] })).status).toBe(409);
  });

  it('hold a merge up until who they name has approved, and no longer counts who has left', LONG, async () => {
    const { project, rule, mr, api, approve, approvals, status, merge } = await stage();
    expect(await status()).toBe('mergeable');
    const { body: made } = await rule({
      name: 'Two of three',
      approvals_required: 2,
      user_ids: [ann.id, ben.id, author.id],
    });
    expect(await status()).toBe('not_approved');
    expect(await approvals()).toMatchObject({
      ...{ approvals_required: 2, approvals_left: 2, approved: false, has_approval_rules: true },
      approval_rules_left: [{ id: made.id, name: 'Two of three', rule_type: 'regular' }],
      suggested_approvers: [{ id: ann.id }, { id: ben.id }],
    });
    expect((await merge()).status).toBe(405);
    // The author does not count, and neither does whom the rule does not name.
    expect([await approve(author), await approve(cleo)]).toEqual([401, 201]);
    expect([await approve(ann), (await approvals()).approvals_left]).toEqual([201, 1]);
    expect((await merge()).status).toBe(405);
    expect([await approve(ben), await status()]).toEqual([201, 'mergeable']);
    const { body: state } = await api.get(`${mr}/approval_state`);
    expect(state.approval_rules_overwritten).toBe(false);
    expect(state.rules).toMatchObject([
      { ...{ id: made.id, approved: true, source_rule: null, overridden: false, section: null }, rule_type: 'regular' },
    ]);
    expect(usernames(state.rules[0].approved_by)).toEqual([ann.username, ben.username]);
    expect(usernames(state.rules[0].eligible_approvers)).toEqual([ann.username, ben.username]);
    await api.delete(`/projects/${project.id}/members/${ben.id}`);
    expect([await status(), (await merge()).status]).toEqual(['not_approved', 405]);
    await world.member(project, ben, 'developer');
    expect((await merge()).body.state).toBe('merged');
  });

  it('for any approver count all developers but the author, unless the project lets them', LONG, async () => {
    const { at, api, rule, approve, approvals, status } = await stage();
    await rule({ name: 'All Members', approvals_required: 1, rule_type: 'any_approver' });
    expect([await approve(author), (await approvals()).approvals_left]).toEqual([401, 1]);
    await api.post(`${at}/approvals`, { merge_requests_author_approval: true });
    expect([await approve(author), (await approvals()).approved, await status()]).toEqual([201, true, 'mergeable']);
    await api.post(`${at}/approvals`, { merge_requests_author_approval: false });
    expect(await status()).toBe('not_approved');
    expect(await approve(cleo)).toBe(201);
    expect(await status()).toBe('mergeable');
  });

  it('name groups, whose direct members count, and hide those that others cannot see', LONG, async () => {
    const { project, at, rule, approve, approvals } = await stage();
    const group = await world.group({ owner, visibility: 'private' });
    await world.db.member.create({ data: { namespaceId: group.id, userId: ann.id, accessLevel: 10 } });
    const made = await rule({ name: 'Group', approvals_required: 1, group_ids: [group.id] });
    expect(made.body).toMatchObject({ groups: [{ id: group.id }], contains_hidden_groups: false });
    expect(usernames(made.body.eligible_approvers)).toContain(ann.username);
    const { body: seen } = await world.api(ben).get(`${at}/approval_rules/${made.body.id}`);
    expect(seen).toMatchObject({ groups: [], contains_hidden_groups: true, eligible_approvers: [] });
    // A master who does not see the group keeps it.
    await world.db.member.updateMany({ where: { projectId: project.id, userId: cleo.id }, data: { accessLevel: 40 } });
    const kept = await world
      .api(cleo)
      .put(`${at}/approval_rules/${made.body.id}`, { group_ids: [], approvals_required: 1 });
    expect([kept.status, kept.body.contains_hidden_groups]).toEqual([200, true]);
    expect([await approve(ben), (await approvals()).approvals_left]).toEqual([201, 1]);
    expect([await approve(ann), (await approvals()).approvals_left]).toEqual([201, 0]);
    const gone = { group_ids: [], remove_hidden_groups: true, user_ids: [ben.id] };
    const removed = await world.api(cleo).put(`${at}/approval_rules/${made.body.id}`, gone);
    expect([removed.body.contains_hidden_groups, usernames(removed.body.users)]).toEqual([false, [ben.username]]);
  });

  it('are for the protected branches that they name, by pattern, or for all of them', LONG, async () => {
    const { at, api, rule, mr, approvals } = await stage();
    const { body: some } = await api.post(`${at}/protected_branches`, { name: 'rel_*' });
    const { body: made } = await rule({
      ...{ name: 'One', approvals_required: 1, user_ids: [ann.id] },
      protected_branch_ids: [some.id],
    });
    expect(made.protected_branches).toMatchObject([{ id: some.id, name: 'rel_*' }]);
    expect((await approvals()).approvals_required).toBe(0);
    for (const branch of ['rel_1', 'relx1']) {
      await api.post(`${at}/repository/branches`, { branch, ref: 'master' });
      expect((await api.put(mr, { target_branch: branch })).status).toBe(200);
      expect((await approvals()).approvals_required).toBe(branch === 'rel_1' ? 1 : 0);
    }
    const one = `${at}/approval_rules/${made.id}`;
    await api.put(one, { applies_to_all_protected_branches: true });
    expect((await approvals()).approvals_required).toBe(0);
    await api.put(mr, { target_branch: 'rel_1' });
    expect((await approvals()).approvals_required).toBe(1);
    await api.put(one, { applies_to_all_protected_branches: false, protected_branch_ids: [] });
    await api.put(mr, { target_branch: 'relx1' });
    expect((await approvals()).approvals_required).toBe(1);
  });
});

describe('The settings of approvals', () => {
  it('are read by reporters, and changed by masters', LONG, async () => {
    const { at, api } = await stage();
    const before = {
      ...{ approvals_before_merge: 0, reset_approvals_on_push: false, merge_requests_author_approval: false },
      ...{ disable_overriding_approvers_per_merge_request: false, merge_requests_disable_committers_approval: false },
      ...{ selective_code_owner_removals: false, require_password_to_approve: false },
      require_reauthentication_to_approve: false,
    };
    expect((await world.api(ann).get(`${at}/approvals`)).body).toEqual(before);
    expect((await world.api(guest).get(`${at}/approvals`)).status).toBe(403);
    expect((await world.api(ann).post(`${at}/approvals`, { reset_approvals_on_push: true })).status).toBe(403);
    const changed = await api.post(`${at}/approvals`, { reset_approvals_on_push: true, approvals_before_merge: 2 });
    expect([changed.status, changed.body]).toEqual([
      201,
      { ...before, reset_approvals_on_push: true, approvals_before_merge: 2 },
    ]);
    expect((await api.get(`${at}/approval_rules`)).body).toMatchObject([
      { rule_type: 'any_approver', approvals_required: 2, name: 'All Members' },
    ]);
    expect((await api.post(`${at}/approvals`, { approvals_before_merge: -1 })).status).toBe(400);
  });

  it('take approvals back when commits change what is merged', LONG, async () => {
    const { project, at, api, rule, approve, approvals } = await stage();
    await rule({ name: 'All Members', approvals_required: 1 });
    expect(await approve(ann)).toBe(201);
    await commitTo(world, project, owner, 'topic', 'one.txt');
    await world.idle();
    expect((await approvals()).approved).toBe(true);
    await api.post(`${at}/approvals`, { reset_approvals_on_push: true });
    await commitTo(world, project, owner, 'topic', 'two.txt');
    await world.idle();
    expect(await approvals()).toMatchObject({ approved: false, approved_by: [] });
  });

  it('keep out who has commits in the merge request', LONG, async () => {
    const { project, at, api, rule, approve, approvals } = await stage();
    await rule({ name: 'All Members', approvals_required: 1 });
    await commitTo(world, project, ben, 'topic', 'one.txt');
    await world.idle();
    expect([await approve(ben), (await approvals()).approved]).toEqual([201, true]);
    await api.post(`${at}/approvals`, { merge_requests_disable_committers_approval: true });
    expect((await approvals()).approved).toBe(false);
    await world.api(ben).post(`${at}/merge_requests/1/unapprove`);
    expect([await approve(ben), await approve(cleo)]).toEqual([401, 201]);
    expect((await approvals()).approved).toBe(true);
  });
});

describe('Approval rules of a merge request', () => {
  it('take the place of those of the project, of which the first change makes copies', LONG, async () => {
    const { at, api, rule, mr, approvals } = await stage();
    const { body: one } = await rule({ name: 'One', approvals_required: 1, user_ids: [ann.id] });
    const { body: two } = await rule({ name: 'Two', approvals_required: 1, user_ids: [ben.id] });
    const dev = world.api(author);
    const list = async () => (await dev.get(`${mr}/approval_rules`)).body;
    expect((await list()).map(({ id }: { id: number }) => id)).toEqual([one.id, two.id]);
    const own = await dev.post(`${mr}/approval_rules`, {
      name: 'Three',
      approvals_required: 2,
      user_ids: [ann.id, cleo.id],
    });
    expect([own.status, own.body.source_rule, own.body.overridden]).toEqual([201, null, false]);
    expect(await approvals()).toMatchObject({ approvals_required: 4 });
    const changed = await dev.put(`${mr}/approval_rules/${one.id}`, {
      approvals_required: 2,
      user_ids: [ann.id, ben.id],
    });
    expect(changed.body).toMatchObject({
      name: 'One',
      approvals_required: 2,
      source_rule: { id: one.id },
      overridden: true,
    });
    expect(changed.body.id).not.toBe(one.id);
    expect((await dev.delete(`${mr}/approval_rules/${two.id}`)).status).toBe(204);
    expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['One', 'Three']);
    expect((await api.get(`${mr}/approval_state`)).body.approval_rules_overwritten).toBe(true);
    // The project has what it had.
    expect((await api.get(`${at}/approval_rules`)).body).toMatchObject([
      { id: one.id, approvals_required: 1 },
      { id: two.id },
    ]);
    const copied = await dev.post(`${mr}/approval_rules`, { approvals_required: 1, approval_project_rule_id: two.id });
    expect(copied.body).toMatchObject({ name: 'Two', source_rule: { id: two.id }, users: [{ id: ben.id }] });
    expect((await dev.get(`${mr}/approval_rules/${copied.body.id}`)).body).toEqual(copied.body);
    await api.post(`${at}/approvals`, { disable_overriding_approvers_per_merge_request: true });
    expect((await list()).map(({ id }: { id: number }) => id)).toEqual([one.id, two.id]);
    expect((await dev.delete(`${mr}/approval_rules/${copied.body.id}`)).status).toBe(403);
    expect((await world.api(guest).post(`${mr}/approval_rules`, { name: 'x', approvals_required: 0 })).status).toBe(
      403,
    );
  });

  it('with none left ask for nothing, as Renovate has it', LONG, async () => {
    const { api, rule, mr, status } = await stage();
    const { body: one } = await rule({ name: 'One', approvals_required: 1, user_ids: [ann.id] });
    const { body: any } = await rule({ name: 'All Members', approvals_required: 3 });
    await api.delete(`${mr}/approval_rules/${one.id}`);
    await api.put(`${mr}/approval_rules/${any.id}`, { approvals_required: 0 });
    expect([await status(), (await api.get(`${mr}/approvals`)).body.approvals_required]).toEqual(['mergeable', 0]);
  });
});

describe('A merge that waits', () => {
  it('begins with the last approval, or when a rule asks for fewer', LONG, async () => {
    const { api, at, rule, mr, approve, merge } = await stage();
    const { body: one } = await rule({ name: 'Two', approvals_required: 2, user_ids: [ann.id, ben.id] });
    const waiting = await merge({ merge_when_pipeline_succeeds: true });
    expect([waiting.status, waiting.body.state, waiting.body.merge_when_pipeline_succeeds]).toEqual([
      200,
      'opened',
      true,
    ]);
    expect(await approve(ann)).toBe(201);
    await world.idle();
    expect((await api.get(mr)).body).toMatchObject({ state: 'opened', merge_error: null });
    expect(await approve(ben)).toBe(201);
    await world.idle();
    expect((await api.get(mr)).body.state).toBe('merged');
    const other = await stage();
    const { body: rule2 } = await other.rule({ name: 'One', approvals_required: 1, user_ids: [ann.id] });
    await other.merge({ merge_when_pipeline_succeeds: true });
    await other.api.put(`${other.at}/approval_rules/${rule2.id}`, { approvals_required: 0 });
    await world.idle();
    expect((await other.api.get(other.mr)).body.state).toBe('merged');
    expect((await api.get(`${at}/approval_rules/${one.id}`)).status).toBe(200);
  });

  it('and an approval that is taken back are decided one after the other', LONG, async () => {
    const { rule, mr, approve, merge, api } = await stage();
    await rule({ name: 'One', approvals_required: 1, user_ids: [ann.id] });
    expect(await approve(ann)).toBe(201);
    const [merged, taken] = await Promise.all([merge(), world.api(ann).post(`${mr}/unapprove`)]);
    const { body } = await api.get(mr);
    // Either the merge was first, or it was refused.
    expect([200, 405]).toContain(merged.status);
    expect(body.state).toBe(merged.status === 200 ? 'merged' : 'opened');
    if (merged.status === 405) expect(taken.status).toBe(201);
  });
});

describe('Webhooks', () => {
  it('tell approvals from the last one, and what is taken back likewise', LONG, async () => {
    const { project, rule, mr, approve } = await stage();
    await rule({ name: 'Two', approvals_required: 2, user_ids: [ann.id, ben.id] });
    await world.db.hook.create({
      data: { projectId: project.id, url: 'http://127.0.0.1:9/', mergeRequestsEvents: true },
    });
    await approve(ann);
    await approve(ben);
    await world.api(ben).post(`${mr}/unapprove`);
    await world.api(ann).post(`${mr}/unapprove`);
    const events = await world.db.$queryRaw<{ action: string }[]>`
      SELECT facts ->> 'action' AS action FROM hook_events WHERE project_id = ${project.id} ORDER BY id`;
    expect(events.map(({ action }) => action)).toEqual(['approval', 'approved', 'unapproved', 'unapproval']);
  });
});
