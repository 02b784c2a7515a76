// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { COMPARED, isSecret } from '#src/access/audit/changes.ts';
import { AUDIT_DAYS, expireAuditEvents } from '#src/access/audit/expire.ts';
import { factsOf } from '#src/platform/records/model.ts';
import { tokenHash } from '#src/platform/secrets.ts';
import { LONG } from '../support/long.ts';
import { newKey } from '../support/ssh_keys.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

/** What administrators, owners and masters change is recorded, and read by those who administer the place (docs/security.md, Audit log). */
const world = await startWorld();
const admin = await world.user({ admin: true });
const owner = await world.user();
const person = await world.user();
const group = await world.group({ owner });
const other = await world.group({ owner, visibility: 'public' });
const project = await world.project({ owner, namespaceId: group.id, visibility: 'private' });
const elsewhere = await world.project({ owner });
const P = `/projects/${project.id}`;
const G = `/groups/${group.id}`;

/** No value of a secret may be found in the log. */
const SECRET = 'zqSecretValue1';

type Send = (method: 'post' | 'put' | 'delete', path: string, body?: object) => Promise<{ id: number }>;

/** Sends requests that must succeed. */
const sender =
  (who: typeof admin): Send =>
  async (method, path, body) => {
    const answer = await world.api(who)[method](path, body);
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  };
const asOwner = sender(owner);
const asAdmin = sender(admin);

const latest = async () => (await world.db.auditEvent.aggregate({ _max: { id: true } }))._max.id ?? 0;

/** What was recorded meanwhile, a line each: action, target, and what changed. */
async function recorded(work: () => Promise<unknown>): Promise<string[]> {
  const before = await latest();
  await work();
  const rows = await world.db.auditEvent.findMany({ where: { id: { gt: before } }, orderBy: { id: 'asc' } });
  return rows.map(({ action, targetType, targetName, attribute, oldValue, newValue }) => {
    const change = attribute === null ? '' : `: ${attribute} ${oldValue ?? '–'} → ${newValue ?? '–'}`;
    return `${action} ${targetType} ${targetName ?? '–'}${change}`;
  });
}

type Case = [what: string, act: () => Promise<unknown>, lines: string[]];

const NAME = `Name of ${person.username}`;

const MEMBERS: Case[] = [
  [
    'a member of a project added, changed and removed',
    async () => {
      await asOwner('post', `${P}/members`, { user_id: person.id, access_level: 20 });
      await asOwner('put', `${P}/members/${person.id}`, { access_level: 30, expires_at: '2999-01-01' });
      await asOwner('put', `${P}/members/${person.id}`, { access_level: 30 });
      await asOwner('delete', `${P}/members/${person.id}`);
    },
    [
      `member_created User ${NAME}: access_level – → 20`,
      `member_updated User ${NAME}: access_level 20 → 30`,
      `member_updated User ${NAME}: expires_at – → 2999-01-01`,
      `member_deleted User ${NAME}`,
    ],
  ],
  [
    'a member of a group removed with the memberships below',
    async () => {
      await asOwner('post', `${G}/members`, { user_id: person.id, access_level: 10 });
      await asOwner('post', `${P}/members`, { user_id: person.id, access_level: 40 });
      await asOwner('delete', `${G}/members/${person.id}`);
    },
    [
      `member_created User ${NAME}: access_level – → 10`,
      `member_created User ${NAME}: access_level – → 40`,
      `member_deleted User ${NAME}`,
      `member_deleted User ${NAME}`,
    ],
  ],
  [
    'memberships and shares that a job ends',
    async () => {
      const expiresAt = new Date('2020-01-01');
      await world.db.member.create({ data: { projectId: project.id, userId: person.id, accessLevel: 10, expiresAt } });
      await world.db.projectShare.create({
        data: { projectId: elsewhere.id, groupId: other.id, groupAccess: 10, expiresAt },
      });
      await world.handlers()['members.expire']({}, undefined as never);
    },
    [`member_expired User ${NAME}`, `share_expired Group ${other.name}`],
  ],
  [
    'a request for access that is approved',
    async () => {
      await world.db.accessRequest.create({ data: { projectId: project.id, userId: person.id } });
      await asOwner('put', `${P}/access_requests/${person.id}/approve`);
      await asOwner('delete', `${P}/members/${person.id}`);
    },
    [`member_created User ${NAME}: access_level – → 30`, `member_deleted User ${NAME}`],
  ],
  [
    'an invitation changed and withdrawn',
    async () => {
      const email = 'guest@example.net';
      await world.db.invitation.create({
        data: { projectId: project.id, email, accessLevel: 10, createdById: owner.id },
      });
      await asOwner('put', `${P}/invitations/${email}`, { access_level: 20 });
      await asOwner('delete', `${P}/invitations/${email}`);
    },
    [
      'invitation_updated Invitation guest@example.net: access_level – → 20',
      'invitation_deleted Invitation guest@example.net',
    ],
  ],
  [
    'an invitation that is accepted',
    async () => {
      const token = 'invited';
      const data = { projectId: project.id, email: 'guest@example.net', accessLevel: 20, createdById: owner.id };
      await world.db.invitation.create({ data: { ...data, tokenHash: tokenHash(token) } });
      const accept = `mutation { acceptInvitation(input: {token: "${token}"}) { project { fullPath } } }`;
      expect((await world.graphql(accept, {}, person)).body.errors).toBeUndefined();
      await asOwner('delete', `${P}/members/${person.id}`);
    },
    [
      'invitation_accepted Invitation guest@example.net',
      `member_created User ${NAME}: access_level – → 20`,
      `member_deleted User ${NAME}`,
    ],
  ],
  [
    'shares with a group',
    async () => {
      await asOwner('post', `${P}/share`, { group_id: other.id, group_access: 30 });
      await asOwner('delete', `${P}/share/${other.id}`);
      await asOwner('post', `${G}/share`, { group_id: other.id, group_access: 20 });
      await asOwner('delete', `${G}/share/${other.id}`);
    },
    [
      `share_created Group ${other.name}: group_access – → 30`,
      `share_deleted Group ${other.name}`,
      `share_created Group ${other.name}: group_access – → 20`,
      `share_deleted Group ${other.name}`,
    ],
  ],
];

const PLACES: Case[] = [
  [
    'a project from its creation to its deletion',
    async () => {
      const { id } = await asOwner('post', '/projects', { name: 'Told', path: 'told', visibility: 'private' });
      await asOwner('put', `/projects/${id}`, { name: 'Renamed', path: 'renamed', visibility: 'public' });
      await asOwner('put', `/projects/${id}`, { issues_enabled: false, description: 'd'.repeat(300) });
      await asOwner('put', `/projects/${id}`, { issues_enabled: false, default_branch: 'trunk' });
      await asOwner('post', `/projects/${id}/archive`);
      await asOwner('post', `/projects/${id}/archive`);
      await asOwner('post', `/projects/${id}/unarchive`);
      await asOwner('put', `/projects/${id}/transfer`, { namespace: other.id });
      await asOwner('delete', `/projects/${id}`);
    },
    [
      'project_created Project Told',
      'project_updated Project Renamed: name Told → Renamed',
      'project_updated Project Renamed: path told → renamed',
      'project_updated Project Renamed: visibility private → public',
      `project_updated Project Renamed: description – → ${'d'.repeat(254)}…`,
      'project_updated Project Renamed: issues_enabled true → false',
      'project_updated Project Renamed: default_branch – → trunk',
      'project_archived Project Renamed',
      'project_unarchived Project Renamed',
      `project_transferred Project Renamed: namespace ${owner.username} → ${other.fullPath}`,
      'project_deleted Project Renamed',
    ],
  ],
  [
    'a group from its creation to its deletion',
    async () => {
      const { id } = await asOwner('post', '/groups', { name: 'Told', path: 'told-group', visibility: 'public' });
      await asOwner('put', `/groups/${id}`, { name: 'New', path: 'new-group', visibility: 'private' });
      await asOwner('put', `/groups/${id}`, { lfs_enabled: false });
      await asOwner('post', `/groups/${id}/transfer`, { group_id: other.id });
      await asOwner('delete', `/groups/${id}`);
    },
    [
      'group_created Group Told',
      'group_updated Group New: name Told → New',
      'group_updated Group New: path told-group → new-group',
      'group_updated Group New: visibility public → private',
      'group_updated Group New: lfs_enabled true → false',
      `group_transferred Group New: full_path new-group → ${other.fullPath}/new-group`,
      'group_deleted Group New',
    ],
  ],
  [
    'a fork linked and unlinked',
    async () => {
      await asAdmin('post', `/projects/${elsewhere.id}/fork/${project.id}`);
      await asAdmin('delete', `/projects/${elsewhere.id}/fork`);
    },
    [`fork_linked Project ${project.name}`, `fork_unlinked Project ${elsewhere.name}`],
  ],
  [
    'which jobs may use a project',
    async () => {
      await asOwner('post', `${P}/job_token_scope/allowlist`, { target_project_id: elsewhere.id });
      await asOwner('delete', `${P}/job_token_scope/allowlist/${elsewhere.id}`);
      await world.api(owner).patch(`${P}/job_token_scope`, { enabled: false });
    },
    [
      `job_token_scope_updated Project ${elsewhere.name}: allowed_project – → ${elsewhere.id}`,
      `job_token_scope_updated Project ${elsewhere.name}: allowed_project ${elsewhere.id} → –`,
      `job_token_scope_updated Project ${project.name}: job_token_scope_enabled true → false`,
    ],
  ],
];

const SETTINGS: Case[] = [
  [
    'protected branches and tags',
    async () => {
      await asOwner('post', `${P}/protected_branches`, { name: 'main', push_access_level: 30 });
      const levels = await world.db.protectedBranchLevel.findMany({ where: { action: 'push' } });
      const changed = { id: levels.at(-1)?.id, access_level: 40 };
      await world
        .api(owner)
        .patch(`${P}/protected_branches/main`, { allowed_to_push: [changed], allow_force_push: true });
      await asOwner('delete', `${P}/protected_branches/main`);
      await asOwner('post', `${P}/protected_tags`, { name: 'v*' });
      await asOwner('delete', `${P}/protected_tags/v*`);
    },
    [
      'protected_branch_created ProtectedBranch main',
      'protected_branch_updated ProtectedBranch main: push_access_levels 30 → 40',
      'protected_branch_updated ProtectedBranch main: allow_force_push false → true',
      'protected_branch_deleted ProtectedBranch main',
      'protected_tag_created ProtectedTag v*',
      'protected_tag_deleted ProtectedTag v*',
    ],
  ],
  [
    'deploy keys',
    async () => {
      const { id } = await asOwner('post', `${P}/deploy_keys`, { title: 'robot', key: newKey() });
      await asOwner('post', `/projects/${elsewhere.id}/deploy_keys/${id}/enable`);
      await asOwner('delete', `/projects/${elsewhere.id}/deploy_keys/${id}`);
      await asOwner('delete', `${P}/deploy_keys/${id}`);
    },
    [
      'deploy_key_created DeployKey robot',
      'deploy_key_created DeployKey robot',
      'deploy_key_deleted DeployKey robot',
      'deploy_key_deleted DeployKey robot',
    ],
  ],
  [
    'deploy tokens',
    async () => {
      const body = { name: 'deploy', scopes: ['read_repository'] };
      const { id } = await asOwner('post', `${P}/deploy_tokens`, body);
      await asOwner('delete', `${P}/deploy_tokens/${id}`);
      const { id: revoked } = await asOwner('post', `${G}/deploy_tokens`, body);
      const revoke = `mutation { revokeDeployToken(input: {group: "${group.id}", id: ${revoked}}) { deployToken { revoked } } }`;
      await world.graphql(revoke, {}, owner);
    },
    [
      'deploy_token_created DeployToken deploy',
      'deploy_token_deleted DeployToken deploy',
      'deploy_token_created DeployToken deploy',
      'deploy_token_revoked DeployToken deploy',
    ],
  ],
  [
    'access tokens of a project',
    async () => {
      const body = { name: 'robot', scopes: ['api'], access_level: 20, expires_at: '2999-01-01' };
      const { id } = await asOwner('post', `${P}/access_tokens`, body);
      const { id: next } = await asOwner('post', `${P}/access_tokens/${id}/rotate`);
      await asOwner('delete', `${P}/access_tokens/${next}`);
    },
    [
      'member_created User robot: access_level – → 20',
      'access_token_created AccessToken robot',
      'access_token_rotated AccessToken robot',
      'access_token_revoked AccessToken robot',
      'member_deleted User robot',
    ],
  ],
  [
    'webhooks and system hooks, without their URLs and secrets',
    async () => {
      const url = `http://user:${SECRET}@example.com/hook`;
      const { id } = await asOwner('post', `${P}/hooks`, { url, token: SECRET });
      await asOwner('put', `${P}/hooks/${id}`, { url: `${url}/2`, token: `${SECRET}2`, issues_events: true });
      await asOwner('delete', `${P}/hooks/${id}`);
      const { id: system } = await asAdmin('post', '/hooks', { url });
      await asAdmin('delete', `/hooks/${system}`);
    },
    [
      'webhook_created Webhook –',
      'webhook_updated Webhook –: url – → –',
      'webhook_updated Webhook –: token_encrypted – → –',
      'webhook_updated Webhook –: issues_events false → true',
      'webhook_deleted Webhook –',
      'webhook_created Webhook –',
      'webhook_deleted Webhook –',
    ],
  ],
  [
    'variables, by their keys alone',
    async () => {
      await asOwner('post', `${P}/variables`, { key: 'KEY', value: SECRET });
      await asOwner('put', `${P}/variables/KEY`, { value: `${SECRET}2`, protected: true });
      await asOwner('delete', `${P}/variables/KEY`);
      await asAdmin('post', '/admin/ci/variables', { key: 'ALL', value: SECRET });
      await asAdmin('delete', '/admin/ci/variables/ALL');
    },
    [
      'variable_created Variable KEY: environment_scope – → *',
      'variable_updated Variable KEY: value_encrypted – → –',
      'variable_updated Variable KEY: protected false → true',
      'variable_deleted Variable KEY: environment_scope * → –',
      'variable_created Variable ALL: environment_scope – → *',
      'variable_deleted Variable ALL: environment_scope * → –',
    ],
  ],
  [
    'runners',
    async () => {
      const body = { runner_type: 'project_type', project_id: project.id, description: 'machine' };
      const { id } = await asOwner('post', '/user/runners', body);
      await asOwner('put', `/runners/${id}`, { active: false, locked: false });
      await asOwner('post', `/projects/${elsewhere.id}/runners`, { runner_id: id });
      await asOwner('delete', `/projects/${elsewhere.id}/runners/${id}`);
      await asOwner('post', `/runners/${id}/reset_authentication_token`);
      await asOwner('delete', `/runners/${id}`);
      await asOwner('post', `${P}/runners/reset_registration_token`);
      await asOwner('post', `${G}/runners/reset_registration_token`);
      await asAdmin('post', '/runners/reset_registration_token');
    },
    [
      'runner_created Runner machine',
      'runner_updated Runner machine: active true → false',
      'runner_enabled Runner machine',
      'runner_disabled Runner machine',
      'runner_token_reset Runner machine',
      'runner_deleted Runner machine',
      `registration_token_reset Project ${project.name}`,
      `registration_token_reset Group ${group.name}`,
      'registration_token_reset Settings –',
    ],
  ],
  [
    'triggers',
    async () => {
      const { id } = await asOwner('post', `${P}/triggers`, { description: 'nightly\ud800' });
      await asOwner('put', `${P}/triggers/${id}`, { description: 'daily' });
      await asOwner('delete', `${P}/triggers/${id}`);
    },
    [
      'trigger_created Trigger nightly\ufffd',
      'trigger_updated Trigger nightly\ufffd: description nightly\ufffd → daily',
      'trigger_deleted Trigger daily',
    ],
  ],
  [
    'mirrors, without their URLs',
    async () => {
      const url = `https://user:${SECRET}@example.com/group/project.git`;
      const { id } = await asOwner('post', `${P}/remote_mirrors`, { url });
      await asOwner('put', `${P}/remote_mirrors/${id}`, { only_protected_branches: true });
      await asOwner('delete', `${P}/remote_mirrors/${id}`);
      await asOwner('put', `${P}/mirror/pull`, { url, enabled: true });
      await asOwner('put', `${P}/mirror/pull`, { enabled: false });
    },
    [
      'mirror_created Mirror –',
      'mirror_updated Mirror –: only_protected_branches false → true',
      'mirror_deleted Mirror –',
      'mirror_created Mirror –',
      'mirror_updated Mirror –: enabled true → false',
    ],
  ],
];

const ADMINISTRATION: Case[] = [
  [
    'applications',
    async () => {
      const body = { name: 'App', redirect_uri: 'https://example.com', scopes: 'api' };
      const { id } = await asAdmin('post', '/applications', body);
      await asAdmin('post', `/applications/${id}/renew-secret`);
      const rename = `mutation { updateOAuthApplication(input: {id: ${id}, name: "New"}) { oauthApplication { name } } }`;
      expect((await world.graphql(rename, {}, admin)).body.errors).toBeUndefined();
      await asAdmin('delete', `/applications/${id}`);
    },
    [
      'application_created Application App',
      'application_secret_renewed Application App',
      'application_updated Application New: name App → New',
      'application_deleted Application New',
    ],
  ],
  [
    'a user from the creation to the deletion',
    async () => {
      const email = 'made@example.org';
      const body = { username: 'made', name: 'Made', email, password: PASSWORD, skip_confirmation: true };
      const { id } = await asAdmin('post', '/users', body);
      await asAdmin('put', `/users/${id}`, { email: 'new@example.org', admin: true, password: `${SECRET}!x` });
      await asAdmin('put', `/users/${id}`, { admin: false });
      for (const state of ['block', 'unblock', 'ban', 'unban', 'deactivate', 'activate']) {
        await asAdmin('post', `/users/${id}/${state}`);
      }
      await asAdmin('post', `/users/${id}/unblock`).catch(() => undefined);
      const token = { name: 'acting', scopes: ['api'] };
      const { id: tokenId } = await asAdmin('post', `/users/${id}/impersonation_tokens`, token);
      await asAdmin('delete', `/users/${id}/impersonation_tokens/${tokenId}`);
      await world.db.user.update({ where: { id }, data: { twoFactorEnabled: true } });
      await world.api(admin).patch(`/users/${id}/disable_two_factor`);
      await world.db.identity.create({ data: { userId: id, provider: 'company', externUid: 'made' } });
      await asAdmin('delete', `/users/${id}/identities/company`);
      await asAdmin('delete', `/users/${id}`);
    },
    [
      'user_created User Made',
      'user_updated User Made: email made@example.org → new@example.org',
      'user_updated User Made: admin false → true',
      'user_updated User Made: password_hash – → –',
      'user_updated User Made: admin true → false',
      'user_state_changed User Made: state active → blocked',
      'user_state_changed User Made: state blocked → active',
      'user_state_changed User Made: state active → banned',
      'user_state_changed User Made: state banned → active',
      'user_state_changed User Made: state active → deactivated',
      'user_state_changed User Made: state deactivated → active',
      'impersonation_token_created AccessToken acting',
      'impersonation_token_revoked AccessToken acting',
      'two_factor_disabled User Made',
      'identity_deleted User Made: provider company → –',
      'user_deleted User Made',
    ],
  ],
  [
    'addresses and keys of users',
    async () => {
      const { id: email } = await asAdmin('post', `/users/${person.id}/emails`, { email: 'more@example.org' });
      await asAdmin('delete', `/users/${person.id}/emails/${email}`);
      const { id: key } = await asAdmin('post', `/users/${person.id}/keys`, { title: 'laptop', key: newKey() });
      await asAdmin('delete', `/users/${person.id}/keys/${key}`);
    },
    [
      'email_created Email more@example.org',
      'email_deleted Email more@example.org',
      'ssh_key_created SshKey laptop',
      'ssh_key_deleted SshKey laptop',
    ],
  ],
  [
    'users who wait for approval',
    async () => {
      const [yes, no] = [await world.user({ username: 'yes' }), await world.user({ username: 'no' })];
      const ids = [yes.id, no.id];
      await world.db.user.updateMany({ where: { id: { in: ids } }, data: { state: 'blocked_pending_approval' } });
      await asAdmin('post', `/users/${yes.id}/approve`);
      await asAdmin('post', `/users/${no.id}/reject`);
    },
    ['user_state_changed User Name of yes: state blocked_pending_approval → active', 'user_deleted User Name of no'],
  ],
  [
    'settings of the server',
    async () => {
      await asAdmin('put', '/application/settings', { signup_enabled: false, default_projects_limit: 100_000 });
      await asAdmin('put', '/application/settings', { signup_enabled: true });
    },
    [
      'settings_updated Settings –: signup_enabled true → false',
      'settings_updated Settings –: signup_enabled false → true',
    ],
  ],
  [
    'personal access tokens',
    async () => {
      const { id } = await asAdmin('post', `/users/${person.id}/personal_access_tokens`, {
        name: 'mine',
        scopes: ['api'],
      });
      const { id: next } = await asAdmin('post', `/personal_access_tokens/${id}/rotate`);
      await asAdmin('delete', `/personal_access_tokens/${next}`);
      await asAdmin('delete', `/personal_access_tokens/${next}`);
    },
    [
      'access_token_created AccessToken mine',
      'access_token_rotated AccessToken mine',
      'access_token_revoked AccessToken mine',
    ],
  ],
];

describe('The audit log tells of', () => {
  for (const cases of [MEMBERS, PLACES, SETTINGS, ADMINISTRATION]) {
    it.each(cases)('%s', LONG, async (_, act, lines) => {
      expect((await recorded(act)).sort()).toEqual([...lines].sort());
    });
  }

  it('no value of a secret', LONG, async () => {
    expect(await latest()).toBeGreaterThan(50);
    expect(JSON.stringify(await world.db.auditEvent.findMany())).not.toContain(SECRET);
    const hidden = Object.keys(COMPARED).flatMap((model) =>
      Object.values(factsOf(model).columns)
        .filter(isSecret)
        .map(({ name }) => `${model}.${name}`),
    );
    expect(hidden).toEqual(
      expect.arrayContaining([
        'Hook.url',
        'Hook.token_encrypted',
        'User.password_hash',
        'User.private_token_encrypted',
        'Variable.value_encrypted',
        'PullMirror.url_encrypted',
        'RemoteMirror.url_encrypted',
        'Runner.token_hash',
        'OAuthApplication.secret_hash',
        'ApplicationSettings.runners_token_encrypted',
      ]),
    );
  });

  it('nothing that was refused or changed nothing', async () => {
    const lines = await recorded(async () => {
      expect(await world.api(person).put(`${P}/members/${owner.id}`, { access_level: 10 })).toMatchObject({
        status: 404,
      });
      expect(await world.api(owner).put(P, { path: 'not/a/path' })).toMatchObject({ status: 400 });
      expect(await world.api(owner).post('/hooks', { url: 'http://example.com' })).toMatchObject({ status: 403 });
      await asOwner('put', P, { name: project.name });
    });
    expect(lines).toEqual([]);
  });
});

describe('An audit event', () => {
  it('says who did it, from where and in what place, and goes on to when the place is gone', async () => {
    const gone = await world.project({ owner, namespaceId: group.id });
    await asOwner('post', `/projects/${gone.id}/members`, { user_id: person.id, access_level: 30 });
    await asOwner('delete', `/projects/${gone.id}`);
    const { body } = await world.api(admin).get(`/audit_events?entity_type=Project&entity_id=${gone.id}`);
    expect(body).toHaveLength(3);
    expect(body[1]).toEqual({
      id: expect.any(Number),
      author_id: owner.id,
      entity_id: gone.id,
      entity_type: 'Project',
      event_name: 'member_created',
      event_type: 'member_created',
      details: {
        change: 'access_level',
        from: null,
        to: '30',
        custom_message: 'Member created: access level to developer',
        author_name: `Name of ${owner.username}`,
        impersonated_by: null,
        target_id: person.id,
        target_type: 'User',
        target_details: NAME,
        ip_address: expect.stringMatching(/127\.0\.0\.1$/),
        entity_path: gone.fullPath,
      },
      created_at: expect.any(String),
    });
    expect(body[0]).toMatchObject({ event_name: 'project_deleted', details: { target_details: gone.name } });
  });

  it('names the administrator who acted as somebody else', async () => {
    const made = await world.project({ owner });
    const headers = { 'PRIVATE-TOKEN': admin.token, Sudo: owner.username };
    await world.send('POST', `/api/v4/projects/${made.id}/archive`, { headers });
    const query = `{ auditEvents(first: 1) { nodes { action author { username } impersonator { username }
      details { authorName impersonatorName message } } } }`;
    expect((await world.graphql(query, {}, admin)).body.data.auditEvents.nodes).toEqual([
      {
        action: 'PROJECT_ARCHIVED',
        author: { username: owner.username },
        impersonator: { username: admin.username },
        details: {
          authorName: `Name of ${owner.username}`,
          impersonatorName: `Name of ${admin.username}`,
          message: 'Project archived',
        },
      },
    ]);
  });

  it('names the administrator who made the token by which somebody acts as somebody else', async () => {
    const { id } = await world.project({ owner });
    const made = await world.api(admin).post(`/users/${owner.id}/impersonation_tokens`, { name: 'a', scopes: ['api'] });
    await world.api(made.body.token).post(`/projects/${id}/archive`);
    const { body } = await world.api(admin).post(`/personal_access_tokens/${made.body.id}/rotate`);
    await world.api(body.token).post(`/projects/${id}/unarchive`);
    const events = await world.db.auditEvent.findMany({
      where: { projectId: id, action: { in: ['project_archived', 'project_unarchived'] } },
    });
    for (const event of events) expect(event).toMatchObject({ authorId: owner.id, impersonatorId: admin.id });
    expect(events).toHaveLength(2);
    await asOwner('post', `/projects/${id}/archive`);
    expect(await world.db.auditEvent.findFirst({ orderBy: { id: 'desc' } })).toMatchObject({ impersonatorId: null });
  });

  it('keeps the name of an author who was deleted', async () => {
    const leaver = await world.user();
    const { id } = await world.project({ owner: leaver });
    await asAdmin('delete', `/users/${leaver.id}`);
    const { body } = await world.api(admin).get(`/audit_events?entity_type=Project&entity_id=${id}`);
    expect(body).toMatchObject([{ author_id: null, details: { author_name: `Name of ${leaver.username}` } }]);
  });

  it('is written with the change or the change is not made', async () => {
    await world.db
      .$executeRaw`ALTER TABLE audit_events ADD CONSTRAINT refused CHECK (action <> 'project_archived') NOT VALID`;
    try {
      expect(await world.api(owner).post(`${P}/archive`)).toMatchObject({ status: 500 });
    } finally {
      await world.db.$executeRaw`ALTER TABLE audit_events DROP CONSTRAINT refused`;
    }
    expect(await world.db.project.findUnique({ where: { id: project.id } })).toMatchObject({ archived: false });
  });

  it('is removed after two years, by a job', async () => {
    const [old, recent] = [AUDIT_DAYS + 1, AUDIT_DAYS - 1].map((days) => new Date(Date.now() - days * 86_400_000));
    const data = { action: 'settings_updated', targetType: 'Settings' };
    const [first, second] = [
      await world.db.auditEvent.create({ data: { ...data, createdAt: old } }),
      await world.db.auditEvent.create({ data: { ...data, createdAt: recent } }),
    ];
    await expireAuditEvents(world.db);
    const left = await world.db.auditEvent.findMany({ where: { id: { in: [first.id, second.id] } } });
    expect(left.map(({ id }) => id)).toEqual([second.id]);
  });
});

describe('The audit log is read', () => {
  const one = { id: 0 };
  const decoy = { id: 0 };

  beforeAll(async () => {
    await asOwner('post', `${P}/protected_tags`, { name: 'read' });
    one.id = await latest();
    await asAdmin('post', `${P}/protected_tags`, { name: 'by-admin' });
    await asOwner('post', `/projects/${elsewhere.id}/protected_tags`, { name: 'read' });
    decoy.id = await latest();
  });

  const names = async (path: string, who = owner) => {
    const { status, body } = await world.api(who).get(path);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.map((event: { details: { target_details: string } }) => event.details.target_details);
  };

  it('of a project, newest first, with filters, by its masters', async () => {
    expect((await names(`${P}/audit_events?per_page=2`)).slice(0, 2)).toEqual(['by-admin', 'read']);
    const tags = `${P}/audit_events?action=protected_tag_created`;
    expect((await names(tags)).slice(0, 2)).toEqual(['by-admin', 'read']);
    expect((await names(`${tags}&author_username=${admin.username.toUpperCase()}`)).slice(0, 2)).toEqual(['by-admin']);
    expect(await names(`${P}/audit_events?target_type=ProtectedTag&created_after=2999-01-01T00:00:00Z`)).toEqual([]);
    expect((await names(`${P}/audit_events?target_type=Webhook`)).every((name: string | null) => name === null)).toBe(
      true,
    );
    const before = new Date(Date.now() + 3_600_000).toISOString();
    expect((await names(`${tags}&created_before=${before}`)).length).toBeGreaterThan(1);
  });

  it('of several projects at once, each with its own', async () => {
    const query = `{ one: project(ref: "${project.fullPath}") { ...log } two: project(ref: "${elsewhere.fullPath}") { ...log } }
      fragment log on Project { auditEvents(first: 1, filter: {action: PROTECTED_TAG_CREATED}) { nodes { details { targetName entityPath } } } }`;
    const { data } = (await world.graphql(query, {}, owner)).body;
    const [{ details: first }, { details: second }] = [data.one.auditEvents.nodes[0], data.two.auditEvents.nodes[0]];
    expect(first).toEqual({ targetName: 'by-admin', entityPath: project.fullPath });
    expect(second).toEqual({ targetName: 'read', entityPath: elsewhere.fullPath });
    const all =
      '{ projects(first: 100) { nodes { fullPath auditEvents(first: 1) { nodes { details { entityPath } } } } } }';
    const { nodes } = (await world.graphql(all, {}, admin)).body.data.projects;
    expect(nodes.length).toBeGreaterThan(1);
    for (const { fullPath, auditEvents } of nodes) {
      for (const { details } of auditEvents.nodes) expect(details.entityPath).toBe(fullPath);
    }
  });

  it('one by one, in its own place only', async () => {
    expect(await world.api(owner).get(`${P}/audit_events/${one.id}`)).toMatchObject({
      status: 200,
      body: { id: one.id, entity_id: project.id, details: { target_details: 'read' } },
    });
    for (const path of [`${P}/audit_events/${decoy.id}`, `${G}/audit_events/${one.id}`]) {
      expect(await world.api(owner).get(path)).toMatchObject({
        status: 404,
        body: { message: '404 Audit Event Not Found' },
      });
    }
    expect(await world.api(admin).get(`/audit_events/${decoy.id}`)).toMatchObject({ status: 200 });
  });

  it('by nobody who does not administer the place', async () => {
    const developer = await world.user();
    await world.member(project, developer, 'developer');
    await world.member(group, person, 'master');
    for (const path of [`${P}/audit_events`, `${P}/audit_events/${one.id}`]) {
      expect(await world.api(developer).get(path)).toMatchObject({ status: 403 });
    }
    expect(await world.api(person).get(`${G}/audit_events`)).toMatchObject({ status: 403 });
    for (const path of ['/audit_events', `/audit_events/${one.id}`]) {
      expect(await world.api(owner).get(path)).toMatchObject({ status: 403 });
    }
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { id } }`;
    const { body } = await world.graphql(`{ auditEvent(id: ${one.id}) { id } }`, {}, admin);
    const ids = [body.data.auditEvent.id];
    expect((await world.graphql(query, { ids }, owner)).body.data.nodes).toEqual([null]);
    expect((await world.graphql(query, { ids }, admin)).body.data.nodes).toEqual([{ id: ids[0] }]);
  });

  it('of a group without its projects, and of the server by kinds of places', LONG, async () => {
    const ofGroup = (await world.api(owner).get(`${G}/audit_events?per_page=100`)).body;
    expect(ofGroup.length).toBeGreaterThan(3);
    for (const event of ofGroup) expect(event).toMatchObject({ entity_type: 'Group', entity_id: group.id });
    for (const type of ['User', 'Group', 'Project', 'Gitlab::Audit::InstanceScope']) {
      const { body } = await world.api(admin).get(`/audit_events?per_page=100&entity_type=${type}`);
      expect(new Set(body.map((event: { entity_type: string }) => event.entity_type))).toEqual(new Set([type]));
    }
    expect(await world.api(admin).get('/audit_events?entity_id=1')).toMatchObject({
      status: 400,
      body: { error: 'entity_type is missing' },
    });
    const { body } = await world.graphql(`{ group(ref: "${group.fullPath}") { id } }`, {}, admin);
    const inGraph = `{ auditEvents(entityId: "${body.data.group.id}", first: 100) { nodes { entityType entityId } } }`;
    const { nodes } = (await world.graphql(inGraph, {}, admin)).body.data.auditEvents;
    expect(nodes).toHaveLength(ofGroup.length);
    for (const node of nodes) expect(node).toEqual({ entityType: 'GROUP', entityId: group.id });
    expect(await world.api(admin).get('/audit_events?entity_type=Nothing')).toMatchObject({ status: 400 });
  });
});
