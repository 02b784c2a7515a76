// One part in depth, which the long run has.
// @module-tag long
import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import { removeExpiredMembers } from '#src/domain/members/expire.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { projectWithCommit } from '../support/ci.ts';
import { application, post, tokens } from '../support/oauth.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { clientKey, startSshWorld } from '../support/ssh.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ssh = await startSshWorld(world);
const [owner, admin] = [await world.user(), await world.user({ admin: true })];
const { project } = await projectWithCommit(world, owner, { config: 'unit: {script: test}' });
const app = await application(world, owner, { scopes: ['api', 'write_repository'] });
const asOwner = world.api(owner);
const at = `/projects/${project.id}`;
const soon = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);

/** A credential that came from another one: whether it works, and what ends that other one. */
interface Derived {
  works(): Promise<boolean>;
  end(): Promise<unknown>;
}

// What no longer works counts as an attempt to sign in, which are limited.
beforeEach(() => world.db.signInFailures.deleteMany().then(() => undefined));
afterEach(() => void vi.useRealTimers());

/** A token of the project with the rights of a master. */
async function bot() {
  const values = { name: world.unique('bot'), scopes: ['api'], expires_at: soon, access_level: 40 };
  const { status, body } = await asOwner.post(`${at}/access_tokens`, values);
  expect(status).toBe(201);
  const { id, token, user_id: userId } = body as { id: number; token: string; user_id: number };
  const revoke = () => asOwner.delete(`${at}/access_tokens/${id}`);
  return { id, token, userId, api: world.api(token), revoke };
}

const member = async () => {
  const user = await world.user();
  await world.member(project, user, 'developer');
  return user;
};
const basic = (username: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
const statusOf = async (path: string, headers: Record<string, string>) =>
  (await world.send('GET', path, { headers })).status;
const readsByKey = async (key: ReturnType<typeof clientKey>) => {
  const { code } = await ssh
    .run(key, `git-lfs-authenticate '${project.fullPath}.git' download`)
    .catch(() => ({ code: 1 }));
  return code === 0;
};

/** An object that the project has. */
const oid = '0'.repeat(64);

beforeAll(async () => {
  const object = await world.db.lfsObject.create({ data: { oid, size: 3n, secret: 'x' } });
  await world.db.lfsObjectOfProject.create({ data: { projectId: project.id, lfsObjectId: object.id } });
});

/** Asks where to get an object of Git LFS: the header for it, or null where the caller is refused. */
async function batch(headers: Record<string, string>): Promise<Record<string, string> | null> {
  const { status, body } = await world.send('POST', `/${project.fullPath}.git/info/lfs/objects/batch`, {
    headers: { 'Content-Type': 'application/vnd.git-lfs+json', ...headers },
    body: { operation: 'download', transfers: ['basic'], objects: [{ oid, size: 3 }] },
  });
  return status === 200 ? body.objects[0].actions.download.header : null;
}

/** What Git LFS gets for a credential. */
async function lfs(username: string, password: string, end: Derived['end']): Promise<Derived> {
  const given = await batch(basic(username, password));
  if (!given) throw new Error('Git LFS got nothing');
  return { works: async () => (await batch(given)) !== null, end };
}

/** What clients of the container registry get for a credential. */
async function registry(username: string, password: string, end: Derived['end']): Promise<Derived> {
  const name = project.fullPath.toLowerCase();
  const query = `service=container_registry&scope=repository:${name}:pull`;
  const { body } = await world.send('GET', `/jwt/auth?${query}`, { headers: basic(username, password) });
  // Nothing was pushed yet: 404 for who may look.
  const works = async () =>
    (await statusOf(`/v2/${name}/tags/list`, { Authorization: `Bearer ${body.token}` })) === 404;
  return { works, end };
}

const newPassword = async ({ id }: TestUser) =>
  world.db.user.update({ where: { id }, data: { passwordHash: await hashPassword('another horse', null) } });
const renewed = (user: TestUser) =>
  world.graphql('mutation { renewPrivateToken(input: {}) { user { username } } }', {}, user);
const personal = async (user: TestUser) => {
  const token = await world.token(user, ['api']);
  return {
    token,
    revoke: () => world.send('DELETE', '/api/v4/personal_access_tokens/self', { headers: { 'PRIVATE-TOKEN': token } }),
  };
};
const deploy = async (api = asOwner) => {
  const values = { name: world.unique('deploy'), scopes: ['read_repository', 'read_registry'] };
  const { status, body } = await api.post(`${at}/deploy_tokens`, values);
  expect(status).toBe(201);
  return { ...(body as { id: number; username: string; token: string }) };
};
const removed = ({ id }: { id: number }) => asOwner.delete(`${at}/deploy_tokens/${id}`);

/** A token that an administrator of its own made to act as a user. */
async function impersonating() {
  const [maker, user] = [await world.user({ admin: true }), await world.user()];
  const at = `/users/${user.id}/impersonation_tokens`;
  const { status, body } = await world.api(maker).post(at, { name: 'acting', scopes: ['api'], expires_at: soon });
  expect(status).toBe(201);
  const { id, token } = body as { id: number; token: string };
  return { maker, at, id, token };
}

const CASES: Record<string, () => Promise<Derived>> = {
  'a trigger of a bot': async () => {
    const { api, revoke } = await bot();
    const { body } = await api.post(`${at}/triggers`, { description: 'nightly' });
    const fire = { token: body.token, ref: 'master' };
    return { works: async () => (await world.api().post(`${at}/trigger/pipeline`, fire)).status === 201, end: revoke };
  },
  'a schedule of a bot': async () => {
    const { api } = await bot();
    const values = { description: 'nightly', ref: 'master', cron: '0 0 1 1 *' };
    const { body } = await api.post(`${at}/pipeline_schedules`, values);
    const count = () => world.db.pipeline.count({ where: { scheduleId: body.id } });
    const works = async () => {
      const before = await count();
      await world.db.pipelineSchedule.update({ where: { id: body.id }, data: { nextRunAt: new Date(0) } });
      const jobs = world.as(owner).jobs;
      await world.handlers()['schedules.run']({}, jobs);
      await world.idle();
      return (await count()) > before;
    };
    return { works, end: () => api.delete('/personal_access_tokens/self') };
  },
  'an SSH key of a bot': async () => {
    const { userId, id } = await bot();
    // Nobody gives bots keys today; those of earlier versions may have some.
    const user = await world.user();
    const key = await ssh.key(user);
    await world.db.sshKey.updateMany({ where: { userId: user.id }, data: { userId } });
    return { works: () => readsByKey(key), end: () => world.api(admin).delete(`/personal_access_tokens/${id}`) };
  },
  'a deploy token of a bot': async () => {
    const { api, id, token } = await bot();
    const { username, token: password } = await deploy(api);
    const path = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
    // Somebody else has the token: both ends of the family are over.
    const reuse = async () => {
      expect((await asOwner.post(`${at}/access_tokens/${id}/rotate`)).status).toBe(200);
      expect((await world.api(token).post('/personal_access_tokens/self/rotate')).status).toBe(401);
    };
    return { works: async () => (await statusOf(path, basic(username, password))) === 200, end: reuse };
  },
  'a deploy key of a bot': async () => {
    const { api, id } = await bot();
    const key = clientKey();
    expect((await api.post(`${at}/deploy_keys`, { title: 'bot', key: key.publicKey })).status).toBe(201);
    const expire = () => world.db.personalAccessToken.update({ where: { id }, data: { expiresAt: new Date(0) } });
    return { works: () => readsByKey(key), end: expire };
  },
  'an impersonation token': async () => {
    const { maker, token } = await impersonating();
    return {
      works: async () => (await world.api(token).get('/user')).status === 200,
      end: () => world.api(admin).put(`/users/${maker.id}`, { admin: false }),
    };
  },
  'the token of a job of a bot': async () => {
    const { userId, revoke } = await bot();
    const { token } = await takenJob(world, { ...owner, id: userId }, project);
    return { works: async () => (await statusOf('/api/v4/job', { 'JOB-TOKEN': token })) === 200, end: revoke };
  },
  'a Git LFS token for the token of a bot': async () => {
    const { token, revoke } = await bot();
    return lfs('bot', token, revoke);
  },
  'a Git LFS token for a personal token': async () => {
    const { token, revoke } = await personal(await member());
    return lfs('any', token, revoke);
  },
  'a Git LFS token for an OAuth token': async () => {
    const { access_token: token } = await tokens(world, await member(), app, { scope: 'write_repository' });
    const client = { client_id: app.uid, client_secret: app.secret };
    return lfs('oauth2', token, () => post(world, '/oauth/revoke', { token, ...client }));
  },
  'a Git LFS token for the token of a job': async () => {
    const { id, token } = await takenJob(world, owner, project);
    return lfs('gitlab-ci-token', token, () => endJob(world, id));
  },
  'a Git LFS token for a deploy token': async () => {
    const made = await deploy();
    return lfs(made.username, made.token, () => removed(made));
  },
  'a Git LFS token for a password': async () => {
    const user = await member();
    return lfs(user.username, PASSWORD, () => newPassword(user));
  },
  'a Git LFS token for a private token': async () => {
    const user = await member();
    return lfs(user.username, user.token, () => renewed(user));
  },
  'a Git LFS token for an SSH key': async () => {
    const user = await member();
    return overSsh(await ssh.key(user), () => world.db.sshKey.deleteMany({ where: { userId: user.id } }));
  },
  'a Git LFS token for a deploy key': async () =>
    overSsh(await ssh.deployKey(owner, project, true), () =>
      world.db.deployKey.deleteMany({ where: { userId: owner.id } }),
    ),
  'a Git LFS token for an earlier one': async () => {
    const user = await member();
    const first = await batch(basic(user.username, user.token));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 100 * 60_000 });
    const second = first && (await batch(first));
    if (!second) throw new Error('Git LFS got nothing');
    // The first one is over twenty minutes later, and so is what it gave.
    return {
      works: async () => (await batch(second)) !== null,
      end: async () => vi.setSystemTime(Date.now() + 21 * 60_000),
    };
  },
  'a registry token for a personal token': async () => {
    const { token, revoke } = await personal(await member());
    return registry('any', token, revoke);
  },
  'a registry token for a password': async () => {
    const user = await member();
    return registry(user.username, PASSWORD, () => newPassword(user));
  },
  'a registry token for a private token': async () => {
    const user = await member();
    return registry(user.username, user.token, () => renewed(user));
  },
  'a registry token for the token of a job': async () => {
    const { id, token } = await takenJob(world, owner, project);
    return registry('gitlab-ci-token', token, () => endJob(world, id));
  },
  'a registry token for a deploy token': async () => {
    const made = await deploy();
    return registry(made.username, made.token, () => removed(made));
  },
};

async function overSsh(key: ReturnType<typeof clientKey>, end: Derived['end']): Promise<Derived> {
  const { output } = await ssh.run(key, `git-lfs-authenticate '${project.fullPath}.git' download`);
  const { header } = JSON.parse(output);
  return { works: async () => (await batch(header)) !== null, end };
}

it.each(Object.entries(CASES))('%s works until the end of what it came from', async (_name, make) => {
  const { works, end } = await make();
  expect(await works()).toBe(true);
  await end();
  expect(await works()).toBe(false);
});

it('The table of docs/security.md has a row for each of them', () => {
  const text = readFileSync(packagePath('docs/security.md'), 'utf8');
  const rows = [...text.matchAll(/\| test\/access\/derived_credentials\.test\.ts: “(.+?)” \|$/gm)].map(
    ([, name]) => name,
  );
  expect(rows.toSorted()).toEqual(Object.keys(CASES).toSorted());
});

it('A bot is no member from the moment that its token ends, whoever ends it, and what it made ends with it', async () => {
  const of = (userId: number) => world.db.member.count({ where: { userId } });
  for (const way of ['revoke', 'self', 'admin', 'expiry'] as const) {
    const { id, userId, api, revoke } = await bot();
    const { id: tokenId } = await deploy(api);
    expect([way, await of(userId)]).toEqual([way, 1]);
    if (way === 'revoke') await revoke();
    if (way === 'self') await api.delete('/personal_access_tokens/self');
    if (way === 'admin') await world.api(admin).delete(`/personal_access_tokens/${id}`);
    if (way === 'expiry') {
      await world.db.personalAccessToken.update({ where: { id }, data: { expiresAt: new Date(0) } });
      await removeExpiredMembers(world.db);
    }
    const { revoked } = await world.db.deployToken.findUniqueOrThrow({ where: { id: tokenId } });
    expect([way, await of(userId), revoked]).toEqual([way, 0, true]);
  }
});

it('A bot whose token is replaced goes on', async () => {
  const { id, userId, api } = await bot();
  const { body } = await api.post(`${at}/triggers`, { description: 'nightly' });
  expect((await asOwner.post(`${at}/access_tokens/${id}/rotate`)).status).toBe(200);
  expect(await world.db.member.count({ where: { userId } })).toBe(1);
  const fire = { token: body.token, ref: 'master' };
  expect((await world.api().post(`${at}/trigger/pipeline`, fire)).status).toBe(201);
});

it('An impersonation token works while whoever made it is an active administrator, and says so', async () => {
  const { maker, at, id, token } = await impersonating();
  const state = async () => {
    const { status } = await world.api(token).get('/user');
    const active = (await world.api(admin).get(`${at}?state=active`)).body.map((one: { id: number }) => one.id);
    return [status, active, (await world.api(admin).get(`${at}/${id}`)).body.active];
  };
  expect(await state()).toEqual([200, [id], true]);
  await world.api(admin).post(`/users/${maker.id}/block`);
  expect(await state()).toEqual([401, [], false]);
  await world.api(admin).post(`/users/${maker.id}/unblock`);
  expect(await state()).toEqual([200, [id], true]);
  await world.db.personalAccessToken.update({ where: { id }, data: { createdById: null } });
  expect(await state()).toEqual([401, [], false]);
  // Another administrator who replaces it answers for it.
  const { status, body } = await world.api(admin).post(`/personal_access_tokens/${id}/rotate`);
  expect([status, (await world.api(body.token).get('/user')).status]).toEqual([200, 200]);
});
