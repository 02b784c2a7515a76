// Each of its tests takes long.
// @module-tag long

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withRepositoryLock } from '#src/domain/repository/lock.ts';
import { clone, commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git, gitBytes, gitLines } from '../support/git_program.ts';
import { remotes } from '../support/git_remote.ts';
import type { Json } from '../support/http.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const { address, pushed } = remotes(world, owner);
const directoryOf = (project: ProjectRow) => world.repositories.directory(project);

describe('Pushing', () => {
  it('makes, moves and deletes branches and tags, and records it', async () => {
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

  it('tells of each of many new branches what it adds to the default branch', async () => {
    const { project, work, head } = await pushed();
    await run(work, 'branch', 'topic/0');
    await run(work, 'checkout', '--quiet', '-b', 'topic/6');
    for (let number = 1; number <= 6; number++) {
      await run(work, 'commit', '--quiet', '--allow-empty', '-m', `Step ${number}`);
      if (number < 6) await run(work, 'branch', `topic/${number}`);
    }
    await run(work, 'checkout', '--quiet', '--orphan', 'other');
    await run(work, 'commit', '--quiet', '-m', 'Alone');
    await run(work, 'checkout', '--quiet', 'topic/2');
    await run(work, 'merge', '--quiet', '--allow-unrelated-histories', '-m', 'Both', 'other');
    await run(work, 'push', '--quiet', 'origin', '--all');
    const events = await world.db.event.findMany({ where: { projectId: project.id, action: 'pushed new' } });
    const told = events.map(({ data }) => {
      const { ref, total_commits_count, commits } = data as Json;
      return [ref.replace('refs/heads/', ''), total_commits_count, commits.map(({ message }: Json) => message.trim())];
    });
    const steps = (to: number) => Array.from({ length: to }, (_, index) => `Step ${index + 1}`);
    expect(told.sort().slice(1)).toEqual([
      ['other', 1, ['Alone']],
      ['topic/0', 0, []],
      ['topic/1', 1, steps(1)],
      ['topic/2', 4, expect.arrayContaining([...steps(2), 'Alone', 'Both'])],
      ...[3, 4, 5, 6].map((number) => [`topic/${number}`, number, steps(number)]),
    ]);
    expect(head).toBe(git(directoryOf(project), ['rev-parse', 'topic/0']).trim());
  });

  it('refuses what drops commits of others unless it is forced, and tells a push that was overtaken', async () => {
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
  });

  it('protects branches from those who may not push to them, and from everybody who drops commits', async () => {
    const { project, work, head } = await pushed();
    const developer = await world.user();
    await world.member(project, developer, 'developer');
    const copy = await clone(address(project, developer));
    await commitFile(copy, 'b.txt', 'two\n');
    const refused = await gitClient(copy, 'push', 'origin', 'main', 'main:topic');
    expect(refused.code).toBe(1);
    expect(refused.said).toContain(
      'main -> main (You are not allowed to push code to protected branches on this project.)',
    );
    expect(refused.said).toMatch(/\[new branch\] +main -> topic/);
    const atomic = await gitClient(copy, 'push', '--atomic', 'origin', 'main', 'main:second');
    expect(atomic.code).toBe(1);
    expect(atomic.said).toContain('main -> second (another ref of this atomic push was refused)');
    await run(work, 'commit', '--quiet', '--amend', '-m', 'Other');
    const forced = await gitClient(work, 'push', '--force', 'origin', 'main');
    expect(forced.said).toContain('You are not allowed to force push code to a protected branch on this project.');
    expect((await gitClient(work, 'push', 'origin', ':main')).said).toContain('Cannot remove HEAD branch');
    const directory = directoryOf(project);
    expect(git(directory, ['rev-parse', 'main']).trim()).toBe(head);
    expect(gitLines(directory, ['for-each-ref', '--format=%(refname)'])).toEqual([
      'refs/heads/main',
      'refs/heads/topic',
    ]);
  });

  it('refuses everything while the project is archived', async () => {
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

  it('refuses names that the server keeps, branches that are no commits, and takes options without heeding them', async () => {
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
  });

  it('refuses reserved names themselves, and names that are taken for options or for HEAD; such refs can be deleted', async () => {
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
  });

  it('refuses damaged packs and incomplete histories, and keeps nothing of them', async () => {
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

  it('a connection that is cut leaves the repository as it was, and nothing runs on', async () => {
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

  it('tells each ref why it was not changed when the project is deleted while the push waits its turn', async () => {
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
  });

  it('a push of 10,000 commits arrives whole', { timeout: 180_000 }, async () => {
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

describe('What a push leads to', () => {
  const as = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  const commitIn = (directory: string, tree: string, parent: string) =>
    git(directory, [...as, 'commit-tree', '-p', parent, '-m', 'A commit', tree]).trim();

  /** Pushes some objects of a repository alone to a new branch, and tells what the server says. */
  async function pushAlone(project: ProjectRow, from: string, tip: string, objects: readonly string[]) {
    const pack = gitBytes(from, ['pack-objects', '--stdout', '-q'], objects.map((oid) => `${oid}\n`).join(''));
    const line = `${'0'.repeat(40)} ${tip} refs/heads/${world.unique('alone')}\0report-status`;
    const command = Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
    const answer = await fetch(`${world.url}/${project.fullPath}.git/git-receive-pack`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-git-receive-pack-request', 'PRIVATE-TOKEN': owner.token },
      body: Buffer.concat([command, pack]),
    });
    return answer.text();
  }

  /** A tree with one more entry than that of a commit. */
  const treeWith = (directory: string, commit: string, entry: string) => {
    const root = git(directory, ['ls-tree', '-z', commit]).split('\0').filter(Boolean);
    return git(directory, ['mktree', '-z', '--missing'], [...root, entry, ''].join('\0')).trim();
  };

  it('arrives whole, whatever it is: roots, merges, tags of anything, submodules, what was moved or put back', async () => {
    const { project, work, head } = await pushed();
    const directory = directoryOf(project);
    const bare = path.join(work, '.git');
    const push = async (...refs: string[]) => {
      await run(work, 'push', '--quiet', 'origin', ...refs);
      // Nothing that a ref leads to is left outside of what stays.
      git(directory, ['prune', '--expire=now']);
      expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
    };
    await mkdir(path.join(work, 'a/b'), { recursive: true });
    await commitFile(work, 'a/b/one', 'one\n');
    await commitFile(work, 'two', 'two\n');
    await push('main');
    await run(work, 'mv', 'a', 'moved');
    await chmod(path.join(work, 'two'), 0o755);
    await run(work, 'commit', '--quiet', '-a', '-m', 'Move, and make it executable');
    await push('main');
    await run(work, 'revert', '--no-edit', 'HEAD');
    await push('main');
    await run(work, 'checkout', '--quiet', '-b', 'old', head);
    await commitFile(work, 'three', 'three\n');
    await push('old');
    await run(work, 'merge', '--quiet', '-m', 'Both', 'main');
    await run(work, 'commit', '--quiet', '--allow-empty', '-m', 'Nothing');
    await push('old');
    await run(work, 'checkout', '--quiet', '-b', 'evil', 'main');
    await run(work, 'merge', '--quiet', '--no-commit', '--no-ff', 'old');
    await writeFile(path.join(work, 'evil'), 'in no parent\n');
    await run(work, 'add', 'evil');
    await run(work, 'commit', '--quiet', '-m', 'Merge');
    await push('evil');
    await run(work, 'checkout', '--quiet', '--orphan', 'root');
    await run(work, 'commit', '--quiet', '-m', 'A second root');
    await run(work, 'merge', '--quiet', '-s', 'ours', '-m', 'Ours', '--allow-unrelated-histories', 'main');
    await push('root');
    const sub = treeWith(bare, 'root', `160000 commit ${'1'.repeat(40)}\tsub`);
    await run(work, 'branch', 'sub', commitIn(bare, sub, await run(work, 'rev-parse', 'root')));
    const blob = git(bare, ['hash-object', '-w', '--stdin'], 'tagged alone\n').trim();
    git(bare, [...as, 'tag', '-a', '-m', 'A blob', 'of-blob', blob]);
    git(bare, [...as, 'tag', '-a', '-m', 'A tag', 'of-tag', 'of-blob']);
    git(bare, [...as, 'tag', '-a', '-m', 'A tree', 'of-tree', treeWith(bare, 'root', `100644 blob ${blob}\tx`)]);
    await push('sub', 'of-tag', 'of-tree');
    const copy = await clone(address(project, owner), '--mirror');
    expect(gitLines(copy, ['for-each-ref'])).toEqual(gitLines(directory, ['for-each-ref']));
  });

  it('is refused where it leads to something that is there and incomplete, and no ref leads to', async () => {
    const { project, work, head } = await pushed();
    const [directory, bare] = [directoryOf(project), path.join(work, '.git')];
    const absent = `100644 blob ${'2'.repeat(40)}\tabsent`;
    const broken = treeWith(directory, head, absent);
    treeWith(bare, head, absent);
    const stray = commitIn(directory, broken, head);
    const stored = gitBytes(directory, ['cat-file', 'commit', stray]);
    gitBytes(bare, ['hash-object', '-t', 'commit', '-w', '--stdin'], stored);
    const folder = treeWith(bare, head, `040000 tree ${broken}\tfolder`);
    const root = git(bare, ['rev-parse', `${head}^{tree}`]).trim();
    const below = commitIn(bare, folder, head);
    const merge = git(bare, [...as, 'commit-tree', '-p', head, '-p', stray, '-m', 'Merge', folder]).trim();
    const child = commitIn(bare, root, stray);
    const same = commitIn(bare, broken, head);
    const tried: [string, string[]][] = [
      [below, [below, folder]],
      [merge, [merge, folder]],
      [child, [child]],
      [same, [same]],
      [stray, []],
      // What comes along itself is looked at as well.
      [below, [below, folder, broken]],
      [same, [same, broken]],
    ];
    for (const [tip, objects] of tried) expect(await pushAlone(project, bare, tip, objects)).toMatch(/unpack (?!ok)/);
    expect(gitLines(directory, ['for-each-ref', '--format=%(refname)'])).toEqual(['refs/heads/main']);
  });

  it('keeps what is there already and no ref leads to', async () => {
    const { project, work, head } = await pushed();
    const [directory, bare] = [directoryOf(project), path.join(work, '.git')];
    const blob = (where: string) => git(where, ['hash-object', '-w', '--stdin'], 'left behind\n').trim();
    const entry = `100644 blob ${blob(directory)}\tfile`;
    blob(bare);
    const inner = treeWith(directory, head, entry);
    treeWith(bare, head, entry);
    const outer = treeWith(bare, head, `040000 tree ${inner}\tfolder`);
    const tip = commitIn(bare, outer, head);
    expect(await pushAlone(project, bare, tip, [tip, outer])).toContain('unpack ok');
    git(directory, ['prune', '--expire=now']);
    expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
    expect(git(directory, ['cat-file', '-p', `${tip}:folder/file`])).toBe('left behind\n');
  });
});

describe('Pushing very many refs', () => {
  it('changes them all, and finds the default branch among them', { timeout: 60_000 }, async () => {
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

/** Quarantines of pushes that are under way. */
async function incoming(directory: string): Promise<string[]> {
  return (await readdir(path.join(directory, 'objects'))).filter((name) => name.startsWith('incoming-'));
}
