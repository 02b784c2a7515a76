// Each test takes long: the long run has them all.
// @module-tag long
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { advance, signatureOf, writableBranch } from '#src/domain/repository/write.ts';
import type { CommitSeries } from '#src/git/write/series.ts';
import { commitActions } from '../support/commit_actions.ts';
import { commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git, gitLines } from '../support/git_program.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);

/** Milliseconds for which repositories are cleaned up and written to at the same time. */
const WHILE = 4_000;
/** And how much longer at most, where a machine is too busy for anything to be done by then. */
const PATIENCE = 30_000;

/** Whether it goes on: until `end`, and beyond it while nothing was done. */
const goesOn = (end: number, isDone: boolean) => performance.now() < (isDone ? end : end + PATIENCE);

/** A project with a commit on `main`, and the address to push to. */
async function filled(): Promise<{ project: ProjectRow; directory: string; url: string; main: string }> {
  const project = await world.project({ owner });
  const work = await workingCopy();
  for (let at = 0; at < 40; at++) writeFileSync(path.join(work, `f${at}.txt`), `${at}\n`);
  const main = await commitFile(work, 'a.txt', 'a\n');
  const url = `${world.url.replace('http://', `http://oauth2:${owner.token}@`)}/${project.fullPath}.git`;
  await run(work, 'push', '--quiet', url, 'main');
  return { project, directory: world.repositories.directory(project), url, main };
}

/** What operators run by hand, again and again until `end`: it knows of no lock of the server. */
async function cleanUp(directory: string, args: string[], end: number): Promise<number> {
  let rounds = 0;
  for (; goesOn(end, rounds > 3); rounds++) {
    await gitClient(directory, '-c', 'safe.directory=*', ...args);
    // Others want to use the machine, too.
    await sleep(20);
  }
  return rounds;
}

/** Pushes branches of a working copy of its own; the names and commits that the server took. */
async function push(url: string, name: string, size: number, end: number): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  const work = await workingCopy();
  await run(work, 'pull', '--quiet', url, 'main');
  for (let at = 0; goesOn(end, made.size > 0); at++) {
    for (let file = 0; file < size; file++) writeFileSync(path.join(work, `${name}-${file}.txt`), `${at} ${file}\n`);
    const head = await commitFile(work, 'b.txt', `${name} ${at}\n`);
    const branch = `${name}/${at}`;
    const { code } = await gitClient(work, 'push', '--quiet', url, `HEAD:refs/heads/${branch}`);
    if (code === 0) made.set(branch, head);
    await run(work, 'reset', '--quiet', '--hard', 'HEAD~1');
  }
  return made;
}

/** Commits files over the API, each time to a new branch. */
async function commit(project: ProjectRow, name: string, size: number, end: number): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  const at = `/projects/${project.id}/repository`;
  for (let round = 0; goesOn(end, made.size > 0); round++) {
    const branch = `${name}/${round}`;
    if ((await api.post(`${at}/branches`, { branch, ref: 'main' })).status !== 201) continue;
    const actions = Array.from({ length: size }, (_, file) => ({
      action: 'create',
      file_path: `${name}/${file}`,
      content: `${round} ${file} ${Math.random()}`,
    }));
    const answer = await api.post(`${at}/commits`, { branch, commit_message: 'More', actions });
    if (answer.status === 201) made.set(branch, answer.body.id);
  }
  return made;
}

/** Deletes branches and makes them again of the commits that they had, which nothing leads to in between. */
async function revive(project: ProjectRow, name: string, end: number): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  const at = `/projects/${project.id}/repository`;
  for (let round = 0; performance.now() < end; round++) {
    const [first, second] = [`${name}/${round}/old`, `${name}/${round}/new`];
    await api.post(`${at}/branches`, { branch: first, ref: 'main' });
    const file = { branch: first, content: `${round} ${Math.random()}`, commit_message: 'Old' };
    await api.post(`${at}/files/old`, file);
    const { body } = await api.get(`${at}/branches/${encodeURIComponent(first)}`);
    await api.delete(`${at}/branches/${encodeURIComponent(first)}`);
    const answer = await api.post(`${at}/branches`, { branch: second, ref: body.commit?.id ?? 'none' });
    expect([201, 400]).toContain(answer.status);
    if (answer.status === 201) made.set(second, body.commit.id);
  }
  return made;
}

describe('A repository that is cleaned up by hand while it is written to', () => {
  it.each([
    ['git gc --prune=now', ['gc', '--quiet', '--prune=now']],
    ['git repack -ad', ['repack', '-adq']],
  ])('keeps every object of what was answered with success: %s', async (_name, args) => {
    const { project, directory, url, main } = await filled();
    const end = performance.now() + WHILE;
    const [rounds, ...made] = await Promise.all([
      cleanUp(directory, args, end),
      push(url, 'small', 0, end),
      push(url, 'large', 30, end),
      commit(project, 'few', 1, end),
      commit(project, 'many', 20, end),
      revive(project, 'back', end),
    ]);
    expect(rounds).toBeGreaterThan(3);
    // Of the last nothing may be left to make a branch of.
    for (const branches of made.slice(0, -1)) expect(branches.size).toBeGreaterThan(0);
    console.log(
      rounds,
      made.map((m) => m.size),
    );
    const expected = new Map([['main', main], ...made.flatMap((branches) => [...branches])]);
    const lines = gitLines(directory, ['for-each-ref', '--format=%(refname:lstrip=2) %(objectname)']);
    const present = new Map(lines.map((line) => line.split(' ') as [string, string]));
    const lost = [...expected].filter(([branch, oid]) => present.get(branch) !== oid);
    expect(lost).toEqual([]);
    expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
  });

  it('makes a branch of a commit to which nothing led whole, or not at all: git prune --expire=now', async () => {
    const { project, directory, main } = await filled();
    const at = `/projects/${project.id}/repository/branches`;
    const answers = new Map<string, number>();
    for (let round = 0; round < 12; round++) {
      // Single files, as older servers wrote them.
      const blob = git(directory, ['hash-object', '-w', '--stdin'], `old ${round}\n`).trim();
      const tree = git(directory, ['mktree'], `100644 blob ${blob}\told\n`).trim();
      const who = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
      const commit = git(directory, [...who, 'commit-tree', '-m', `Old ${round}`, '-p', main, tree]).trim();
      const pruning = gitClient(directory, '-c', 'safe.directory=*', 'prune', '--expire=now');
      await sleep(round % 4);
      answers.set(commit, (await api.post(at, { branch: `old/${round}`, ref: commit })).status);
      expect((await pruning).code).toBe(0);
    }
    for (const status of answers.values()) expect([201, 400]).toContain(status);
    const made = [...answers].filter(([, status]) => status === 201).map(([commit]) => commit);
    const branches = gitLines(directory, ['for-each-ref', '--format=%(objectname)', 'refs/heads/old']);
    expect(branches.toSorted()).toEqual(made.toSorted());
    expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
  });
});

describe('A push that brings no objects', () => {
  it('makes a branch of a commit to which nothing led, and keeps it', async () => {
    const { project, directory, main } = await filled();
    const tree = git(directory, ['rev-parse', `${main}^{tree}`]).trim();
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
    const commit = git(directory, [...who, 'commit-tree', '-m', 'Old', '-p', main, tree]).trim();
    const line = `${'0'.repeat(40)} ${commit} refs/heads/back\0report-status`;
    const head = Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
    const pack = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
    const sum = createHash('sha1').update(pack).digest();
    const answer = await fetch(`${world.url}/${project.fullPath}.git/git-receive-pack`, {
      method: 'POST',
      headers: { 'PRIVATE-TOKEN': owner.token, 'Content-Type': 'application/x-git-receive-pack-request' },
      body: Buffer.concat([head, pack, sum]),
    });
    expect(await answer.text()).toContain('ok refs/heads/back');
    const packs = readdirSync(path.join(directory, 'objects', 'pack')).filter((name) => name.endsWith('.pack'));
    // That of the first push, and one with the commit alone.
    expect(packs).toHaveLength(2);
    git(directory, ['gc', '--quiet', '--prune=now']);
    expect(git(directory, ['rev-parse', 'back']).trim()).toBe(commit);
    expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
  });
});

describe('A commit of which a part is gone', () => {
  it('is no start for a branch or a tag', async () => {
    const { project, directory, main } = await filled();
    const at = `/projects/${project.id}/repository`;
    const blob = git(directory, ['hash-object', '-w', '--stdin'], 'old\n').trim();
    const tree = git(directory, ['mktree'], `100644 blob ${blob}\told\n`).trim();
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
    const commit = git(directory, [...who, 'commit-tree', '-m', 'Old', '-p', main, tree]).trim();
    rmSync(path.join(directory, 'objects', blob.slice(0, 2), blob.slice(2)));
    const branch = await api.post(`${at}/branches`, { branch: 'back', ref: commit });
    expect([branch.status, branch.body.message]).toEqual([400, 'Invalid reference name']);
    for (const message of [undefined, 'Release']) {
      const tag = await api.post(`${at}/tags`, { tag_name: 'v1', ref: commit, message });
      expect([tag.status, tag.body.message]).toEqual([405, `Target ${commit} is invalid`]);
    }
    expect(gitLines(directory, ['for-each-ref', '--format=%(refname)'])).toEqual(['refs/heads/main']);
  });
});

describe('A commit over the API', () => {
  it('is written again if what was written has vanished before its branch is to hold it', async () => {
    const { project, directory, main } = await filled();
    const target = await writableBranch(world.as(owner), project.id, 'main');
    const committer = signatureOf(target.pusher);
    const actions = [{ action: 'create' as const, path: 'new', content: Buffer.from('new\n') }];
    const parents: (string | null)[] = [];
    const make = async (series: CommitSeries) => {
      const { reader, tip, keepLock } = series;
      const input = { parent: tip, actions, author: committer, committer, message: 'New' };
      const oid = await commitActions(reader, input, keepLock);
      series.follow(oid);
      parents.push(tip);
      for (const name of parents.length === 1 ? (keepLock?.packs ?? []) : []) {
        rmSync(path.join(directory, 'objects', 'pack', name));
        rmSync(path.join(directory, 'objects', 'pack', name.replace(/pack$/, 'idx')));
      }
      return oid;
    };
    const { oid: commit } = await advance(world.as(owner), target, { bytes: 0, make });
    expect(parents).toEqual([main, main]);
    expect(git(directory, ['rev-parse', 'main']).trim()).toBe(commit);
    expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
  });
});
