// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { startCommittingWorld } from '../support/commits.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { commitTo } from '../support/merge_requests.ts';
import type { TestUser } from '../support/world.ts';

const { world, owner, developer, filled } = await startCommittingWorld();
const forker = await world.user();
const file = (path: string, content = `${path}\n`) => ({ action: 'create', file_path: path, content });
const directoryOf = ({ id }: { id: number }) => world.repositories.directory({ id, repositoryStorage: 'default' });

/** A public project, and a fork of it with a branch `theirs` that is ahead; both moved on since. */
async function stage() {
  const { project } = await filled([file('a.txt')], { visibility: 'public' });
  const { body } = await world.api(forker).post(`/projects/${project.id}/fork`);
  await world.idle();
  const fork = { id: body.id as number, fullPath: body.path_with_namespace as string };
  await world.api(forker).post(`/projects/${fork.id}/repository/branches`, { branch: 'theirs', ref: 'master' });
  const head = await commitTo(world, fork, forker, 'theirs', 'theirs.txt');
  const tip = await commitTo(world, project, owner, 'master', 'ours.txt');
  return { project, fork, head, tip, at: `/projects/${project.id}/repository` };
}

const commit = (at: string, who: TestUser, given: object) =>
  world.api(who).post(`${at}/commits`, { commit_message: 'More', actions: [file('more.txt')], ...given });

describe('POST /projects/:id/repository/commits with start_project', () => {
  it(
    'begins a branch at a branch or commit of a fork, in either direction, and takes its commits over for good',
    LONG,
    async () => {
      const { project, fork, head, tip, at } = await stage();
      const start = { start_project: fork.fullPath, start_branch: 'theirs', branch: 'taken' };
      const { status, body } = await commit(at, developer, start);
      expect([status, body.parent_ids]).toEqual([201, [head]]);
      const files = gitLines(directoryOf(project), ['ls-tree', '-r', '--name-only', 'taken']);
      expect(files).toEqual(['a.txt', 'more.txt', 'theirs.txt']);
      git(directoryOf(project), ['prune', '--expire=now']);
      git(directoryOf(project), ['fsck', '--strict']);
      const back = { start_project: project.id, start_sha: tip, branch: 'from-upstream' };
      const answer = await commit(`/projects/${fork.id}/repository`, forker, back);
      expect([answer.status, answer.body.parent_ids]).toEqual([201, [tip]]);
    },
  );

  it(
    'takes nothing from a project that is not related or that the caller cannot read, and leaves no commit then',
    LONG,
    async () => {
      const { project, fork, at } = await stage();
      const { project: other } = await filled([file('b.txt')], { visibility: 'public' });
      const from = (start_project: unknown, more = {}) =>
        commit(at, developer, { start_project, start_branch: 'master', branch: 'none', ...more });
      const stranger = await from(other.id);
      expect([stranger.status, stranger.body.message]).toEqual([
        403,
        `403 Forbidden  - ${other.fullPath} is no fork of this project, nor this one of it`,
      ]);
      await world.api(forker).put(`/projects/${fork.id}`, { visibility: 'private' });
      expect((await from(fork.id, { start_branch: 'theirs' })).body).toEqual({ message: '404 Project Not Found' });
      await world.db.member.create({ data: { projectId: fork.id, userId: developer.id, accessLevel: 10 } });
      expect((await from(fork.id, { start_branch: 'theirs' })).status).toBe(403);
      expect((await world.api(owner).get(`${at}/branches`)).body.map(({ name }: Json) => name)).toEqual(['master']);
      expect((await from(project.id, { start_branch: 'no such branch' })).status).toBe(400);
    },
  );
});

describe('GET /projects/:id/repository/compare with from_project_id', () => {
  it(
    'compares with a commit that only the other project has, and leaves nothing of it in the repository',
    LONG,
    async () => {
      const { project, fork, head, tip, at } = await stage();
      const api = world.api(developer);
      const { status, body } = await api.get(`${at}/compare?from=theirs&to=master&from_project_id=${fork.id}`);
      expect(status).toBe(200);
      expect(body.commits.map(({ id }: Json) => id)).toEqual([tip]);
      expect(body.diffs.map((diff: Json) => diff.new_path)).toEqual(['ours.txt']);
      const straight = await api.get(`${at}/compare?from=theirs&to=master&straight=true&from_project_id=${fork.id}`);
      expect(straight.body.diffs.map((diff: Json) => diff.new_path)).toEqual(['ours.txt', 'theirs.txt']);
      expect((await api.get(`${at}/commits/${head}`)).status).toBe(404);
      expect(await world.repositories.drafts({ id: project.id, repositoryStorage: 'default' })).toEqual([]);
      const own = await api.get(`${at}/compare?from=master&to=master&from_project_id=${project.id}`);
      expect(own.body.compare_same_ref).toBe(true);
    },
  );

  it('refuses projects that are not related, and those that the caller cannot read', async () => {
    const { fork, at } = await stage();
    const { project: other } = await filled([file('b.txt')], { visibility: 'public' });
    const compare = (id: number) =>
      world.api(developer).get(`${at}/compare?from=master&to=master&from_project_id=${id}`);
    expect((await compare(other.id)).status).toBe(400);
    await world.api(forker).put(`/projects/${fork.id}`, { visibility: 'private' });
    expect((await compare(fork.id)).body).toEqual({ message: '404 Project Not Found' });
  });
});

describe('GET /projects/:id/repository/commits with follow', () => {
  it('lists the commits of a file from before it was renamed, in pages, and only those', async () => {
    const content = Array.from({ length: 50 }, (_, line) => `line ${line}\n`).join('');
    const { project, at } = await filled([file('old.txt', content), file('decoy.txt')], { visibility: 'public' });
    const first = git(directoryOf(project), ['rev-parse', 'master']).trim();
    const move = [{ action: 'move', previous_path: 'old.txt', file_path: 'new.txt' }];
    const { body: moved } = await commit(at, owner, { branch: 'master', actions: move });
    await commitTo(world, project, owner, 'master', 'decoy.txt', 'changed\n');
    const last = await commitTo(world, project, owner, 'master', 'new.txt', `${content}more\n`);
    const list = async (query: string) => {
      const { headers, body } = await world.api(owner).get(`${at}/commits?path=new.txt${query}`);
      return [headers['x-total'], ...body.map(({ id }: Json) => id)];
    };
    expect(await list('')).toEqual(['2', last, moved.id]);
    expect(await list('&follow=true')).toEqual(['3', last, moved.id, first]);
    expect(await list('&follow=true&per_page=1&page=3')).toEqual(['3', first]);
  });
});
