// Each test takes long: the long run has them all.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withBranchLock, withRepositoryLock } from '#src/domain/repository/lock.ts';
import { updateRef } from '#src/git/refs/update.ts';
import { startBeside } from '../support/beside.ts';
import { clone, commitFile, gitClient } from '../support/git_client.ts';
import { git, gitLines } from '../support/git_program.ts';
import { part } from '../support/repository.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const beside = await startBeside(world);
const owner = await world.user();
const api = world.api(owner);
const MAIN = 'refs/heads/main';

const commit = (file: string, branch = 'main', content = file) => ({
  branch,
  commit_message: `Add ${file}`,
  actions: [{ action: 'create', file_path: file, content }],
});
const single = (file: string, branch = 'main') => ({ branch, content: file, commit_message: `Add ${file}` });

/** A project with one commit on `main`, and people who may write to it. */
async function filled(people = 0) {
  const project = await world.project({ owner });
  const at = `/projects/${project.id}/repository`;
  expect((await api.post(`${at}/commits`, commit('first'))).status).toBe(201);
  const writers: TestUser[] = [];
  for (let n = 0; n < people; n++) {
    const user = await world.user();
    await world.member(project, user, 'master');
    writers.push(user);
  }
  return { project, at, writers, directory: world.repositories.directory(project) };
}

/** What the events of pushes say happened to a ref, in their order. */
async function pushes({ id }: ProjectRow): Promise<{ before: string; after: string; authorId: number }[]> {
  const rows = await world.db.event.findMany({ where: { projectId: id }, orderBy: { id: 'asc' } });
  return rows.flatMap(({ data, authorId }) => {
    const { before, after, ref } = (data ?? {}) as Record<string, string>;
    return ref === MAIN ? [{ before: before ?? '', after: after ?? '', authorId }] : [];
  });
}

/** Checks that the files are there, in one line of history with one push for each commit. */
async function expectWhole(project: ProjectRow, files: string[], authors: number[]): Promise<void> {
  const directory = world.repositories.directory(project);
  expect(gitLines(directory, ['ls-tree', '-r', '--name-only', 'main']).sort()).toEqual(['first', ...files].sort());
  const line = gitLines(directory, ['rev-list', '--reverse', 'main']);
  expect(line).toHaveLength(files.length + 1);
  expect(gitLines(directory, ['rev-list', '--min-parents=2', 'main'])).toEqual([]);
  const events = await pushes(project);
  expect(events.map(({ after }) => after)).toEqual(line);
  expect(events.slice(1).map(({ before }) => before)).toEqual(line.slice(0, -1));
  expect(
    events
      .slice(1)
      .map(({ authorId }) => authorId)
      .sort(),
  ).toEqual([...authors].sort());
  expect((await api.get(`/projects/${project.id}`)).body.statistics?.commit_count ?? line.length).toBe(line.length);
  const counters = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: project.id } });
  expect(counters.commits).toBe(line.length);
  expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
}

describe('Writers on one branch', () => {
  it('all succeed, one after the other: fifty at once, through commits and files', async () => {
    const { project, at, writers } = await filled(50);
    const answers = await Promise.all(
      writers.map((writer, n) => {
        const file = `d${n % 7}/${n}`;
        return n % 2
          ? world.api(writer).post(`${at}/commits`, commit(file))
          : world.api(writer).post(`${at}/files/${part(file)}`, single(file));
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
    const ids = writers.map(({ id }) => id);
    await expectWhole(
      project,
      writers.map((_, n) => `d${n % 7}/${n}`),
      ids,
    );
  });

  it('of two servers on one database and one storage all succeed', async () => {
    const { project, at, writers } = await filled(6);
    const files = Array.from({ length: 40 }, (_, n) => `${n}`);
    const answers = await Promise.all(
      files.map((file, n) => {
        const { token } = writers[n % 6] ?? owner;
        const send = n % 2 ? world.send : beside.send;
        return send('POST', `/api/v4${at}/commits`, { headers: { 'PRIVATE-TOKEN': token }, body: commit(file) });
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(201));
    const ids = files.map((_, n) => writers[n % 6]?.id ?? 0);
    await expectWhole(project, files, ids);
  });

  it('make the first commits of an empty repository one after the other', async () => {
    const project = await world.project({ owner });
    const at = `/projects/${project.id}/repository`;
    const files = Array.from({ length: 8 }, (_, n) => `${n}`);
    const answers = await Promise.all(files.map((file) => api.post(`${at}/commits`, commit(file))));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(gitLines(world.repositories.directory(project), ['rev-list', 'main'])).toHaveLength(8);
  });

  it('make the first commits of an empty repository on different branches, next to pushes, without blocking each other', async () => {
    for (let round = 0; round < 5; round++) {
      const project = await world.project({ owner });
      const at = `/projects/${project.id}/repository`;
      const advertisement = `/${project.fullPath}.git/info/refs?service=git-receive-pack`;
      const headers = { 'PRIVATE-TOKEN': owner.token };
      // In some rounds the repository is there already, without any branch.
      if (round % 2 === 1) await fetch(`${world.url}${advertisement}`, { headers });
      const writing = ['a', 'b', 'c'].map((branch) => api.post(`${at}/commits`, commit('first', branch)));
      const pushing = [1, 2].map(() => fetch(`${world.url}${advertisement}`, { headers }));
      const [answers, advertised] = await Promise.all([Promise.all(writing), Promise.all(pushing)]);
      // One of them comes first; after that the other branches do not exist.
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
      expect(advertised.map(({ status }) => status)).toEqual([200, 200]);
    }
  });

  it('are refused only for what really conflicts', async () => {
    const { project, at, writers, directory } = await filled(6);
    const same = await Promise.all(
      writers.map((writer) => world.api(writer).post(`${at}/commits`, commit('same', 'main', writer.username))),
    );
    expect(same.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
    expect(same.find(({ status }) => status === 400)?.body.message).toContain('`same` already exists');
    const gone = { branch: 'main', commit_message: 'Remove' };
    const removed = await Promise.all(writers.map((writer) => world.api(writer).delete(`${at}/files/same`, gone)));
    expect(removed.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    expect(gitLines(directory, ['ls-tree', '--name-only', 'main'])).toEqual(['first']);
    expect(await pushes(project)).toHaveLength(3);
  });

  it('do not keep cherry-picks, branches, tags and pushes waiting in vain, nor others from writing', async () => {
    const { project, at, writers, directory } = await filled(6);
    await api.post(`${at}/branches`, { branch: 'topic', ref: 'main' });
    const { body } = await api.post(`${at}/commits`, commit('picked', 'topic'));
    const url = `${world.url.replace('http://', `http://oauth2:${owner.token}@`)}/${project.fullPath}.git`;
    const copy = await clone(url);
    await gitClient(copy, 'checkout', '--quiet', '-b', 'pushed');
    await commitFile(copy, 'pushed', 'pushed');
    const files = Array.from({ length: 30 }, (_, n) => `${n}`);
    const writing = files.map((file, n) =>
      world
        .api(writers[n % 6])
        .post(`${at}/files/${file}`, single(file))
        .then(({ status }) => status),
    );
    const others = [
      api.post(`${at}/commits/${body.id}/cherry_pick`, { branch: 'main' }),
      api.post(`${at}/branches`, { branch: 'new', ref: 'main' }),
      api.post(`${at}/tags`, { tag_name: 'v1', ref: 'main', message: 'One' }),
    ];
    const pushed = gitClient(copy, 'push', '--quiet', url, 'pushed');
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await pushed).code).toBe(0);
    expect(await Promise.all(writing)).toEqual(Array(30).fill(201));
    expect(gitLines(directory, ['ls-tree', '--name-only', 'main'])).toHaveLength(32);
    expect(gitLines(directory, ['rev-list', '--min-parents=2', 'main'])).toEqual([]);
  });

  it('build on what a push put there while they waited', async () => {
    const { project, at, directory } = await filled();
    const tip = git(directory, ['rev-parse', 'main']).trim();
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
    const other = git(directory, [...who, 'commit-tree', '-m', 'Pushed', '-p', tip, `${tip}^{tree}`]).trim();
    const [begun, push] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const pushing = withRepositoryLock(beside.db, project.id, async () => {
      begun.resolve();
      await push.promise;
      await updateRef(directory, MAIN, { from: tip, to: other });
    });
    await begun.promise;
    const written = api.post(`${at}/files/late`, single('late'));
    // It has written its objects and waits for the repository.
    await world.until(async () => gitLines(directory, ['count-objects', '-v']).includes('packs: 2'));
    push.resolve();
    await pushing;
    expect((await written).status).toBe(201);
    expect(git(directory, ['rev-parse', 'main^']).trim()).toBe(other);
  });

  it('are refused when the branch was protected, or the project archived or deleted, while they waited', async () => {
    for (const [change, status] of [
      [(id: number) => api.put(`/projects/${id}/repository/branches/main/protect`), 400],
      [(id: number) => api.post(`/projects/${id}/archive`), 400],
      [(id: number) => api.delete(`/projects/${id}`), 404],
    ] as const) {
      const { project, at, directory } = await filled();
      await api.put(`${at}/branches/main/unprotect`);
      const writer = await world.user();
      await world.member(project, writer, 'developer');
      const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const keeping = withBranchLock(beside.db, project.id, 'main', () => {
        begun.resolve();
        return end.promise;
      });
      await begun.promise;
      const written = world.api(writer).post(`${at}/files/late`, single('late'));
      await world.until(async () => (await waiting()) > 0);
      const tip = git(directory, ['rev-parse', 'main']);
      expect((await change(project.id)).status).toBeLessThan(300);
      end.resolve();
      await keeping;
      expect((await written).status).toBe(status);
      if (status === 400) expect(git(directory, ['rev-parse', 'main'])).toBe(tip);
    }
  });
});

/** How many connections wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await world.db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  return row?.count ?? 0;
}
