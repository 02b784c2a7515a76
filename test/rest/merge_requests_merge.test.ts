import { describe, expect, it } from 'vitest';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { withBranchLock } from '#src/domain/repository/lock.ts';
import { announceMerge } from '#src/domain/tracking/merge_requests/mark_merged.ts';
import { createNote } from '#src/domain/tracking/notes/create.ts';
import { forgetProgram } from '#src/git/program/detect.ts';
import { git } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const reporter = await world.user();

/** What jobs do may take long on a busy machine. */
const PATIENCE = { timeout: 20_000 };

async function stage() {
  const project = await world.project({ owner, visibility: 'private' });
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  const head = await withTopic(world, project, owner);
  const at = `/projects/${project.id}/merge_requests`;
  const directory = world.repositories.directory(project);
  const merge = (who: TestUser, iid: number, body: object = {}) => world.api(who).put(`${at}/${iid}/merge`, body);
  return { project, head, at, directory, merge };
}

const show = (directory: string, format: string, ref = 'master') =>
  git(directory, ['log', '-1', `--format=${format}`, ref])
    .toString()
    .trim();

describe('PUT /projects/:id/merge_requests/:iid/merge', () => {
  it('merges by a merge commit of the user, and answers with the merge request', LONG, async () => {
    const { project, head, at, directory, merge } = await stage();
    const before = show(directory, '%H');
    const { iid, title } = await opened(world, project, developer);
    const { status, body } = await merge(master, iid);
    expect([status, body.state, body.sha]).toEqual([200, 'merged', head]);
    expect(body.merge_commit_sha).toBe(show(directory, '%H'));
    expect(show(directory, '%P').split(' ')).toEqual([before, head]);
    expect(show(directory, '%an <%ae> %cn')).toBe(
      `Name of ${master.username} <${master.username}@example.org> Name of ${master.username}`,
    );
    const message = `Merge branch 'topic' into 'master'\n\n${title}\n\nSee merge request !${iid}`;
    expect(show(directory, '%B')).toBe(message);
    const { body: shown } = await world.api(reporter).get(`${at}/${iid}`);
    expect([shown.state, shown.merge_commit_sha]).toEqual(['merged', body.merge_commit_sha]);
    const events = (await world.api(reporter).get(`/projects/${project.id}/events`)).body;
    expect(events.slice(0, 2).map(({ action_name }: { action_name: string }) => action_name)).toEqual([
      'accepted',
      'pushed to',
    ]);
  });

  it('takes a message, and what both sides changed', LONG, async () => {
    const { project, directory, merge } = await stage();
    await commitTo(world, project, owner, 'master', 'c.txt');
    const { iid } = await opened(world, project, developer);
    expect((await merge(master, iid, { merge_commit_message: 'My message' })).status).toBe(200);
    expect(show(directory, '%B')).toBe('My message');
    expect(git(directory, ['ls-tree', '--name-only', 'master']).toString().trim().split('\n')).toEqual([
      'a.txt',
      'b.txt',
      'c.txt',
    ]);
  });

  it('is for those who can push or merge into the branch: 401 for others', LONG, async () => {
    const { project, merge } = await stage();
    const { iid } = await opened(world, project, developer);
    const refused = await merge(developer, iid);
    expect([refused.status, refused.body]).toEqual([401, { message: '401 Unauthorized' }]);
    expect((await merge(reporter, iid)).status).toBe(401);
    await world
      .api(master)
      .put(`/projects/${project.id}/repository/branches/master/protect`, { developers_can_merge: true });
    expect((await merge(reporter, iid)).status).toBe(401);
    expect((await merge(developer, iid)).body.state).toBe('merged');
  });

  it.each([
    ['is closed', { state_event: 'close' }],
    ['is work in progress', { title: 'WIP: more to come' }],
    ['is work in progress in brackets', { title: '[WIP] more to come' }],
    ['is a draft', { title: 'Draft: more to come' }],
    ['is a draft in brackets', { title: '[draft] more to come' }],
    ['is a draft in parentheses', { title: '(Draft) more to come' }],
  ])('refuses with 405 one that %s', LONG, async (_why, change) => {
    const { project, at, directory, merge } = await stage();
    const before = show(directory, '%H');
    const { iid } = await opened(world, project, developer);
    await world.api(master).put(`${at}/${iid}`, change);
    const { status, body } = await merge(master, iid);
    expect([status, body]).toEqual([405, { message: '405 Method Not Allowed' }]);
    expect(show(directory, '%H')).toBe(before);
  });

  it('refuses with 405 one that is merged already, or has lost a branch', LONG, async () => {
    const { project, merge } = await stage();
    const { iid } = await opened(world, project, developer);
    await merge(master, iid);
    expect((await merge(master, iid)).status).toBe(405);
    await commitTo(world, project, developer, 'topic', 'd.txt');
    const again = await opened(world, project, developer);
    await world.api(master).delete(`/projects/${project.id}/repository/branches/topic`);
    expect((await merge(master, again.iid)).status).toBe(405);
  });

  it('refuses with 406 one with conflicts, before it looks at the hash', LONG, async () => {
    const { project, directory, merge } = await stage();
    await commitTo(world, project, owner, 'master', 'b.txt', 'other\n');
    const before = show(directory, '%H');
    const { iid } = await opened(world, project, developer);
    for (const body of [{}, { sha: 'f'.repeat(40) }]) {
      const refused = await merge(master, iid, body);
      expect([refused.status, refused.body]).toEqual([406, { message: 'Branch cannot be merged' }]);
    }
    expect(show(directory, '%H')).toBe(before);
  });

  it('refuses with 409 another head than the caller has seen', LONG, async () => {
    const { project, head, merge } = await stage();
    const { iid } = await opened(world, project, developer);
    const refused = await merge(master, iid, { sha: 'f'.repeat(40) });
    expect([refused.status, refused.body]).toEqual([
      409,
      { message: `SHA does not match HEAD of source branch: ${head}` },
    ]);
    const moved = await commitTo(world, project, developer, 'topic', 'd.txt');
    const stale = await merge(master, iid, { sha: head });
    expect([stale.status, stale.body.message]).toEqual([409, `SHA does not match HEAD of source branch: ${moved}`]);
    expect((await merge(master, iid, { sha: moved })).body.state).toBe('merged');
  });

  it('refuses with 403 in an archived project', async () => {
    const { project, merge } = await stage();
    const { iid } = await opened(world, project, developer);
    await world.api(owner).post(`/projects/${project.id}/archive`);
    expect((await merge(owner, iid)).status).toBe(403);
  });

  it('removes the source branch where that is wanted, and it is not protected', LONG, async () => {
    const { project, merge } = await stage();
    const branches = `/projects/${project.id}/repository/branches`;
    const { iid } = await opened(world, project, developer, { removeSourceBranch: true });
    await merge(master, iid);
    await expect.poll(async () => (await world.api(master).get(`${branches}/topic`)).status, PATIENCE).toBe(404);
    await world.api(master).post(branches, { branch: 'kept', ref: 'master' });
    await commitTo(world, project, owner, 'kept', 'k.txt');
    await world.api(master).put(`${branches}/kept/protect`);
    const kept = await opened(world, project, developer, { sourceBranch: 'kept' });
    expect(
      (await merge(master, kept.iid, { should_remove_source_branch: true })).body.should_remove_source_branch,
    ).toBe(true);
    await world.idle();
    expect((await world.api(master).get(`${branches}/kept`)).status).toBe(200);
  });

  it('merges exactly once however many ask at the same time', LONG, async () => {
    const { project, directory, merge } = await stage();
    const before = show(directory, '%H');
    const { iid } = await opened(world, project, developer);
    const statuses = await Promise.all(Array.from({ length: 6 }, async () => (await merge(master, iid)).status));
    expect(statuses.toSorted()).toEqual([200, 405, 405, 405, 405, 405]);
    expect(
      git(directory, ['rev-list', '--first-parent', '--count', `${before}..master`])
        .toString()
        .trim(),
    ).toBe('1');
  });

  it('merges several at a time into one branch, one after the other', { ...LONG, timeout: 180_000 }, async () => {
    const { project, directory, merge } = await stage();
    const branches = ['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9'];
    const iids: number[] = [];
    for (const branch of branches) {
      await world.api(owner).post(`/projects/${project.id}/repository/branches`, { branch, ref: 'master' });
      await commitTo(world, project, owner, branch, `${branch}.txt`);
      iids.push((await opened(world, project, developer, { sourceBranch: branch })).iid);
    }
    // Of many at a time some are told to come again.
    const merged = async (iid: number): ReturnType<typeof merge> => {
      const answer = await merge(master, iid);
      return answer.status === 429 ? merged(iid) : answer;
    };
    const answers = await Promise.all(iids.map(merged));
    expect(answers.map(({ status }) => status)).toEqual(iids.map(() => 200));
    const merges = git(directory, ['log', '--first-parent', '--merges', '--format=%H', 'master'])
      .toString()
      .trim()
      .split('\n');
    expect(new Set(merges)).toEqual(new Set(answers.map(({ body }) => body.merge_commit_sha)));
    git(directory, ['fsck', '--strict']);
  });

  it('refuses with 405 one of which somebody begins a thread while it waits for its turn', LONG, async () => {
    const { project, at, merge } = await stage();
    await world.api(owner).put(`/projects/${project.id}`, { only_allow_merge_if_all_discussions_are_resolved: true });
    const { id, iid } = await opened(world, project, developer);
    let waiting: ReturnType<typeof merge> | undefined;
    await withBranchLock(world.db, project.id, 'master', async () => {
      waiting = merge(master, iid);
      await world.until(async () => {
        const [found] = await world.db.$queryRaw<[{ count: bigint }]>`
          SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
        return found.count > 0n;
      });
      await createNote(world.as(developer), { on: { type: 'MergeRequest', id }, body: 'Wait', startDiscussion: true });
    });
    expect((await waiting)?.status).toBe(405);
    expect((await world.api(master).get(`${at}/${iid}`)).body.state).toBe('opened');
  });

  it('obeys only_allow_merge_if_pipeline_succeeds', LONG, async () => {
    const { project, head, merge } = await stage();
    await world.api(owner).put(`/projects/${project.id}`, { only_allow_merge_if_pipeline_succeeds: true });
    const { iid } = await opened(world, project, developer);
    const post = (state: string) =>
      world.api(developer).post(`/projects/${project.id}/statuses/${head}`, { state, ref: 'topic' });
    await post('running');
    expect((await merge(master, iid)).status).toBe(405);
    await post('failed');
    expect((await merge(master, iid)).status).toBe(405);
    // Nothing runs that it could wait for.
    expect((await merge(master, iid, { merge_when_pipeline_succeeds: true })).status).toBe(405);
    await post('success');
    expect((await merge(master, iid)).body.state).toBe('merged');
  });
});

describe('A merge request that waits for its pipeline', () => {
  const waiting = async () => {
    const set = await stage();
    const { project, head, merge } = set;
    const post = (state: string, sha = head) =>
      world.api(developer).post(`/projects/${project.id}/statuses/${sha}`, { state, ref: 'topic' });
    await post('running');
    const { iid } = await opened(world, project, developer);
    const { status, body } = await merge(master, iid, {
      merge_when_pipeline_succeeds: true,
      should_remove_source_branch: true,
      merge_commit_message: 'Later',
    });
    expect([status, body.state, body.merge_when_pipeline_succeeds]).toEqual([200, 'opened', true]);
    const state = async () => (await world.api(master).get(`${set.at}/${iid}`)).body;
    return { ...set, iid, post, state };
  };

  it('is merged as wanted when that succeeds', LONG, async () => {
    const { directory, post, state } = await waiting();
    await post('success');
    await expect.poll(async () => (await state()).state, PATIENCE).toBe('merged');
    expect(show(directory, '%an: %B')).toBe(`Name of ${master.username}: Later`);
    expect(await state()).toMatchObject({ merge_when_pipeline_succeeds: false, should_remove_source_branch: true });
    await expect.poll(() => git(directory, ['branch', '--list', 'topic']).toString(), PATIENCE).toBe('');
  });

  it('stays open when that fails', LONG, async () => {
    const { post, state } = await waiting();
    await post('failed');
    await world.idle();
    expect(await state()).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true });
  });

  it('does not wait any more when its source branch moves', LONG, async () => {
    const { project, post, state } = await waiting();
    await commitTo(world, project, developer, 'topic', 'd.txt');
    await expect.poll(async () => (await state()).merge_when_pipeline_succeeds, PATIENCE).toBe(false);
    await post('success');
    await world.idle();
    expect((await state()).state).toBe('opened');
  });

  it('is not merged for somebody who may not any more', LONG, async () => {
    const { project, post, state } = await waiting();
    await world.api(owner).put(`/projects/${project.id}/members/${master.id}`, { access_level: 20 });
    await post('success');
    await world.idle();
    expect((await state()).state).toBe('opened');
  });

  it('is called off by those who could merge it, and its author', LONG, async () => {
    const { at, iid, post, state } = await waiting();
    const cancel = (who: TestUser) => world.api(who).post(`${at}/${iid}/cancel_merge_when_pipeline_succeeds`);
    expect((await cancel(reporter)).status).toBe(401);
    const { status, body } = await cancel(developer);
    expect([status, body.merge_when_pipeline_succeeds]).toEqual([201, false]);
    const again = await cancel(master);
    expect([again.status, again.body]).toEqual([406, { message: '406 Not Acceptable' }]);
    await post('success');
    await world.idle();
    expect((await state()).state).toBe('opened');
  });

  it('is merged at once when nothing runs', LONG, async () => {
    const { project, merge } = await stage();
    const { iid } = await opened(world, project, developer);
    expect((await merge(master, iid, { merge_when_pipeline_succeeds: true })).body.state).toBe('merged');
  });
});

describe('A merge that a crash kept from being recorded', () => {
  const crashed = async (reachesBranch: boolean) => {
    const set = await stage();
    const { head, directory, project } = set;
    const { id, iid, sha } = await opened(world, project, developer, { removeSourceBranch: true });
    await world.idle();
    const args = ['commit-tree', `${head}^{tree}`, '-p', show(directory, '%H'), '-p', head, '-m', 'Merge'];
    const oid = git(directory, ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args]).trim();
    await announceMerge(world.db, { id, sha: sha ?? '', targetBranch: 'master', userId: master.id }, oid);
    if (reachesBranch) git(directory, ['update-ref', 'refs/heads/master', oid]);
    await world.handlers()['repositories.reconcile']({}, world.as(owner).jobs);
    await world.idle();
    return { ...set, iid, oid, shown: (await world.api(owner).get(`${set.at}/${iid}`)).body };
  };

  it('is recorded once at the next start, with what follows it', LONG, async () => {
    const { project, oid, shown, directory } = await crashed(true);
    expect(shown).toMatchObject({ state: 'merged', merge_commit_sha: oid });
    expect(git(directory, ['branch', '--list', 'topic'])).toBe('');
    await world.handlers()['repositories.reconcile']({}, world.as(owner).jobs);
    const events = (await world.api(owner).get(`/projects/${project.id}/events`)).body;
    const accepted = events.filter(({ action_name }: { action_name: string }) => action_name === 'accepted');
    expect(accepted.map(({ author_id }: { author_id: number }) => author_id)).toEqual([master.id]);
  });

  it('leaves the merge request open if the commit did not get to the branch', LONG, async () => {
    const { iid, shown, merge } = await crashed(false);
    expect(shown).toMatchObject({ state: 'opened', merge_commit_sha: null });
    expect((await merge(master, iid)).body.state).toBe('merged');
  });
});

describe('Without a git program', () => {
  it('merge requests are opened, shown, refused for files that both sides changed, and merged', LONG, async () => {
    await world.idle();
    const { PATH } = process.env;
    process.env.PATH = '/nowhere';
    forgetProgram();
    try {
      const { project, at, merge } = await stage();
      await commitTo(world, project, owner, 'master', 'c.txt');
      const { iid } = await opened(world, project, developer);
      await createBranch(world.as(owner), project.id, 'clash', 'topic');
      await commitTo(world, project, owner, 'clash', 'c.txt', 'another\n');
      const clash = await opened(world, project, developer, { sourceBranch: 'clash' });
      const shows = async (number: number, merge_status: string) =>
        world.until(async () => (await world.api(master).get(`${at}/${number}`)).body.merge_status === merge_status);
      await shows(iid, 'can_be_merged');
      await shows(clash.iid, 'cannot_be_merged');
      const { changes } = (await world.api(reporter).get(`${at}/${iid}/changes`)).body;
      expect(changes.map(({ new_path }: { new_path: string }) => new_path)).toEqual(['b.txt']);
      expect((await merge(master, clash.iid)).status).toBe(406);
      expect((await merge(master, iid)).body.state).toBe('merged');
      const tree = (await world.api(reporter).get(`/projects/${project.id}/repository/tree`)).body;
      expect(tree.map(({ name }: { name: string }) => name)).toEqual(['a.txt', 'b.txt', 'c.txt']);
    } finally {
      process.env.PATH = PATH;
      forgetProgram();
    }
  });
});
