// One part in depth, which the long run has.
// @module-tag long
import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { gitClient } from '../support/git_client.ts';
import { remotes } from '../support/git_remote.ts';
import { application, post, tokens } from '../support/oauth.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { clientKey, sshGit, startSshWorld } from '../support/ssh.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

/** Git with every kind of credential, with each of their scopes, in each of their states: what it reaches, and what not. */
const world = await startWorld();
const ssh = await startSshWorld(world);
const [owner, developer, admin] = [await world.user(), await world.user(), await world.user({ admin: true })];
const { pushed } = remotes(world, owner);
const { project: hidden, work } = await pushed('private', 'file');
const { project: open } = await pushed('public', 'file');
for (const place of [hidden, open]) await world.member(place, developer, 'developer');
const group = await world.group({ owner });
const grouped = await world.project({ owner, namespaceId: group.id });
const app = await application(world, owner, {
  scopes: ['api', 'read_api', 'read_user', 'read_repository', 'write_repository'],
});
const [asOwner, asDeveloper, asAdmin] = [world.api(owner), world.api(developer), world.api(admin)];
const soon = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
const past = new Date(Date.now() - 86_400_000);

// Unknown credentials count as attempts to sign in, which are limited.
beforeEach(() => world.db.signInFailures.deleteMany().then(() => undefined));

interface Basic {
  username: string;
  password: string;
}
type Row = [name: string, make: () => Promise<Basic | null>, outcome: readonly number[]];

/** The statuses of fetching and pushing, in the private project and in the public one, by git as by Git LFS. */
async function statuses(who: Basic | null): Promise<number[]> {
  const found: number[] = [];
  for (const { fullPath } of [hidden, open]) found.push(...(await statusesOf(fullPath, who)));
  return found;
}

async function statusesOf(fullPath: string, who: Basic | null): Promise<number[]> {
  const text = who && Buffer.from(`${who.username}:${who.password}`).toString('base64');
  const headers: Record<string, string> = text === null ? {} : { Authorization: `Basic ${text}` };
  const found: number[] = [];
  for (const [service, operation] of [
    ['git-upload-pack', 'download'],
    ['git-receive-pack', 'upload'],
  ]) {
    const { status } = await world.send('GET', `/${fullPath}.git/info/refs?service=${service}`, { headers });
    const oid = createHash('sha256').update(randomBytes(8)).digest('hex');
    const lfs = await fetch(`${world.url}/${fullPath}.git/info/lfs/objects/batch`, {
      method: 'POST',
      headers: { ...headers, Accept: 'application/vnd.git-lfs+json', 'Content-Type': 'application/vnd.git-lfs+json' },
      body: JSON.stringify({ operation, transfers: ['basic'], objects: [{ oid, size: 3 }] }),
    });
    await lfs.text();
    // Clients of Git LFS are asked and refused as those of git.
    expect([service, lfs.status]).toEqual([service, status]);
    found.push(status);
  }
  return found;
}

const ALL = [200, 200, 200, 200];
const READ = [200, 403, 200, 403];
const NONE = [403, 403, 403, 403];
const UNKNOWN = [401, 401, 401, 401];

const personal = async (scope: string, change: object = {}): Promise<Basic> => {
  const { body } = await asAdmin.post(`/users/${developer.id}/personal_access_tokens`, {
    name: world.unique('token'),
    scopes: [scope],
    expires_at: soon,
  });
  if (Object.keys(change).length > 0) {
    await world.db.personalAccessToken.update({ where: { id: body.id }, data: change });
  }
  return { username: 'any', password: body.token };
};
const impersonation = async (scope: string): Promise<Basic & { id: number }> => {
  const values = { name: world.unique('token'), scopes: [scope], expires_at: soon };
  const { body } = await asAdmin.post(`/users/${developer.id}/impersonation_tokens`, values);
  return { username: developer.username, password: body.token, id: body.id };
};
const ofPlace = async (at: string, scope: string, access_level = 30) => {
  const values = { name: world.unique('token'), scopes: [scope], expires_at: soon, access_level };
  const { status, body } = await asOwner.post(`${at}/access_tokens`, values);
  expect(status).toBe(201);
  return { username: 'bot', password: body.token as string, id: body.id as number };
};
const ofProject = (scope: string, level?: number) => ofPlace(`/projects/${hidden.id}`, scope, level);
const deploy = async (scopes: string[], more: object = {}) => {
  const values = { name: world.unique('deploy'), scopes, ...more };
  const { status, body } = await asOwner.post(`/projects/${hidden.id}/deploy_tokens`, values);
  expect(status).toBe(201);
  return { username: body.username as string, password: body.token as string, id: body.id as number };
};
const granted = async (scope: string) => {
  const { access_token: password } = await tokens(world, developer, app, { scope });
  return { username: 'oauth2', password };
};

const ROWS: Row[] = [
  ['no credential', async () => null, [401, 401, 200, 401]],
  ['the password', async () => ({ username: developer.username, password: PASSWORD }), ALL],
  ['a wrong password', async () => ({ username: developer.username, password: 'wrong horse' }), UNKNOWN],
  ['the password of a user with two-factor authentication', withSecondFactor, UNKNOWN],
  ['a personal token of a user with two-factor authentication', () => withSecondFactor('token'), ALL],
  ['the private token', async () => ({ username: 'any', password: developer.token }), ALL],
  ['a personal token with api', () => personal('api'), ALL],
  ['a personal token with write_repository', () => personal('write_repository'), ALL],
  ['a personal token with read_repository', () => personal('read_repository'), READ],
  ['a personal token with read_api', () => personal('read_api'), NONE],
  ['a personal token with read_user', () => personal('read_user'), NONE],
  ['a personal token that has expired', () => personal('api', { expiresAt: past }), UNKNOWN],
  ['a personal token that was revoked', () => personal('api', { revoked: true }), UNKNOWN],
  ['a personal token that was rotated', () => rotated(false), UNKNOWN],
  ['the token in the place of a rotated one', () => rotated(true), ALL],
  ['a personal token of a blocked user', () => blocked('token'), UNKNOWN],
  ['the password of a blocked user', () => blocked('password'), UNKNOWN],
  ['an impersonation token with api', () => impersonation('api'), ALL],
  ['an impersonation token with read_repository', () => impersonation('read_repository'), READ],
  ['an impersonation token with read_user', () => impersonation('read_user'), NONE],
  ['an impersonation token that was revoked', revokedImpersonation, UNKNOWN],
  // A project token reaches what is public elsewhere, as any user does.
  ['a project token with api', () => ofProject('api'), [200, 200, 200, 403]],
  ['a project token with write_repository', () => ofProject('write_repository'), [200, 200, 200, 403]],
  ['a project token with read_repository', () => ofProject('read_repository'), READ],
  ['a project token with read_api', () => ofProject('read_api'), NONE],
  ['a project token of a reporter', () => ofProject('api', 20), READ],
  ['a project token of a guest', () => ofProject('api', 10), [403, 403, 200, 403]],
  ['a project token that was revoked', revokedOfProject, UNKNOWN],
  ['a deploy token with read_repository', () => deploy(['read_repository']), READ],
  ['a deploy token with read_registry', () => deploy(['read_registry']), NONE],
  [
    'a deploy token under another name',
    async () => ({ ...(await deploy(['read_repository'])), username: 'other' }),
    UNKNOWN,
  ],
  ['a deploy token that has expired', expiredDeploy, UNKNOWN],
  ['a deploy token that was deleted', deletedDeploy, UNKNOWN],
  ['the token of a job', () => job(), READ],
  ['the token of a job that may push', () => job({ pushes: true }), [200, 200, 200, 403]],
  ['the token of a job that has ended', () => job({ ended: true }), UNKNOWN],
  ['an OAuth token with api', () => granted('api'), ALL],
  ['an OAuth token with write_repository', () => granted('write_repository'), ALL],
  ['an OAuth token with read_repository', () => granted('read_repository'), READ],
  ['an OAuth token with read_user', () => granted('read_user'), NONE],
  ['an OAuth token that was revoked', revokedGrant, UNKNOWN],
  ['an OAuth token that has expired', expiredGrant, UNKNOWN],
];

async function withSecondFactor(what: 'password' | 'token' = 'password'): Promise<Basic> {
  const user = await member();
  const password = what === 'password' ? PASSWORD : await world.token(user);
  await world.db.user.update({ where: { id: user.id }, data: { twoFactorEnabled: true } });
  return { username: user.username, password };
}

async function member(): Promise<TestUser> {
  const user = await world.user();
  for (const place of [hidden, open]) await world.member(place, user, 'developer');
  return user;
}

async function rotated(isNew: boolean): Promise<Basic> {
  const first = await personal('api');
  const { id } = (
    await world.send('GET', '/api/v4/personal_access_tokens/self', { headers: { 'Private-Token': first.password } })
  ).body;
  const { status, body } = await asDeveloper.post(`/personal_access_tokens/${id}/rotate`);
  expect(status).toBe(200);
  return isNew ? { username: 'any', password: body.token } : first;
}

async function blocked(what: 'token' | 'password'): Promise<Basic> {
  const user = await member();
  const password = what === 'token' ? await world.token(user) : PASSWORD;
  expect((await asAdmin.post(`/users/${user.id}/block`)).status).toBe(201);
  return { username: user.username, password };
}

async function revokedImpersonation(): Promise<Basic> {
  const made = await impersonation('api');
  await asAdmin.delete(`/users/${developer.id}/impersonation_tokens/${made.id}`);
  return made;
}

async function revokedOfProject(): Promise<Basic> {
  const made = await ofProject('api');
  expect((await asOwner.delete(`/projects/${hidden.id}/access_tokens/${made.id}`)).status).toBe(204);
  return made;
}

async function expiredDeploy(): Promise<Basic> {
  const made = await deploy(['read_repository'], { expires_at: soon });
  await world.db.deployToken.update({ where: { id: made.id }, data: { expiresAt: past } });
  return made;
}

async function deletedDeploy(): Promise<Basic> {
  const made = await deploy(['read_repository']);
  expect((await asOwner.delete(`/projects/${hidden.id}/deploy_tokens/${made.id}`)).status).toBe(204);
  return made;
}

async function job({ pushes = false, ended = false } = {}): Promise<Basic> {
  const { id, token } = await takenJob(world, developer, hidden);
  await asOwner.put(`/projects/${hidden.id}`, { ci_push_repository_for_job_token_allowed: pushes });
  if (ended) await endJob(world, id);
  return { username: 'gitlab-ci-token', password: token };
}

async function revokedGrant(): Promise<Basic> {
  const made = await granted('api');
  const client = { client_id: app.uid, client_secret: app.secret };
  expect((await post(world, '/oauth/revoke', { token: made.password, ...client })).status).toBe(200);
  return made;
}

async function expiredGrant(): Promise<Basic> {
  const made = await granted('api');
  await world.db.oAuthToken.updateMany({ where: { userId: developer.id }, data: { expiresAt: past } });
  return made;
}

describe('Git over HTTP, as Git LFS', () => {
  it.each(ROWS)('with %s fetches and pushes what that reaches', async (_name, make, outcome) => {
    expect(await statuses(await make())).toEqual(outcome);
  });

  it('with a token of a group reaches the projects in it', async () => {
    const made = await ofPlace(`/groups/${group.id}`, 'write_repository');
    expect(await statusesOf(grouped.fullPath, made)).toEqual([200, 200]);
    expect(await statuses(made)).toEqual([404, 404, 200, 403]);
    await asOwner.delete(`/groups/${group.id}/access_tokens/${made.id}`);
    expect(await statusesOf(grouped.fullPath, made)).toEqual([401, 401]);
  });

  it('is refused from the moment that a member is none any more', async () => {
    const user = await member();
    const password = await world.token(user, ['write_repository']);
    const made = { username: user.username, password };
    expect(await statuses(made)).toEqual(ALL);
    await world.db.member.deleteMany({ where: { userId: user.id } });
    expect((await statuses(made)).slice(2)).toEqual([200, 403]);
    expect((await statuses(made)).slice(0, 2).every((status) => status === 403 || status === 404)).toBe(true);
  });
});

describe('Git over SSH', () => {
  const tries = async (key: ReturnType<typeof clientKey>, project: typeof hidden) => {
    const url = ssh.url(project);
    const [fetched, sent] = [
      await sshGit(key, work, 'ls-remote', url),
      await sshGit(key, work, 'push', '--dry-run', url, `main:${world.unique('branch')}`),
    ];
    return [fetched.code === 0, sent.code === 0];
  };

  it('with keys of users and of projects fetches and pushes what these reach', async () => {
    const own = await ssh.key(developer);
    expect([await tries(own, hidden), await tries(own, open)]).toEqual([
      [true, true],
      [true, true],
    ]);
    const outside = await ssh.key(await world.user());
    expect([await tries(outside, hidden), await tries(outside, open)]).toEqual([
      [false, false],
      [true, false],
    ]);
    const reads = await ssh.deployKey(owner, hidden);
    expect([await tries(reads, hidden), await tries(reads, open)]).toEqual([
      [true, false],
      [true, false],
    ]);
    const writes = await ssh.deployKey(owner, hidden, true);
    expect([await tries(writes, hidden), await tries(writes, open)]).toEqual([
      [true, true],
      [true, false],
    ]);
    expect(await tries(clientKey(), open)).toEqual([false, false]);
    const signs = clientKey();
    await world.api(developer).post('/user/keys', { title: 'signs', key: signs.publicKey, usage_type: 'signing' });
    expect(await tries(signs, open)).toEqual([false, false]);
    const over = await ssh.key(developer);
    await world.db.sshKey.updateMany({ where: { userId: developer.id, title: 'test' }, data: { expiresAt: past } });
    expect(await tries(over, hidden)).toEqual([false, false]);
  });

  it('with a deploy key ends where the repository is switched off, and goes on where it is for members', async () => {
    const { project } = await pushed('public');
    const [own, other] = [await ssh.deployKey(owner, project), await ssh.deployKey(owner, hidden)];
    const at = `/projects/${project.id}`;
    await asOwner.put(at, { repository_access_level: 'private' });
    expect([(await tries(own, project))[0], (await tries(other, project))[0]]).toEqual([true, false]);
    await asOwner.put(at, { repository_access_level: 'disabled' });
    expect((await tries(own, project))[0]).toBe(false);
  });
});

it('A clone with the client of git tells as much as the statuses', async () => {
  const { password } = await personal('read_repository');
  const address = `${world.url.replace('http://', `http://any:${password}@`)}/${hidden.fullPath}.git`;
  expect((await gitClient(work, 'ls-remote', address)).code).toBe(0);
  expect((await gitClient(work, 'push', '--dry-run', address, 'main:other')).code).not.toBe(0);
});
