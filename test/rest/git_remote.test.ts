import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SCOPE_NAMES } from '#src/access/permissions/scopes.ts';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { forgetProgram } from '#src/git/program/detect.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { clone, commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git, scratch } from '../support/git_program.ts';
import { remotes } from '../support/git_remote.ts';
import { LONG } from '../support/long.ts';
import { application, tokens } from '../support/oauth.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const outsider = await world.user();
const admin = await world.user({ admin: true });

const { address, pushed } = remotes(world, owner);
const directoryOf = (project: ProjectRow) => world.repositories.directory(project);
const basic = (username: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
const refs = (project: ProjectRow, service: string, headers: Record<string, string> = {}) =>
  world.send('GET', `/${project.fullPath}.git/info/refs?service=git-${service}-pack`, { headers });

async function settings(data: object): Promise<void> {
  await world.db.applicationSettings.update({ where: { id: 1 }, data });
  forgetSettings(world.db);
}
afterEach(() => settings({ enabledGitAccessProtocol: null, signinEnabled: true }));

describe('Fetching', () => {
  it('http_url_to_repo clones as it is given, also from a nested group', LONG, async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const inner = await world.group({ owner, visibility: 'public', parentId: group.id });
    const project = await world.project({ owner, namespaceId: inner.id, visibility: 'public' });
    const work = await workingCopy();
    const head = await commitFile(work, 'a.txt', 'one\n');
    await run(work, 'push', '--quiet', address(project, owner), 'main');
    const { body } = await world.api(owner).get(`/projects/${project.id}`);
    const copy = await clone(body.http_url_to_repo);
    expect(await run(copy, 'rev-parse', 'HEAD')).toBe(head);
    expect(await run(copy, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  });

  it.each(['0', '1', '2'])('works with version %s of the protocol', LONG, async (version) => {
    const { project, work } = await pushed();
    const args = ['-c', `protocol.version=${version}`];
    const copy = path.join(scratch(), 'copy');
    await run(path.dirname(copy), ...args, 'clone', '--quiet', address(project, owner), copy);
    const head = await commitFile(work, 'b.txt', 'two\n');
    await run(work, ...args, 'push', '--quiet', 'origin', 'main');
    await run(copy, ...args, 'fetch', '--quiet');
    expect(await run(copy, 'rev-parse', 'origin/main')).toBe(head);
  });

  it.each(['0', '2'])('makes shallow clones, which deepen and push (version %s)', LONG, async (version) => {
    const { project, work, head } = await pushed();
    await commitFile(work, 'b.txt', 'two\n');
    const tip = await commitFile(work, 'c.txt', 'three\n');
    await run(work, 'push', '--quiet', 'origin', 'main');
    const copy = await clone(address(project, owner), '--depth=1', '-c', `protocol.version=${version}`);
    expect(await run(copy, 'rev-list', '--all')).toBe(tip);
    const next = await commitFile(copy, 'd.txt', 'four\n');
    await run(copy, 'push', '--quiet', 'origin', 'main');
    expect(git(directoryOf(project), ['rev-parse', 'main']).trim()).toBe(next);
    await run(copy, 'fetch', '--quiet', '--unshallow');
    expect(await run(copy, 'rev-list', '--count', 'HEAD')).toBe('4');
    expect(await run(copy, 'merge-base', 'HEAD', head)).toBe(head);
  });

  it('makes clones without blobs, which fetch them when they need them', LONG, async () => {
    const { project } = await pushed('public');
    const copy = await clone(address(project), '--filter=blob:none', '--no-checkout');
    expect(await run(copy, 'rev-list', '--objects', '--missing=print', 'HEAD')).toContain('?');
    expect(await run(copy, 'show', 'HEAD:README.md')).toBe('Hello');
  });

  it('takes compressed requests with hundreds of haves', LONG, async () => {
    const { project, work } = await pushed();
    const copy = await clone(address(project, owner));
    const history = Array.from({ length: 400 }, (_, at) => {
      const parent = at === 0 ? 'from refs/heads/main^0\n' : '';
      return `commit refs/heads/main\ncommitter P <p@example.com> ${1_700_000_000 + at} +0000\ndata 1\n.\n${parent}\n`;
    });
    git(path.join(copy, '.git'), ['fast-import', '--quiet', '--force'], history.join(''));
    const head = await commitFile(work, 'b.txt', 'two\n');
    await run(work, 'push', '--quiet', 'origin', 'main');
    await run(copy, 'fetch', '--quiet', 'origin');
    expect(await run(copy, 'rev-parse', 'origin/main')).toBe(head);
  });

  it('an empty repository is cloned, and the first push into it makes the default branch', LONG, async () => {
    const project = await world.project({ owner });
    const copy = await clone(address(project, owner));
    await run(copy, 'checkout', '--quiet', '-b', 'trunk');
    await commitFile(copy, 'a.txt', 'one\n');
    await run(copy, 'push', '--quiet', 'origin', 'trunk');
    const { body } = await world.api(owner).get(`/projects/${project.id}`);
    expect(body.default_branch).toBe('trunk');
    expect(await run(await clone(address(project, owner)), 'symbolic-ref', 'HEAD')).toBe('refs/heads/trunk');
    expect(await world.db.protectedBranch.findMany({ where: { projectId: project.id } })).toMatchObject([
      { name: 'trunk', developersCanPush: false },
    ]);
  });

  it('the old address of a project leads a fetch to the new one, and tells a push of it', LONG, async () => {
    const { project, head, work } = await pushed();
    const name = world.unique('renamed');
    await world.api(owner).put(`/projects/${project.id}`, { path: name, name });
    const copy = await clone(address(project, owner));
    expect(await run(copy, 'rev-parse', 'HEAD')).toBe(head);
    await commitFile(work, 'b.txt', 'two\n');
    const { code, said } = await gitClient(work, 'push', 'origin', 'main');
    expect(code).not.toBe(0);
    expect(said).toContain(`The project has moved to ${owner.username}/${name}.`);
    expect((await refs(project, 'upload')).status).toBe(401);
    expect((await refs(project, 'upload', basic('x', outsider.token))).status).toBe(404);
  });
});

describe('Who gets in', () => {
  it('anonymous callers are asked for credentials, for private and missing projects alike', LONG, async () => {
    const { project } = await pushed();
    const answers = [
      await refs(project, 'upload'),
      await refs({ ...project, fullPath: 'no/such' }, 'upload'),
      await refs({ ...project, fullPath: 'no%00such/%zz' }, 'upload'),
      await refs(project, 'receive'),
      await refs((await pushed('public')).project, 'receive'),
      await refs((await pushed('internal')).project, 'upload'),
    ];
    for (const { status, headers, body } of answers) {
      expect([status, headers['www-authenticate'], body]).toEqual([401, 'Basic realm="GitLab"', answers[0]?.body]);
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    }
  });

  it('tells the signed-in caller 404 for what they may not see, and 403 for what they may not do', LONG, async () => {
    const { project } = await pushed();
    const guest = await world.user();
    await world.member(project, guest, 'guest');
    const reporter = await world.user();
    await world.member(project, reporter, 'reporter');
    const as = ({ username, token }: TestUser) => basic(username, token);
    expect((await refs(project, 'upload', as(outsider))).status).toBe(404);
    expect((await refs({ ...project, fullPath: 'no/such' }, 'upload', as(outsider))).status).toBe(404);
    expect((await refs(project, 'upload', as(guest))).status).toBe(403);
    expect((await refs(project, 'upload', as(reporter))).status).toBe(200);
    const { status, body } = await refs(project, 'receive', as(reporter));
    expect([status, body]).toEqual([403, 'You are not allowed to push code to this project.\n']);
    expect((await refs(project, 'receive', as(admin))).status).toBe(200);
  });

  it(
    'takes tokens that reach the API in place of the password, by any user name, and in the headers of the API',
    LONG,
    async () => {
      const { project } = await pushed();
      const personal = await world.token(owner);
      const { body } = await world
        .api(admin)
        .post(`/users/${owner.id}/impersonation_tokens`, { name: 'x', scopes: ['api'] });
      for (const token of [owner.token, personal, body.token]) {
        for (const name of [owner.username, 'oauth2', '']) {
          expect((await refs(project, 'receive', basic(name, token))).status).toBe(200);
        }
        expect((await refs(project, 'receive', { 'PRIVATE-TOKEN': token })).status).toBe(200);
        expect((await refs(project, 'receive', { Authorization: `Bearer ${token}` })).status).toBe(200);
      }
      const narrow = await world.token(owner, ['read_user']);
      expect((await refs(project, 'upload', basic(owner.username, narrow))).status).toBe(403);
      const old = await world.token(owner, ['api'], new Date('2020-01-01'));
      expect((await refs(project, 'upload', basic('oauth2', old))).status).toBe(401);
    },
  );

  it(
    'lets tokens fetch or push by the scopes of repositories, of applications too, and reads of the API reach none',
    LONG,
    async () => {
      const { project, work } = await pushed();
      const app = await application(world, owner, { scopes: [...SCOPE_NAMES] });
      const reaches = async (...scopes: string[]) => {
        const personal = await world.token(owner, scopes);
        const { access_token: granted } = await tokens(world, owner, app, { scope: scopes.join(' ') });
        const found = [];
        for (const headers of [
          basic('oauth2', personal),
          basic('oauth2', granted),
          { Authorization: `Bearer ${granted}` },
        ])
          found.push(
            `${(await refs(project, 'upload', headers)).status} ${(await refs(project, 'receive', headers)).status}`,
          );
        expect(new Set(found).size).toBe(1);
        return found[0];
      };
      expect(await reaches('read_repository')).toBe('200 403');
      expect(await reaches('write_repository')).toBe('200 200');
      expect(await reaches('read_api')).toBe('403 403');
      expect(await reaches('read_api', 'read_repository')).toBe('200 403');
      expect(await reaches('api')).toBe('200 200');
      const reader = await world.token(owner, ['read_repository']);
      const { body } = await refs(project, 'receive', basic('oauth2', reader));
      expect(body).toBe('The scopes of this access token do not let it push: it needs "write_repository" or "api".\n');
      // What a push sets off is not held up by the scope.
      await commitFile(work, '.gitlab-ci.yml', 'test: {script: ["true"]}\n');
      await run(
        work,
        'push',
        '--quiet',
        address(project, owner, await world.token(owner, ['write_repository'])),
        'main',
      );
      await world.idle();
      expect(await world.db.pipeline.count({ where: { projectId: project.id } })).toBe(1);
      await expect(run(work, 'push', '--quiet', address(project, owner, reader), 'main:other')).rejects.toThrow(/403/);
    },
  );

  it('takes the password of the user, by name or e-mail, but no wrong one, even for what is public', async () => {
    const { project } = await pushed('public');
    expect((await refs(project, 'receive', basic(owner.username, PASSWORD))).status).toBe(200);
    expect((await refs(project, 'receive', basic(`${owner.username}@example.org`, PASSWORD))).status).toBe(200);
    const { status, headers } = await refs(project, 'upload', basic(owner.username, 'wrong'));
    expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="GitLab"']);
    expect((await refs(project, 'upload', { 'PRIVATE-TOKEN': 'wrong' })).status).toBe(401);
  });

  it(
    'refuses passwords of users with two factors, of blocked users, to be renewed, and where the setting closes this',
    LONG,
    async () => {
      const { project } = await pushed('public');
      const refused = async (data: object) => {
        const user = await world.user();
        await world.db.user.update({ where: { id: user.id }, data });
        return (await refs(project, 'upload', basic(user.username, PASSWORD))).status;
      };
      expect(await refused({})).toBe(200);
      expect(await refused({ twoFactorEnabled: true })).toBe(401);
      expect(await refused({ state: 'blocked' })).toBe(401);
      expect(await refused({ passwordExpiresAt: new Date(0) })).toBe(401);
      await settings({ signinEnabled: false });
      expect(await refused({})).toBe(401);
      expect((await refs(project, 'upload', basic(owner.username, owner.token))).status).toBe(200);
    },
  );

  it('counts wrong passwords as attempts to sign in, and no tokens', LONG, async () => {
    const { project } = await pushed('public');
    const user = await world.user();
    await world.db.user.update({ where: { id: user.id }, data: { passwordHash: await hashPassword('other', null) } });
    const statuses = [];
    for (let at = 0; at < 11; at++) statuses.push((await refs(project, 'upload', basic(user.username, 'no'))).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    const limited = await refs(project, 'upload', basic(user.username, 'other'));
    expect([limited.status, Number(limited.headers['retry-after']) > 0]).toEqual([429, true]);
    expect((await refs(project, 'upload', basic(user.username, user.token))).status).toBe(200);
    await world.db.$executeRaw`DELETE FROM sign_in_failures`;
  });

  it('is closed where the settings allow only SSH', LONG, async () => {
    const { project } = await pushed('public');
    await settings({ enabledGitAccessProtocol: 'ssh' });
    expect((await refs(project, 'upload')).status).toBe(403);
    await settings({ enabledGitAccessProtocol: 'http' });
    expect((await refs(project, 'upload')).status).toBe(200);
  });

  it('answers requests that no client of git makes with what is wrong with them', LONG, async () => {
    const { project } = await pushed('public');
    const at = `/${project.fullPath}.git`;
    expect((await world.send('GET', `${at}/info/refs`)).status).toBe(403);
    expect((await world.send('POST', `${at}/info/refs?service=git-upload-pack`)).status).toBe(405);
    expect((await world.send('GET', `${at}/git-upload-pack`)).status).toBe(405);
    expect((await world.send('POST', `${at}/git-upload-pack`, { body: '0000' })).status).toBe(415);
    expect((await world.send('GET', `${at}/HEAD`)).status).toBe(404);
    for (const body of ['', '\xff\xff\xff\xff', '0014command=ls-refs\n0000']) {
      const headers = { 'Content-Type': 'application/x-git-upload-pack-request' };
      expect((await world.send('POST', `${at}/git-upload-pack`, { headers, body })).status).toBe(400);
    }
    const type = { 'Content-Type': 'application/x-git-receive-pack-request', ...basic('x', owner.token) };
    const post = (body: string) => world.send('POST', `${at}/git-receive-pack`, { headers: type, body });
    expect(await post('0000')).toMatchObject({ status: 200, body: null });
    for (const body of ['', 'what', '0009what0000', '0003', 'ffff', `0067${'0'.repeat(40)} ${'1'.repeat(40)} refs/x`]) {
      expect([body, (await post(body)).status]).toEqual([body, body === '' ? 200 : 400]);
    }
    const zip = await world.send('POST', `${at}/git-receive-pack`, {
      headers: { ...type, 'Content-Encoding': 'gzip' },
      body: 'no gzip',
    });
    expect(zip.status).toBe(400);
  });
});

describe('Without a git program', () => {
  it('the remote says so, and everything else works', LONG, async () => {
    const { project } = await pushed('public');
    const { PATH } = process.env;
    process.env.PATH = '/nowhere';
    forgetProgram();
    try {
      const { status, body } = await refs(project, 'upload');
      expect([status, body]).toEqual([503, expect.stringContaining('This server has no git program')]);
      expect((await world.api(owner).get(`/projects/${project.id}`)).status).toBe(200);
    } finally {
      process.env.PATH = PATH;
      forgetProgram();
    }
    expect((await refs(project, 'upload')).status).toBe(200);
  });
});
