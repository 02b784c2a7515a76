// One part in depth, which the long run has.
// @module-tag long
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { reconcileAll } from '#src/domain/repository/reconcile.ts';
import { NO_OBJECT } from '#src/git/base/model.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { git } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { fillRepository } from '../support/repository.ts';
import type { TestUser } from '../support/world.ts';

const { world, owner, master, reporter, guest, api, filled, committed, project, directory } =
  await startCommittingWorld();

describe('What is pushed', () => {
  it('is an event with its commits, and counts', LONG, async () => {
    const own = await filled();
    const first = await committed(own.at, [{ action: 'create', file_path: 'a', content: '1' }]);
    const second = await committed(own.at, [{ action: 'update', file_path: 'a', content: '2' }], {}, master);
    const { body: events } = await api.get(`/projects/${own.project.id}/events`);
    const pushes = events.filter(({ data }: Json) => data !== null);
    expect(pushes.map(({ action_name, author_id }: Json) => [action_name, author_id])).toEqual([
      ['pushed to', master.id],
      ['pushed new', owner.id],
    ]);
    const homepage = `${world.url}/${own.project.fullPath}`;
    expect(pushes[0]).toMatchObject({ target_id: null, target_type: null });
    expect(pushes[0].data).toMatchObject({
      object_kind: 'push',
      before: first.id,
      after: second.id,
      ref: 'refs/heads/master',
      checkout_sha: second.id,
      user_id: master.id,
      user_name: `Name of ${master.username}`,
      user_email: `${master.username}@example.org`,
      project_id: own.project.id,
      repository: { name: own.project.name, url: expect.stringContaining('git@'), description: null, homepage },
      commits: [
        {
          id: second.id,
          message: 'Change',
          timestamp: second.authored_date,
          url: `${homepage}/-/commit/${second.id}`,
          author: { name: `Name of ${master.username}`, email: `${master.username}@example.org` },
        },
      ],
      total_commits_count: 1,
    });
    expect(pushes[1].data).toMatchObject({ before: NO_OBJECT, after: first.id, total_commits_count: 1 });
    const counters = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: own.project.id } });
    expect(counters.commits).toBe(2);
    expect(Number(counters.repositorySize)).toBeGreaterThan(100);
  });

  it('is no event to those who may not read the repository', async () => {
    const path = `/projects/${project.id}/events`;
    const pushed = async (who: TestUser, where: string) =>
      (await world.api(who).get(where)).body.some(({ data }: Json) => data !== null);
    expect(await pushed(guest, path)).toBe(false);
    expect(await pushed(reporter, path)).toBe(true);
    expect(await pushed(guest, `/users/${owner.id}/events`)).toBe(false);
    expect(await pushed(reporter, `/users/${owner.id}/events`)).toBe(true);
  });

  it('is recorded later if a crash left it unrecorded', LONG, async () => {
    const own = await filled([{ action: 'create', file_path: 'a', content: '1' }]);
    const known = git(own.directory, ['rev-parse', 'master']).trim();
    const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
    const lost = git(own.directory, [...identity, 'commit-tree', '-p', 'master', '-m', 'lost', 'master^{tree}']).trim();
    git(own.directory, ['update-ref', 'refs/heads/master', lost]);
    const next = await committed(own.at, [{ action: 'create', file_path: 'b', content: '2' }], {}, master);
    const events = await world.db.event.findMany({ where: { projectId: own.project.id }, orderBy: { id: 'asc' } });
    const pushes = events.map(({ authorId, data }) => [authorId, (data as Json)?.before, (data as Json)?.after]);
    expect(pushes.slice(-2)).toEqual([
      [owner.id, known, lost],
      [master.id, lost, next.id],
    ]);
    const { commits } = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: own.project.id } });
    expect(commits).toBe(3);
  });
});

describe('What a crash left unrecorded', () => {
  it('is found at the next start: branches and tags that came, went or moved', LONG, async () => {
    const own = await filled([{ action: 'create', file_path: 'a', content: '1' }]);
    for (const branch of ['gone', 'moved']) await api.post(`${own.at}/branches`, { branch, ref: 'master' });
    const first = git(own.directory, ['rev-parse', 'master']).trim();
    const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
    const lost = git(own.directory, [...identity, 'commit-tree', '-p', 'master', '-m', 'lost', 'master^{tree}']).trim();
    for (const name of ['heads/master', 'heads/moved', 'tags/came']) {
      git(own.directory, ['update-ref', `refs/${name}`, lost]);
    }
    git(own.directory, ['update-ref', '-d', 'refs/heads/gone']);
    const known = await world.db.event.count({ where: { projectId: own.project.id } });
    await reconcileAll(world);
    await reconcileAll(world);
    const events = await world.db.event.findMany({
      where: { projectId: own.project.id },
      orderBy: { id: 'asc' },
      skip: known,
    });
    const told = events.map(({ action, authorId, data }) => [
      action,
      authorId,
      (data as Json).ref,
      (data as Json).before,
    ]);
    expect(told.sort()).toEqual([
      ['deleted', owner.id, 'refs/heads/gone', first],
      ['pushed new', owner.id, 'refs/tags/came', NO_OBJECT],
      ['pushed to', owner.id, 'refs/heads/master', first],
      ['pushed to', owner.id, 'refs/heads/moved', first],
    ]);
    const { commits } = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: own.project.id } });
    expect(commits).toBe(2);
  });

  it(
    'is found at the next start where it is the first push to a project, unless an import or a copy is still at it',
    LONG,
    async () => {
      const lone = await filled();
      const importing = await filled();
      const copying = await filled();
      await world.db.project.update({ where: { id: importing.project.id }, data: { importStatus: 'started' } });
      await world.db.repositoryCopy.create({ data: { projectId: copying.project.id, sourceId: project.id } });
      const tip = git(directory, ['rev-parse', 'master']).trim();
      for (const { project: one } of [lone, importing, copying]) await fillRepository(world, one, directory);
      await world.db.project.update({ where: { id: lone.project.id }, data: { defaultBranch: null } });
      await reconcileAll(world);
      await reconcileAll(world);
      const refsOf = (own: typeof lone) => world.db.recordedRef.findMany({ where: { projectId: own.project.id } });
      expect((await refsOf(lone)).map(({ oid }) => oid)).toEqual([tip]);
      expect([await refsOf(importing), await refsOf(copying)]).toEqual([[], []]);
      const events = await world.db.event.findMany({ where: { projectId: lone.project.id, action: 'pushed new' } });
      expect(events.map(({ authorId, data }) => [authorId, (data as Json).after])).toEqual([[owner.id, tip]]);
      const { body } = await api.get(`/projects/${lone.project.id}`);
      expect(body.default_branch).toBe('master');
    },
  );
});

describe('A lock on HEAD that a crash has left', () => {
  const leave = (own: { directory: string }, seconds: number) => {
    const lock = path.join(own.directory, 'HEAD.lock');
    writeFileSync(lock, 'ref: refs/heads/');
    const then = Date.now() / 1000 - seconds;
    utimesSync(lock, then, then);
    return lock;
  };

  it('keeps nobody from recording the first push; one that another program holds does', LONG, async () => {
    const own = await filled();
    await fillRepository(world, own.project, directory);
    git(own.directory, ['symbolic-ref', 'HEAD', 'refs/heads/elsewhere']);
    await world.db.project.update({ where: { id: own.project.id }, data: { defaultBranch: null } });
    leave(own, 0);
    await expect(reconcileAll(world)).rejects.toThrow('HEAD is locked');
    leave(own, 20);
    await reconcileAll(world);
    expect(git(own.directory, ['symbolic-ref', 'HEAD']).trim()).toBe('refs/heads/master');
    expect((await api.get(`/projects/${own.project.id}`)).body.default_branch).toBe('master');
  });

  it('keeps nobody from choosing the default branch', LONG, async () => {
    const own = await filled([{ action: 'create', file_path: 'a', content: '1' }]);
    await api.post(`${own.at}/branches`, { branch: 'other', ref: 'master' });
    const lock = leave(own, 20);
    expect(await api.put(`/projects/${own.project.id}`, { default_branch: 'other' })).toMatchObject({ status: 200 });
    expect(git(own.directory, ['symbolic-ref', 'HEAD']).trim()).toBe('refs/heads/other');
    expect(existsSync(lock)).toBe(false);
  });
});

describe('Pipelines that a crash left unmade', () => {
  const CONFIG = 'unit: {script: x}';
  const IDENTITY = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
  const jobs = world.as(owner).jobs;
  /** A commit that git has, and the database knows nothing of. */
  const lose = (directory: string, ...refs: string[]) => {
    const lost = git(directory, [...IDENTITY, 'commit-tree', '-p', 'master', '-m', 'lost', 'master^{tree}']).trim();
    for (const name of refs) git(directory, ['update-ref', `refs/${name}`, lost]);
    return lost;
  };
  const pipelinesOf = async (projectId: number, sha: string) => {
    await world.idle();
    return world.db.pipeline.findMany({ where: { projectId, sha }, orderBy: { ref: 'asc' } });
  };

  it('are made when the changes are found, once for each, in the name of the creator', LONG, async () => {
    const own = await filled([{ action: 'create', file_path: '.gitlab-ci.yml', content: CONFIG }]);
    const lost = lose(own.directory, 'heads/master', 'tags/came');
    await reconcileAll({ db: world.db, repositories: world.repositories, followers: world.followers, jobs });
    await reconcileAll({ db: world.db, repositories: world.repositories, followers: world.followers, jobs });
    const made = await pipelinesOf(own.project.id, lost);
    expect(made.map(({ ref, tag, userId, source }) => [ref, tag, userId, source])).toEqual([
      ['came', true, owner.id, 'push'],
      ['master', false, owner.id, 'push'],
    ]);
  });

  it('are made with the next push, where that comes first', LONG, async () => {
    const own = await filled([{ action: 'create', file_path: '.gitlab-ci.yml', content: CONFIG }]);
    const lost = lose(own.directory, 'heads/master');
    const next = await committed(own.at, [{ action: 'create', file_path: 'b', content: '2' }]);
    expect(await pipelinesOf(own.project.id, lost)).toHaveLength(1);
    expect(await pipelinesOf(own.project.id, next.id)).toHaveLength(1);
  });
});
