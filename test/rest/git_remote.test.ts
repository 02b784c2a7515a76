import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SCOPE_NAMES } from '#src/access/permissions/scopes.ts';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withRepositoryLock } from '#src/domain/repository/lock.ts';
import { forgetProgram } from '#src/git/program/detect.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { clone, commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git, gitBytes, gitLines, scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { application, tokens } from '../support/oauth.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const outsider = await world.user();
const admin = await world.user({ admin: true });

const address = ({ fullPath }: { fullPath: string }, who?: TestUser, password = who?.token) => {
  const credentials = who ? `${who.username}:${encodeURIComponent(password ?? '')}@` : '';
  return `${world.url.replace('http://', `http://${credentials}`)}/${fullPath}.git`;
};
const directoryOf = (project: ProjectRow) => world.repositories.directory(project);
const basic = (username: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
const refs = (project: ProjectRow, service: string, headers: Record<string, string> = {}) =>
  world.send('GET', `/${project.fullPath}.git/info/refs?service=git-${service}-pack`, { headers });

/** A project with one commit on `main`, pushed by its owner, and the working copy that it came from. */
async function pushed(visibility: 'public' | 'internal' | 'private' = 'private') {
  const project = await world.project({ owner, visibility });
  const work = await workingCopy();
  const head = await commitFile(work, 'README.md', 'Hello\n');
  await run(work, 'remote', 'add', 'origin', address(project, owner));
  await run(work, 'push', '--quiet', 'origin', 'main');
  return { project, work, head };
}

async function settings(data: object): Promise<void> {
  await world.db.applicationSettings.update({ where: { id: 1 }, data });
  forgetSettings(world.db);
}
afterEach(() => settings({ enabledGitAccessProtocol: null, signinEnabled: true, defaultBranchProtection: 2 }));

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

describe('Pushing', () => {
  it('makes, moves and deletes branches and tags, and records it', LONG, async () => {
    const { project, work, head } = await pushed();
    await run(work, 'tag', 'light');
    await run(work, 'tag', '-a', '-m', 'A release', 'v1.0');
    await run(work, 'push', '--quiet', 'origin', 'main:topic/one', '--tags');
    await run(work, 'checkout', '--quiet', '--orphan', 'other');
    const other = await commitFile(work, 'b.txt', 'two\n');
    const forced = await gitClient(work, 'push', 'origin', '+other:topic/one', ':light', 'other:refs/notes/x');
    expect([forced.code, forced.said]).toEqual([0, expect.stringContaining('forced update')]);
    const directory = directoryOf(project);
    expect(gitLines(directory, ['for-each-ref', '--format=%(refname)'])).toEqual([
      'refs/heads/main',
      'refs/heads/topic/one',
      'refs/notes/x',
      'refs/tags/v1.0',
    ]);
    expect(git(directory, ['rev-parse', 'main', 'topic/one']).split('\n')).toEqual([head, other, '']);
    expect(git(directory, ['fsck', '--strict'])).toBe('');
    const events = await world.db.event.findMany({ where: { projectId: project.id }, orderBy: { id: 'asc' } });
    expect(events.map(({ action }) => action)).toEqual([
      'created',
      'pushed new',
      'pushed new',
      'pushed new',
      'pushed new',
      'pushed to',
      'deleted',
    ]);
  });

  it(
    'refuses what drops commits of others unless it is forced, and tells a push that was overtaken',
    LONG,
    async () => {
      const { project, work } = await pushed();
      const [one, two] = [await clone(address(project, owner)), await clone(address(project, owner))];
      for (const copy of [one, two]) await run(copy, 'checkout', '--quiet', '-b', 'topic');
      await commitFile(one, 'b.txt', 'one\n');
      await commitFile(two, 'b.txt', 'two\n');
      const both = await Promise.all([one, two].map((copy) => gitClient(copy, 'push', 'origin', 'topic')));
      expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
      expect(both.find(({ code }) => code === 1)?.said).toMatch(/rejected/);
      expect(git(directoryOf(project), ['fsck', '--strict', '--no-dangling'])).toBe('');
      await run(work, 'commit', '--quiet', '--amend', '-m', 'Other');
      await run(work, 'push', '--quiet', 'origin', 'HEAD:second');
      await run(work, 'commit', '--quiet', '--amend', '-m', 'Yet another');
      expect((await gitClient(work, 'push', 'origin', 'HEAD:second')).code).toBe(1);
      await run(work, 'push', '--quiet', '--force', 'origin', 'HEAD:second');
    },
  );

  it('protects branches from those who may not push to them, and from everybody who drops commits', LONG, async () => {
    const { project, work, head } = await pushed();
    const developer = await world.user();
    await world.member(project, developer, 'developer');
    const copy = await clone(address(project, developer));
    await commitFile(copy, 'b.txt', 'two\n');
    const refused = await gitClient(copy, 'push', 'origin', 'main', 'main:topic');
    expect(refused.code).toBe(1);
    expect(refused.said).toContain('main -> main (You are not allowed to push into this branch)');
    expect(refused.said).toMatch(/\[new branch\] +main -> topic/);
    const atomic = await gitClient(copy, 'push', '--atomic', 'origin', 'main', 'main:second');
    expect(atomic.code).toBe(1);
    expect(atomic.said).toContain('main -> second (another ref of this atomic push was refused)');
    await run(work, 'commit', '--quiet', '--amend', '-m', 'Other');
    const forced = await gitClient(work, 'push', '--force', 'origin', 'main');
    expect(forced.said).toContain('You are not allowed to force push code to a protected branch on this project');
    expect((await gitClient(work, 'push', 'origin', ':main')).said).toContain('Cannot remove HEAD branch');
    const directory = directoryOf(project);
    expect(git(directory, ['rev-parse', 'main']).trim()).toBe(head);
    expect(gitLines(directory, ['for-each-ref', '--format=%(refname)'])).toEqual([
      'refs/heads/main',
      'refs/heads/topic',
    ]);
  });

  it('refuses everything while the project is archived', LONG, async () => {
    const { project, work } = await pushed();
    await world.api(owner).post(`/projects/${project.id}/archive`);
    await commitFile(work, 'b.txt', 'two\n');
    const { code, said } = await gitClient(work, 'push', 'origin', 'main');
    expect([code, said]).toEqual([
      128,
      expect.stringContaining('This project is archived: nothing can be pushed to it.'),
    ]);
    await clone(address(project, owner));
  });

  it(
    'refuses names that the server keeps, branches that are no commits, and takes options without heeding them',
    LONG,
    async () => {
      const { project, work } = await pushed();
      const tree = await run(work, 'rev-parse', 'HEAD^{tree}');
      const { said } = await gitClient(
        work,
        'push',
        'origin',
        'main:refs/merge-requests/1/head',
        `${tree}:refs/tags/tree`,
      );
      expect(said).toContain('the server keeps such names for itself');
      await run(work, 'push', '--quiet', '-o', 'ci.skip', 'origin', 'main:second');
      expect(gitLines(directoryOf(project), ['for-each-ref', '--format=%(refname)'])).toEqual([
        'refs/heads/main',
        'refs/heads/second',
        'refs/tags/tree',
      ]);
    },
  );

  it(
    'refuses reserved names themselves, and names that are taken for options or for HEAD; such refs can be deleted',
    LONG,
    async () => {
      const { project, work, head } = await pushed();
      const reserved = ['merge-requests', 'keep-around', 'environments', 'pipelines', 'replace'].map(
        (kind) => `refs/${kind}`,
      );
      for (const name of [...reserved, ...reserved.map((ref) => `${ref}/x`)]) {
        const { said } = await gitClient(work, 'push', 'origin', `main:${name}`);
        expect(said).toContain('the server keeps such names for itself');
      }
      const odd = ['refs/heads/HEAD', 'refs/heads/-x', 'refs/heads/-x/y', 'refs/tags/-x', 'refs/tags/HEAD'];
      for (const name of odd) {
        const { said } = await gitClient(work, 'push', 'origin', `main:${name}`);
        expect(said).toContain('the name is not valid');
      }
      const directory = directoryOf(project);
      expect(gitLines(directory, ['for-each-ref', '--format=%(refname)'])).toEqual(['refs/heads/main']);
      for (const name of odd.filter((ref) => ref !== 'refs/heads/-x')) git(directory, ['update-ref', name, head]);
      for (const name of odd) await gitClient(work, 'push', 'origin', `:${name}`);
      expect(gitLines(directory, ['for-each-ref', '--format=%(refname)'])).toEqual(['refs/heads/main']);
      await run(work, 'push', '--quiet', 'origin', 'main:refs/keep-around-not', 'main:refs/heads/x/-y');
    },
  );

  it('refuses damaged packs and incomplete histories, and keeps nothing of them', LONG, async () => {
    const { project } = await pushed();
    const directory = directoryOf(project);
    const before = gitLines(directory, ['count-objects', '-v']);
    const orphan = await workingCopy();
    await commitFile(orphan, 'a.txt', 'one\n');
    const child = await commitFile(orphan, 'a.txt', 'two\n');
    const objects = `${child}\n${await run(orphan, 'rev-parse', 'HEAD^{tree}')}\n${await run(orphan, 'rev-parse', 'HEAD:a.txt')}\n`;
    const incomplete = gitBytes(path.join(orphan, '.git'), ['pack-objects', '--stdout', '-q'], objects);
    const line = `${'0'.repeat(40)} ${child} refs/heads/bad\0report-status`;
    const command = Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
    const damaged = Buffer.from(incomplete);
    damaged[40] = (damaged[40] ?? 0) ^ 255;
    for (const pack of [incomplete, damaged, incomplete.subarray(0, 60), Buffer.from('PACK0000')]) {
      const answer = await fetch(`${world.url}/${project.fullPath}.git/git-receive-pack`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-git-receive-pack-request', 'PRIVATE-TOKEN': owner.token },
        body: Buffer.concat([command, pack]),
      });
      const text = await answer.text();
      if (answer.status === 200)
        expect(text).toMatch(/unpack (?!ok).+ng refs\/heads\/bad the objects were not accepted/s);
      else expect(answer.status).toBe(400);
    }
    expect(gitLines(directory, ['count-objects', '-v'])).toEqual(before);
    expect(gitLines(directory, ['for-each-ref', '--format=%(refname)'])).toEqual(['refs/heads/main']);
  });

  it('a connection that is cut leaves the repository as it was, and nothing runs on', LONG, async () => {
    const { project, work, head } = await pushed();
    const directory = directoryOf(project);
    await writeFile(path.join(work, 'large'), randomBytes(3_000_000));
    await run(work, 'add', '.');
    await run(work, 'commit', '--quiet', '-m', 'Large');
    const tip = await run(work, 'rev-parse', 'HEAD');
    const pack = gitBytes(path.join(work, '.git'), ['pack-objects', '--stdout', '-q', '--revs'], `${tip}\n^${head}\n`);
    const line = `${head} ${tip} refs/heads/main\0report-status`;
    const body = Buffer.concat([Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`), pack]);
    for (const length of [20, 150, 200_000, 2_500_000]) {
      const outgoing = request(`${world.url}/${project.fullPath}.git/git-receive-pack`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/x-git-receive-pack-request',
          'Content-Length': body.length,
          'PRIVATE-TOKEN': owner.token,
        },
      });
      outgoing.on('error', () => undefined);
      outgoing.write(body.subarray(0, length));
      if (length > 150) await world.until(async () => (await incoming(directory)).length > 0);
      outgoing.destroy();
      await world.until(async () => (await incoming(directory)).length === 0);
    }
    expect(git(directory, ['rev-parse', 'main']).trim()).toBe(head);
    expect(gitLines(directory, ['count-objects', '-v'])).toEqual(
      expect.arrayContaining(['count: 0', 'in-pack: 3', 'packs: 1']),
    );
    expect(gitLines(directory, ['count-objects', '-v'])).toContain('garbage: 0');
    expect(await world.db.recordedRef.findMany({ where: { projectId: project.id } })).toMatchObject([{ oid: head }]);
    await run(work, 'push', '--quiet', 'origin', 'main');
    expect(git(directory, ['rev-parse', 'main']).trim()).toBe(tip);
  });

  it(
    'tells each ref why it was not changed when the project is deleted while the push waits its turn',
    LONG,
    async () => {
      const { project, work, head } = await pushed();
      await run(work, 'push', '--quiet', 'origin', 'main:topic');
      const line = `${head} ${'0'.repeat(40)} refs/heads/topic\0report-status side-band-64k delete-refs`;
      const outgoing = request(`${world.url}/${project.fullPath}.git/git-receive-pack`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-git-receive-pack-request', 'PRIVATE-TOKEN': owner.token },
      });
      const answered = once(outgoing, 'response');
      let answer = '';
      await withRepositoryLock(world.db, project.id, async () => {
        outgoing.end(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
        const [response] = await answered;
        expect(response.statusCode).toBe(200);
        response.on('data', (chunk: Buffer) => {
          answer += chunk.toString('latin1');
        });
        // A heartbeat has come: the answer has begun.
        await world.until(async () => answer !== '');
        await world.db.project.update({ where: { id: project.id }, data: { deletedAt: new Date() } });
      });
      await world.until(async () => answer.includes('refs/heads/topic'));
      expect(answer).toContain('ng refs/heads/topic Project not found');
      expect(git(directoryOf(project), ['rev-parse', 'topic']).trim()).toBe(head);
    },
  );

  it('a push of 10,000 commits arrives whole', { ...LONG, timeout: 180_000 }, async () => {
    const { project, work, head } = await pushed();
    const history = Array.from({ length: 10_000 }, (_, at) => {
      const parent = at === 0 ? `from ${head}\n` : '';
      const file = `M 100644 inline d${at % 40}/f${at % 900}\ndata 8\n${String(at).padStart(7, '0')}\n`;
      return `commit refs/heads/main\ncommitter P <p@example.com> ${1_800_000_000 + at} +0000\ndata 1\n.\n${parent}${file}\n`;
    });
    git(path.join(work, '.git'), ['fast-import', '--quiet', '--force'], history.join(''));
    const tip = await run(work, 'rev-parse', 'main');
    await run(work, 'push', '--quiet', 'origin', 'main');
    const directory = directoryOf(project);
    expect(git(directory, ['rev-parse', 'main']).trim()).toBe(tip);
    expect(git(directory, ['rev-list', '--count', 'main']).trim()).toBe('10001');
    expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
    const event = await world.db.event.findFirstOrThrow({ where: { projectId: project.id }, orderBy: { id: 'desc' } });
    expect(event).toMatchObject({
      action: 'pushed to',
      data: { total_commits_count: 10_000, before: head, after: tip },
    });
    expect((event.data as { commits: object[] }).commits).toHaveLength(20);
    expect(await run(await clone(address(project, owner)), 'rev-list', '--count', 'HEAD')).toBe('10001');
  });
});

describe('Pushing very many refs', () => {
  it('changes them all, and finds the default branch among them', { ...LONG, timeout: 60_000 }, async () => {
    const project = await world.project({ owner });
    const work = await workingCopy();
    await commitFile(work, 'a.txt', 'one\n');
    const head = await commitFile(work, 'a.txt', 'two\n');
    const names = Array.from({ length: 600 }, (_, at) => `refs/heads/a/${at}`);
    git(path.join(work, '.git'), ['update-ref', '--stdin'], names.map((name) => `create ${name} ${head}\n`).join(''));
    await run(work, 'branch', '--quiet', 'master');
    await run(work, 'push', '--quiet', '--mirror', address(project, owner));
    expect(gitLines(directoryOf(project), ['for-each-ref', '--format=%(refname)'])).toHaveLength(602);
    expect((await world.api(owner).get(`/projects/${project.id}`)).body.default_branch).toBe('master');
    expect(await world.db.recordedRef.count({ where: { projectId: project.id } })).toBe(602);
    expect(await world.db.projectCounters.findUnique({ where: { projectId: project.id } })).toMatchObject({
      commits: 2,
    });
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

/** Quarantines of pushes that are under way. */
async function incoming(directory: string): Promise<string[]> {
  return (await readdir(path.join(directory, 'objects'))).filter((name) => name.startsWith('incoming-'));
}
