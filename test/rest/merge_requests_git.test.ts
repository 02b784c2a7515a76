// Each test takes long: the long run has them all.
// @module-tag long
import { chmod, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { reconcileAll } from '#src/domain/repository/reconcile.ts';
import { refreshMergeRequest, refreshMergeRequests } from '#src/domain/tracking/merge_requests/refresh.ts';
import { clone, commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git, gitLines } from '../support/git_program.ts';
import { opened } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const forker = await world.user();
const api = world.api(owner);
const stores = { db: world.db, repositories: world.repositories, followers: world.followers };

type Place = { id: number; fullPath: string };
const directoryOf = ({ id }: { id: number }) => world.repositories.directory({ id, repositoryStorage: 'default' });
const address = ({ fullPath }: Place, { username, token }: TestUser) =>
  `${world.url.replace('http://', `http://${username}:${token}@`)}/${fullPath}.git`;
const refsOf = (project: { id: number }) => gitLines(directoryOf(project), ['for-each-ref', '--format=%(refname)']);
const record = async (project: { id: number }, iid = 1) =>
  (await api.get(`/projects/${project.id}/merge_requests/${iid}`)).body;
const becomes = (project: { id: number }, values: object, iid = 1) =>
  world.until(async () => {
    const now = await record(project, iid);
    return Object.entries(values).every(([name, value]) => now[name] === value);
  });
const versionsOf = async (project: { id: number }, iid = 1) =>
  (await api.get(`/projects/${project.id}/merge_requests/${iid}/versions`)).body;

/** A public project with `main`, in which nothing is protected, and a working copy with a branch `topic` that is ahead of it. */
async function stage() {
  const project = await world.project({ owner, visibility: 'public' });
  const work = await workingCopy();
  await commitFile(work, 'a.txt', 'a\n');
  await run(work, 'remote', 'add', 'origin', address(project, owner));
  await run(work, 'push', '--quiet', 'origin', 'main');
  await world.db.protectedBranch.deleteMany({ where: { projectId: project.id } });
  await run(work, 'checkout', '--quiet', '-b', 'topic');
  const head = await commitFile(work, 'b.txt', 'b\n');
  await run(work, 'push', '--quiet', 'origin', 'topic');
  const open = (more = {}) => opened(world, project, owner, { targetBranch: 'main', ...more });
  return { project, work, head, open, at: `/projects/${project.id}/merge_requests` };
}

/** A fork with a branch `theirs` that is ahead, and a merge request of it. */
async function fromFork(visibility?: 'private') {
  const { project, work } = await stage();
  const { body } = await world.api(forker).post(`/projects/${project.id}/fork`);
  await world.idle();
  const fork = { id: body.id, fullPath: body.path_with_namespace };
  if (visibility) await world.api(forker).put(`/projects/${fork.id}`, { visibility });
  await run(work, 'checkout', '--quiet', '-b', 'theirs', 'main');
  const head = await commitFile(work, 'theirs.txt', 'theirs\n');
  await run(work, 'push', '--quiet', address(fork, forker), 'theirs');
  const values = { sourceBranch: 'theirs', targetBranch: 'main', targetProject: project.id };
  await opened(world, fork, forker, values);
  return { project, fork, work, head };
}

/** What the server itself has noted on a merge request. */
async function systemNotes(subjectId: number): Promise<string[]> {
  const where = { subjectType: 'MergeRequest', subjectId, system: true };
  return (await world.db.note.findMany({ where, orderBy: { id: 'asc' } })).map(({ body }) => body);
}

describe('The ref of a merge request', () => {
  it('is fetched by git clients, and is neither branch nor tag', async () => {
    const { project, head, open } = await stage();
    await open();
    const copy = await clone(address(project, owner));
    await run(copy, 'fetch', '--quiet', 'origin', 'refs/merge-requests/1/head');
    expect(await run(copy, 'rev-parse', 'FETCH_HEAD')).toBe(head);
    expect(await run(copy, 'branch', '--list', '--all', '*merge-requests*')).toBe('');
    const names = (list: { name: string }[]) => list.map(({ name }) => name);
    const repository = `/projects/${project.id}/repository`;
    expect(names((await api.get(`${repository}/branches`)).body)).toEqual(['main', 'topic']);
    expect((await api.get(`${repository}/tags`)).body).toEqual([]);
    expect(
      await world.db.recordedRef.findMany({ where: { name: { contains: 'merge-requests' }, projectId: project.id } }),
    ).toMatchObject([{ oid: head }]);
  });

  it('cannot be pushed to or deleted', async () => {
    const { project, work, head, open } = await stage();
    await open();
    for (const spec of ['+main:refs/merge-requests/1/head', ':refs/merge-requests/1/head', 'main:refs/keep-around/x']) {
      const { code, said } = await gitClient(work, 'push', 'origin', spec);
      expect([code, said]).toEqual([1, expect.stringContaining('the server keeps such names for itself')]);
    }
    expect(git(directoryOf(project), ['rev-parse', 'refs/merge-requests/1/head']).trim()).toBe(head);
  });

  it('keeps the commits when the source branch and the fork are gone', async () => {
    const { project, fork, head } = await fromFork();
    await becomes(project, { merge_status: 'can_be_merged', source_project_id: fork.id });
    await world.api(forker).delete(`/projects/${fork.id}`);
    await world.idle();
    await becomes(project, { merge_status: 'cannot_be_merged', source_project_id: null, state: 'opened', sha: head });
    const directory = directoryOf(project);
    git(directory, ['gc', '--quiet', '--prune=now']);
    await world.repositories.forget({ id: project.id, repositoryStorage: 'default' });
    git(directory, ['fsck', '--strict', '--full']);
    const at = `/projects/${project.id}/merge_requests/1`;
    expect((await api.get(`${at}/commits`)).body.map(({ id }: { id: string }) => id)).toEqual([head]);
    expect((await api.get(`${at}/changes`)).body.changes).toMatchObject([{ new_path: 'theirs.txt' }]);
    expect(await gitLines(directory, ['count-objects', '-v'])).toContain('garbage: 0');
  });

  it('stays when the group of the fork is deleted: the merge request cannot be merged any more', async () => {
    const { project, head, fork } = await fromFork();
    const group = await world.group({ owner: forker });
    await world.db.project.update({ where: { id: fork.id }, data: { namespaceId: group.id } });
    expect((await world.api(forker).delete(`/groups/${group.id}`)).status).toBe(204);
    await becomes(project, { merge_status: 'cannot_be_merged', sha: head });
    await world.idle();
    expect(await refsOf(project)).toContain('refs/merge-requests/1/head');
  });

  it('is not copied to forks', async () => {
    const { project, open } = await stage();
    await open();
    const { body } = await world.api(forker).post(`/projects/${project.id}/fork`);
    await world.idle();
    expect(refsOf(body)).toEqual(['refs/heads/main', 'refs/heads/topic']);
  });

  it('is overwritten where a crash left it of a merge request that was never recorded', async () => {
    const { project, head, open } = await stage();
    const main = git(directoryOf(project), ['rev-parse', 'refs/heads/main']).trim();
    git(directoryOf(project), ['update-ref', 'refs/merge-requests/1/head', main]);
    await reconcileAll(stores);
    const kept = { projectId: project.id, name: 'refs/merge-requests/1/head' };
    expect(await world.db.recordedRef.findFirst({ where: kept })).toMatchObject({ oid: main });
    await open();
    expect(await world.db.recordedRef.findFirst({ where: kept })).toMatchObject({ oid: head });
    expect(git(directoryOf(project), ['rev-parse', 'refs/merge-requests/1/head']).trim()).toBe(head);
  });
});

describe('A push to the source branch', () => {
  it('records a version; those before stay what they were, even after a force-push and gc', async () => {
    const { project, work, head, open, at } = await stage();
    await open();
    const second = await commitFile(work, 'c.txt', 'c\n');
    await run(work, 'push', '--quiet', 'origin', 'topic');
    await becomes(project, { sha: second, merge_status: 'can_be_merged' });
    await run(work, 'reset', '--quiet', '--hard', 'main');
    const third = await commitFile(work, 'd.txt', 'd\n');
    await run(work, 'push', '--quiet', '--force', 'origin', 'topic');
    await becomes(project, { sha: third, merge_status: 'can_be_merged' });
    const versions = await versionsOf(project);
    expect(versions.map(({ head_commit_sha: sha }: { head_commit_sha: string }) => sha)).toEqual([third, second, head]);
    expect(versions.map(({ real_size: size }: { real_size: string }) => size)).toEqual(['1', '2', '1']);
    expect(refsOf(project)).toContain(`refs/keep-around/${second}`);
    git(directoryOf(project), ['reflog', 'expire', '--expire=now', '--all']);
    git(directoryOf(project), ['gc', '--quiet', '--prune=now']);
    await world.repositories.forget({ id: project.id, repositoryStorage: 'default' });
    const files = async (id: number) =>
      (await api.get(`${at}/1/versions/${id}`)).body.diffs.map(({ new_path: file }: { new_path: string }) => file);
    expect(await Promise.all(versions.map(({ id }: { id: number }) => files(id)))).toEqual([
      ['d.txt'],
      ['b.txt', 'c.txt'],
      ['b.txt'],
    ]);
    // A public repository asks for no credentials, without which it lists no refs of merge requests.
    const credentials = Buffer.from(`x:${owner.token}`).toString('base64');
    const said = await run(work, '-c', `http.extraHeader=Authorization: Basic ${credentials}`, 'ls-remote', 'origin');
    expect(said).toContain('refs/merge-requests/1/head');
    expect(said).not.toContain('keep-around');
  });

  it('gives versions the patch ID that git tells, which stays when the changes move', async () => {
    const { project, work, open, at } = await stage();
    await open();
    await run(work, 'checkout', '--quiet', 'main');
    await commitFile(work, 'elsewhere.txt', 'elsewhere\n');
    await run(work, 'checkout', '--quiet', 'topic');
    await run(work, 'rebase', '--quiet', 'main');
    const [moved] = (await run(work, 'rev-parse', 'topic')).split('\n');
    await run(work, 'push', '--quiet', '--force', 'origin', 'main', 'topic');
    await becomes(project, { sha: moved });
    const changed = await commitFile(work, 'c.txt', 'c\n');
    await run(work, 'push', '--quiet', 'origin', 'topic');
    await becomes(project, { sha: changed });
    const versions: Record<string, string>[] = await versionsOf(project);
    const told = versions.map(({ base_commit_sha: base = '', head_commit_sha: tip = '' }) => {
      const diff = git(directoryOf(project), ['diff', '--full-index', base, tip]);
      return git(directoryOf(project), ['patch-id', '--stable'], diff).slice(0, 40);
    });
    expect(versions.map((one) => one.patch_id_sha)).toEqual(told);
    expect(told).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/), told[2], told[2]]);
    expect(told[0]).not.toBe(told[1]);
    const [{ id }] = await versionsOf(project);
    expect((await api.get(`${at}/1/versions/${id}`)).body.patch_id_sha).toBe(told[0]);
    const query =
      'query ($p: ProjectRef!) { project(ref: $p) { mergeRequest(iid: 1) { versions { nodes { patchIdSha } } } } }';
    const { body } = await world.graphql(query, { p: String(project.id) }, owner);
    expect(body.data.project.mergeRequest.versions.nodes.map((one: { patchIdSha: string }) => one.patchIdSha)).toEqual(
      told,
    );
  });

  it('records one version, however many processes look at it', async () => {
    const { project, work, open } = await stage();
    const { id } = await open();
    await world.idle();
    await world.db.mergeRequest.update({ where: { id }, data: { state: 'closed' } });
    const second = await commitFile(work, 'c.txt', 'c\n');
    await run(work, 'push', '--quiet', 'origin', 'topic');
    await world.idle();
    await world.db.mergeRequest.update({ where: { id }, data: { state: 'opened' } });
    await Promise.all([1, 2, 3].map(() => refreshMergeRequest(stores, id)));
    await refreshMergeRequest(stores, id);
    expect(await versionsOf(project)).toHaveLength(2);
    expect(await record(project)).toMatchObject({ sha: second, merge_status: 'can_be_merged' });
  });

  it('is not missed where a process that had looked before it records what it saw', async () => {
    const { project, head, open } = await stage();
    const { id } = await open();
    await world.idle();
    const unknown = { mergeStatus: 'unchecked', checkedSourceSha: null, checkedTargetSha: null };
    await world.db.mergeRequest.update({ where: { id }, data: unknown });
    const waiting = async (count: number) =>
      world.until(async () => {
        const rows = await world.db.$queryRaw<unknown[]>`
          SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return rows.length >= count;
      });
    const looks: Promise<void>[] = [];
    const held = async (tx: Pick<typeof world.db, '$queryRaw'>) => {
      await tx.$queryRaw`SELECT 1 FROM merge_requests WHERE id = ${id} FOR UPDATE`;
      looks.push(refreshMergeRequest(stores, id));
      await waiting(1);
      git(directoryOf(project), ['update-ref', '-d', 'refs/heads/topic']);
      looks.push(refreshMergeRequest(stores, id));
      await waiting(2);
    };
    await world.db.$transaction(held, { timeout: 50_000 });
    await Promise.all(looks);
    await reconcileAll(stores);
    expect(await record(project)).toMatchObject({ sha: head, merge_status: 'cannot_be_merged', state: 'opened' });
  });

  it('by the API counts as well, and one that was missed is found later', async () => {
    const { project, open } = await stage();
    await open();
    const given = { branch: 'topic', content: 'x', commit_message: 'x' };
    await api.post(`/projects/${project.id}/repository/files/x.txt`, given);
    await world.until(async () => (await versionsOf(project)).length === 2);
    await world.idle();
    const tip = git(directoryOf(project), ['rev-parse', 'refs/heads/main']).trim();
    git(directoryOf(project), ['update-ref', 'refs/heads/topic', tip]);
    await reconcileAll(stores);
    expect((await record(project)).merge_status).toBe('unchecked');
    await refreshMergeRequests(stores, {});
    expect(await record(project)).toMatchObject({ sha: tip, merge_status: 'cannot_be_merged', state: 'opened' });
    const unmergeable = { action: 'unmergeable', projectId: project.id } as const;
    expect(await world.db.todo.count({ where: unmergeable })).toBe(1);
  });

  it('that deletes it leaves a note once; pushed again, the branch can be merged again', async () => {
    const { project, work, head, open } = await stage();
    const { id } = await open();
    await becomes(project, { merge_status: 'can_be_merged' });
    await run(work, 'push', '--quiet', 'origin', ':topic');
    await becomes(project, { merge_status: 'cannot_be_merged', state: 'opened', sha: head });
    await refreshMergeRequest(stores, id);
    await run(work, 'push', '--quiet', 'origin', 'topic');
    await becomes(project, { merge_status: 'can_be_merged' });
    expect(await versionsOf(project)).toHaveLength(1);
    expect(await systemNotes(id)).toEqual(['deleted source branch `topic`']);
  });

  it('is told of by a note that lists the new commits', async () => {
    const { project, work, open } = await stage();
    const { id } = await open();
    await becomes(project, { merge_status: 'can_be_merged' });
    for (const name of ['one', 'two']) {
      await run(work, 'commit', '--quiet', '--allow-empty', '-m', `Add ${name}`);
    }
    await run(work, 'push', '--quiet', 'origin', 'topic');
    const [second, first] = (await run(work, 'log', '-2', '--format=%H')).trim().split('\n');
    await expect
      .poll(() => systemNotes(id), { timeout: 30_000 })
      .toEqual([`added 2 commits\n\n* ${second?.slice(0, 8)} - Add two\n* ${first?.slice(0, 8)} - Add one`]);
    // Who only drops commits adds none.
    await run(work, 'reset', '--quiet', '--hard', 'HEAD~1');
    await run(work, 'push', '--quiet', '--force', 'origin', 'topic');
    await expect.poll(async () => (await versionsOf(project)).length, { timeout: 30_000 }).toBe(3);
    expect(await systemNotes(id)).toHaveLength(1);
  });
});

describe('A push to the target branch', () => {
  it('that brings the commits marks the merge request as merged', async () => {
    const { project, work, head, open } = await stage();
    const { id } = await open();
    await becomes(project, { merge_status: 'can_be_merged' });
    await run(work, 'checkout', '--quiet', 'main');
    await run(work, 'merge', '--quiet', '--no-ff', '-m', 'Merge', 'topic');
    await run(work, 'push', '--quiet', 'origin', 'main', ':topic');
    await becomes(project, { state: 'merged', sha: head, merge_commit_sha: null });
    const where = { targetType: 'MergeRequest', targetId: id };
    const events = await world.db.event.findMany({ where, orderBy: { id: 'asc' } });
    expect(events.map(({ action }) => action)).toEqual(['opened', 'accepted']);
    expect((await api.get(`/projects/${project.id}/merge_requests/1/commits`)).body).toHaveLength(1);
  });

  it('takes nothing as merged that had no commits of its own', async () => {
    const { project, work, open } = await stage();
    await run(work, 'push', '--quiet', 'origin', 'main:empty');
    await open({ sourceBranch: 'empty' });
    await open();
    await becomes(project, { merge_status: 'cannot_be_merged' });
    // The source is set back to what the target has.
    await run(work, 'push', '--quiet', '--force', 'origin', 'main:topic');
    await becomes(project, { merge_status: 'cannot_be_merged' }, 2);
    await run(work, 'checkout', '--quiet', 'main');
    await commitFile(work, 'more.txt', 'more\n');
    await run(work, 'push', '--quiet', 'origin', 'main');
    await world.idle();
    for (const iid of [1, 2]) {
      expect(await record(project, iid)).toMatchObject({ state: 'opened', merge_status: 'cannot_be_merged' });
    }
  });

  it('has the merge status worked out anew: with conflicts as git finds them', async () => {
    const { project, work, open } = await stage();
    await open();
    await becomes(project, { merge_status: 'can_be_merged' });
    await run(work, 'checkout', '--quiet', 'main');
    await commitFile(work, 'b.txt', 'another b\n');
    await run(work, 'push', '--quiet', 'origin', 'main');
    await becomes(project, { merge_status: 'cannot_be_merged' });
    await commitFile(work, 'b.txt', 'b\n');
    await run(work, 'push', '--quiet', 'origin', 'main');
    await becomes(project, { merge_status: 'can_be_merged' });
  });

  it('costs the same however many merge requests there are of the branch', async () => {
    const { project, work, open } = await stage();
    const commit = () =>
      api.post(`/projects/${project.id}/repository/files/${world.unique('f')}`, {
        branch: 'main',
        content: 'x',
        commit_message: 'x',
      });
    await open();
    const few = await world.statements(async () => void (await commit()));
    const names = Array.from({ length: 8 }, (_, n) => `topic-${n}`);
    await run(work, 'push', '--quiet', 'origin', ...names.map((name) => `topic:${name}`));
    for (const sourceBranch of names) await open({ sourceBranch });
    const inPush = (statements: string[]) => statements.filter((text) => /recorded_refs/.test(text)).length;
    const many = await world.statements(async () => void (await commit()));
    expect(inPush(many)).toBe(inPush(few));
    await world.until(async () =>
      (await Promise.all(names.map((_, n) => record(project, n + 2)))).every(
        ({ merge_status }) => merge_status === 'can_be_merged',
      ),
    );
  });
});

describe('The merge status', () => {
  type Change = (work: string) => Promise<unknown>;
  const cases: [string, Change, Change, string][] = [
    ['both add a file', (w) => commitFile(w, 'n', '1\n'), (w) => commitFile(w, 'n', '2\n'), 'cannot_be_merged'],
    [
      'one renames what the other changes',
      async (w) => {
        await rename(path.join(w, 'a.txt'), path.join(w, 'renamed.txt'));
        await run(w, 'add', '--all');
        await run(w, 'commit', '--quiet', '-m', 'Rename');
      },
      (w) => commitFile(w, 'a.txt', `a\nmore\n`),
      'can_be_merged',
    ],
    [
      'one changes the mode and the other the content',
      async (w) => {
        await chmod(path.join(w, 'a.txt'), 0o755);
        await run(w, 'commit', '--quiet', '--all', '-m', 'Mode');
      },
      (w) => commitFile(w, 'a.txt', 'changed\n'),
      'can_be_merged',
    ],
    [
      'one deletes what the other changes',
      async (w) => {
        await run(w, 'rm', '--quiet', 'a.txt');
        await run(w, 'commit', '--quiet', '-m', 'Delete');
      },
      (w) => commitFile(w, 'a.txt', 'changed\n'),
      'cannot_be_merged',
    ],
  ];

  it.each(cases)('is as git has it where %s', async (_name, ours, theirs, status) => {
    const { project, work, open } = await stage();
    await theirs(work);
    await run(work, 'checkout', '--quiet', 'main');
    await ours(work);
    await run(work, 'push', '--quiet', 'origin', 'main', 'topic');
    await open();
    await becomes(project, { merge_status: status });
  });

  it('is as git has it with several best common ancestors', async () => {
    const { project, work, open } = await stage();
    await run(work, 'checkout', '--quiet', 'main');
    await commitFile(work, 'a.txt', 'main\n');
    await run(work, 'branch', 'old-main');
    await run(work, 'merge', '--quiet', '-m', 'Topic into main', 'topic');
    await run(work, 'checkout', '--quiet', 'topic');
    await run(work, 'merge', '--quiet', '-m', 'Main into topic', 'old-main');
    await commitFile(work, 'a.txt', 'topic\n');
    expect((await run(work, 'merge-base', '--all', 'main', 'topic')).split('\n')).toHaveLength(2);
    await run(work, 'push', '--quiet', 'origin', 'main', 'topic');
    await open();
    await becomes(project, { merge_status: 'can_be_merged' });
  });

  it('of unrelated histories is that they cannot be merged; their files are compared', async () => {
    const { project, work, open, at } = await stage();
    await run(work, 'checkout', '--quiet', '--orphan', 'other');
    await writeFile(path.join(work, 'a.txt'), 'entirely different\n');
    await run(work, 'commit', '--quiet', '--all', '-m', 'Other');
    await run(work, 'push', '--quiet', 'origin', 'other');
    await open({ sourceBranch: 'other' });
    await becomes(project, { merge_status: 'cannot_be_merged' });
    const [version] = await versionsOf(project);
    expect(version.base_commit_sha).toBeNull();
    expect((await api.get(`${at}/1/changes`)).body.changes).not.toEqual([]);
    expect((await api.get(`${at}/1/commits`)).body).toHaveLength(1);
  });
});

describe('A merge request from a private fork', () => {
  it('shows those who see the target the ID and the branch of the fork, and nothing else of it', async () => {
    const { project, fork, head } = await fromFork('private');
    const stranger = await world.user();
    const { body } = await world.api(stranger).get(`/projects/${project.id}/merge_requests/1`);
    expect(body).toMatchObject({ source_project_id: fork.id, source_branch: 'theirs', sha: head });
    expect(JSON.stringify(body)).not.toContain(fork.fullPath);
    expect((await world.api(stranger).get(`/projects/${fork.id}`)).status).toBe(404);
    const query = `query ($id: ProjectRef!) { project(ref: $id) { mergeRequest(iid: 1) {
      sourceProject { name } sourceProjectId commits { nodes { sha } } } } }`;
    const answer = await world.graphql(query, { id: String(project.id) }, stranger);
    expect(answer.body.data.project.mergeRequest).toEqual({
      sourceProject: null,
      sourceProjectId: fork.id,
      commits: { nodes: [{ sha: head }] },
    });
  });

  it('follows the fork, and is refused where the target cannot be seen', async () => {
    const { project, fork, work } = await fromFork('private');
    const second = await commitFile(work, 'more.txt', 'more\n');
    await run(work, 'push', '--quiet', address(fork, forker), 'theirs');
    await becomes(project, { sha: second, merge_status: 'can_be_merged' });
    await world.db.project.update({ where: { id: project.id }, data: { visibility: 'private' } });
    const given = { title: 'x', source_branch: 'main', target_branch: 'topic', target_project_id: project.id };
    expect((await world.api(forker).post(`/projects/${fork.id}/merge_requests`, given)).status).toBe(404);
    expect((await world.api(forker).get(`/projects/${project.id}/merge_requests/1`)).status).toBe(404);
  });
});

describe('A long branch', () => {
  it('of 10,000 commits is taken over from a fork', { timeout: 180_000 }, async () => {
    const { project, fork, work } = await fromFork();
    const lines = ['reset refs/heads/long', 'from refs/heads/main^0'];
    const person = 'committer Pia <pia@example.com> 1700000000 +0000';
    for (let n = 0; n < 10_000; n++) {
      lines.push(
        'commit refs/heads/long',
        person,
        'data 1',
        'x',
        `M 100644 inline f${n % 100}`,
        `data ${String(n).length}`,
        String(n),
      );
    }
    git(path.join(work, '.git'), ['fast-import', '--quiet'], `${lines.join('\n')}\n`);
    await run(work, 'push', '--quiet', address(fork, forker), 'long');
    await opened(world, fork, forker, { sourceBranch: 'long', targetBranch: 'main', targetProject: project.id });
    const answer = await api.get(`/projects/${project.id}/merge_requests/2/commits`);
    expect(answer.headers['x-total']).toBe('10000');
    await becomes(project, { merge_status: 'can_be_merged' }, 2);
  });
});

it('Git and a few requests are all that it takes from a fork to the default branch', async () => {
  const { project, at } = await stage();
  const theirs = world.api(forker);
  const issue = (await api.post(`/projects/${project.id}/issues`, { title: 'Nothing greets' })).body;
  const { body: fork } = await theirs.post(`/projects/${project.id}/fork`);
  await world.idle();
  const place = { id: fork.id, fullPath: fork.path_with_namespace };
  const work = await clone(address(place, forker));
  await run(work, 'checkout', '--quiet', '-b', 'greet', 'origin/main');
  await commitFile(work, 'hello.txt', 'Hello\n');
  await run(work, 'push', '--quiet', 'origin', 'greet');
  const asked = { source_branch: 'greet', target_branch: 'main', target_project_id: project.id, title: 'Greet' };
  const { status, body } = await theirs.post(`/projects/${fork.id}/merge_requests`, {
    ...asked,
    description: `Fixes #${issue.iid}`,
  });
  expect([status, body.iid]).toEqual([201, 1]);
  const head = await commitFile(work, 'world.txt', 'World\n');
  await run(work, 'push', '--quiet', 'origin', 'greet');
  await becomes(project, { sha: head, merge_status: 'can_be_merged' });

  // The owner reads it, merges it on their own machine, and pushes.
  const own = await clone(address(project, owner));
  await run(own, 'fetch', '--quiet', 'origin', 'refs/merge-requests/1/head');
  expect((await run(own, 'rev-parse', 'FETCH_HEAD')).trim()).toBe(head);
  await run(own, 'checkout', '--quiet', 'main');
  await run(own, 'merge', '--quiet', '--no-ff', '-m', 'Merge what greets', 'FETCH_HEAD');
  await run(own, 'push', '--quiet', 'origin', 'main');
  await becomes(project, { state: 'merged' });
  await world.idle();
  expect((await api.get(`/projects/${project.id}/issues/${issue.iid}`)).body.state).toBe('closed');
  expect((await api.get(`${at}/1/commits`)).body).toHaveLength(2);
  const refused = await run(work, 'push', '--quiet', address(project, forker), 'greet').catch((error: Error) => error);
  expect(String(refused)).toMatch(/403|not allowed|denied/i);
});
