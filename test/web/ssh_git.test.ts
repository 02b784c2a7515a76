// Each test takes long: the long run has them all.
// @module-tag long
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { commitFile, type Ran, run, workingCopy } from '../support/git_client.ts';
import { git, scratch } from '../support/git_program.ts';
import { type ClientKey, clientKey, sshGit, startSshWorld } from '../support/ssh.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ssh = await startSshWorld(world);
const owner = await world.user();
const key = await ssh.key(owner);
const directoryOf = (project: ProjectRow) => world.repositories.directory(project);

/** As sshGit, for what has to succeed. */
async function done(ran: Promise<Ran>): Promise<string> {
  const { code, output, said } = await ran;
  if (code !== 0) throw new Error(said);
  return output;
}

async function cloned(project: ProjectRow, by: ClientKey = key, ...args: string[]): Promise<string> {
  const directory = path.join(scratch(), 'clone');
  await done(sshGit(by, path.dirname(directory), ...args, 'clone', '--quiet', ssh.url(project), directory));
  return directory;
}

/** A project with one commit on `main`, pushed over SSH, and the working copy that it came from. */
async function pushed() {
  const project = await world.project({ owner });
  const work = await workingCopy();
  const head = await commitFile(work, 'README.md', 'Hello\n');
  await run(work, 'remote', 'add', 'origin', ssh.url(project));
  await done(sshGit(key, work, 'push', '--quiet', 'origin', 'main'));
  return { project, work, head };
}

describe('Fetching over SSH', () => {
  it.each([0, 1, 2])('works with version %i of the protocol', async (version) => {
    const { project, work, head } = await pushed();
    const copy = await cloned(project, key, '-c', `protocol.version=${version}`);
    expect(await run(copy, 'rev-parse', 'HEAD')).toBe(head);
    const next = await commitFile(work, 'more', 'x');
    await done(sshGit(key, work, 'push', '--quiet', 'origin', 'main'));
    await done(sshGit(key, copy, '-c', `protocol.version=${version}`, 'fetch', '--quiet'));
    expect(await run(copy, 'rev-parse', 'origin/main')).toBe(next);
    const { output } = await sshGit(key, copy, '-c', `protocol.version=${version}`, 'ls-remote', 'origin');
    expect(output).toBe(`${next}\tHEAD\n${next}\trefs/heads/main`);
  });

  it('makes shallow clones, which deepen and push', async () => {
    const { project, work } = await pushed();
    await commitFile(work, 'two', '2');
    await commitFile(work, 'three', '3');
    await done(sshGit(key, work, 'push', '--quiet', 'origin', 'main'));
    const copy = path.join(scratch(), 'shallow');
    await done(sshGit(key, path.dirname(copy), 'clone', '--quiet', '--depth=1', ssh.url(project), copy));
    expect(await run(copy, 'rev-list', '--count', 'HEAD')).toBe('1');
    await done(sshGit(key, copy, 'fetch', '--quiet', '--deepen=1'));
    expect(await run(copy, 'rev-list', '--count', 'HEAD')).toBe('2');
    const head = await commitFile(copy, 'four', '4');
    await done(sshGit(key, copy, 'push', '--quiet', 'origin', 'HEAD:shallow'));
    expect(git(directoryOf(project), ['rev-parse', 'shallow']).trim()).toBe(head);
    expect(git(directoryOf(project), ['fsck', '--strict'])).toBe('');
  });

  it('an empty repository is cloned, and the first push into it makes the default branch', async () => {
    const project = await world.project({ owner });
    const copy = await cloned(project);
    await run(copy, 'checkout', '--quiet', '-b', 'trunk');
    await commitFile(copy, 'a', '1');
    await done(sshGit(key, copy, 'push', '--quiet', 'origin', 'trunk'));
    expect((await world.api(owner).get(`/projects/${project.id}`)).body.default_branch).toBe('trunk');
  });

  it('hides the refs that the server keeps for itself', async () => {
    const { project, head } = await pushed();
    git(directoryOf(project), ['update-ref', 'refs/keep-around/x', head]);
    expect((await sshGit(key, scratch(), 'ls-remote', ssh.url(project))).output).not.toContain('keep-around');
  });

  it('gives away no object that no ref leads to, and refs of merge requests to those who may read them', async () => {
    const { project, work, head } = await pushed();
    const removed = await commitFile(work, 'secret.txt', 'secret\n');
    await done(sshGit(key, work, 'push', '--quiet', 'origin', 'main'));
    const directory = directoryOf(project);
    git(directory, ['update-ref', 'refs/heads/main', head]);
    git(directory, ['update-ref', 'refs/merge-requests/1/head', removed]);
    const fetching = async (version: number, name: string) => {
      const by = ['-c', `protocol.version=${version}`];
      return sshGit(key, await workingCopy(), ...by, 'fetch', '--quiet', ssh.url(project), name);
    };
    for (const name of [head, removed, 'refs/merge-requests/1/head']) expect((await fetching(2, name)).code).toBe(0);
    await world.db.project.update({ where: { id: project.id }, data: { mergeRequestsEnabled: false } });
    expect((await sshGit(key, work, 'ls-remote', 'origin')).output).not.toContain('merge-requests');
    for (const version of [0, 2]) {
      const { code, said } = await fetching(version, removed);
      expect([code, said]).toEqual([128, expect.stringContaining(`not our ref ${removed}`)]);
      expect((await fetching(version, head)).code).toBe(0);
    }
  });

  it('gives away blobs later, as over HTTP', async () => {
    const { project } = await pushed();
    const copy = path.join(scratch(), 'partial');
    await done(
      sshGit(
        key,
        path.dirname(copy),
        'clone',
        '--quiet',
        '--no-checkout',
        '--filter=blob:none',
        ssh.url(project),
        copy,
      ),
    );
    expect(await done(sshGit(key, copy, 'cat-file', '-p', 'HEAD:README.md'))).toBe('Hello');
  });
});

describe('Pushing over SSH', () => {
  it('makes, moves and deletes branches and tags, and records it as of the user', async () => {
    const { project, work, head } = await pushed();
    await run(work, 'tag', '-a', '-m', 'One', 'v1');
    await done(sshGit(key, work, 'push', '--quiet', 'origin', 'main:topic', 'v1'));
    const next = await commitFile(work, 'b', '2');
    await done(sshGit(key, work, 'push', '--quiet', 'origin', 'main:topic'));
    await done(sshGit(key, work, 'push', '--quiet', 'origin', ':topic', ':v1'));
    expect(git(directoryOf(project), ['for-each-ref', '--format=%(refname)']).trim()).toBe('refs/heads/main');
    const { body } = await world.api(owner).get(`/projects/${project.id}/events`);
    const pushes = body.filter((event: { action_name: string }) => /^(pushed|deleted)/.test(event.action_name));
    expect(pushes.map((event: { data: { ref: string; after: string } }) => [event.data.ref, event.data.after])).toEqual(
      expect.arrayContaining([
        ['refs/heads/main', head],
        ['refs/heads/topic', next],
        ['refs/heads/topic', '0'.repeat(40)],
        ['refs/tags/v1', '0'.repeat(40)],
      ]),
    );
    expect(new Set(pushes.map((event: { author_username: string }) => event.author_username))).toEqual(
      new Set([owner.username]),
    );
  });

  it('starts pipelines', async () => {
    const { project, work } = await pushed();
    await commitFile(work, '.gitlab-ci.yml', 'test:\n  script: echo\n');
    await done(sshGit(key, work, 'push', '--quiet', 'origin', 'main:ci'));
    await world.until(async () => (await world.api(owner).get(`/projects/${project.id}/pipelines`)).body.length === 1);
  });

  it('refuses an atomic push as a whole, and says why', async () => {
    const { project, work } = await pushed();
    const answer = await sshGit(key, work, 'push', '--atomic', 'origin', 'main:one', 'main:refs/replace/x');
    expect(answer.code).toBe(1);
    expect(answer.said).toContain('another ref of this atomic push was refused');
    expect(answer.said).toContain('the server keeps such names for itself');
    expect(git(directoryOf(project), ['for-each-ref', '--format=%(refname)']).trim()).toBe('refs/heads/main');
    await done(sshGit(key, work, 'push', '--quiet', '--atomic', 'origin', 'main:one', 'main:two'));
    expect(git(directoryOf(project), ['for-each-ref', '--format=%(refname:short)'])).toBe('main\none\ntwo\n');
  });

  it('protects branches by the rules of the API', async () => {
    const { project, work } = await pushed();
    const developer = await world.user();
    await world.member(project, developer, 'developer');
    const theirs = await ssh.key(developer);
    await commitFile(work, 'b', '2');
    const answer = await sshGit(theirs, work, 'push', 'origin', 'main');
    expect([answer.code, answer.said]).toEqual([
      1,
      expect.stringContaining('You are not allowed to push code to protected branches on this project.'),
    ]);
    await done(sshGit(theirs, work, 'push', '--quiet', 'origin', 'main:topic'));
  });

  it('keeps nothing of a damaged push, and says what is wrong with it', async () => {
    const { project, work } = await pushed();
    const blob = git(path.join(work, '.git'), ['hash-object', '-w', '--stdin'], 'x').trim();
    // Two entries of the same name.
    const entry = `100644 same\0${Buffer.from(blob, 'hex').toString('latin1')}`;
    const tree = git(
      path.join(work, '.git'),
      ['hash-object', '-w', '-t', 'tree', '--stdin', '--literally'],
      Buffer.from(entry + entry, 'latin1') as unknown as string,
    ).trim();
    const commit = await run(work, 'commit-tree', '-m', 'Bad', tree);
    const answer = await sshGit(key, work, 'push', 'origin', `${commit}:refs/heads/bad`);
    expect(answer.code).toBe(1);
    expect(answer.said).toMatch(/unpack|not accepted/);
    expect(git(directoryOf(project), ['for-each-ref', '--format=%(refname)']).trim()).toBe('refs/heads/main');
    await expect(run(directoryOf(project), 'cat-file', '-e', commit)).rejects.toThrow();
  });

  it('takes 2,000 refs in one push', { timeout: 120_000 }, async () => {
    const { project, work, head } = await pushed();
    const names = Array.from({ length: 2_000 }, (_, n) => `create refs/heads/b${n} ${head}\n`);
    git(path.join(work, '.git'), ['update-ref', '--stdin'], names.join(''));
    await done(sshGit(key, work, 'push', '--quiet', 'origin', 'refs/heads/*:refs/heads/*'));
    expect(git(directoryOf(project), ['for-each-ref', '--format=x']).split('\n')).toHaveLength(2_002);
  });
});

describe('Keys of users', () => {
  it.each([
    ['rsa', 2048],
    ['rsa', 4096],
    ['ecdsa', 256],
    ['ecdsa', 384],
    ['ecdsa', 521],
  ] as const)('of type %s with %i bits open repositories', async (type, bits) => {
    const { project } = await pushed();
    const other = await ssh.key(owner, clientKey(type, bits));
    expect((await sshGit(other, scratch(), 'ls-remote', ssh.url(project))).code).toBe(0);
  });

  it('are noted when they are used, once a minute at most', async () => {
    const { project } = await pushed();
    const used = await ssh.key(owner);
    const last = async () => {
      const query = '{ viewer { sshKeys(first: 1) { nodes { lastUsedAt } } } }';
      return (await world.graphql(query, {}, owner)).body.data.viewer.sshKeys.nodes[0].lastUsedAt;
    };
    expect(await last()).toBeNull();
    await sshGit(used, scratch(), 'ls-remote', ssh.url(project));
    const first = await last();
    expect(Date.now() - Date.parse(first)).toBeLessThan(60_000);
    await sshGit(used, scratch(), 'ls-remote', ssh.url(project));
    expect(await last()).toBe(first);
  });
});
