// Each of its tests takes long.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { mergeAfterPipeline } from '#src/domain/tracking/merge_requests/merge_when_pipeline_succeeds.ts';
import { git } from '../support/git_program.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const reporter = await world.user();

async function stage() {
  const project = await world.project({ owner, visibility: 'private' });
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  const head = await withTopic(world, project, owner);
  const at = `/projects/${project.id}/merge_requests`;
  const directory = world.repositories.directory(project);
  const show = (format: string, ref: string) =>
    git(directory, ['log', '-1', `--format=${format}`, ref])
      .toString()
      .trim();
  return { project, head, at, directory, show };
}

describe('Squashing', () => {
  it('makes one commit of all by the author, with the title or the message given, and merges it', async () => {
    const { project, at, directory, show } = await stage();
    const head = await commitTo(world, project, developer, 'topic', 'c.txt');
    const before = await commitTo(world, project, owner, 'master', 'd.txt');
    const { iid, title } = await opened(world, project, developer, { squash: true });
    const { status, body } = await world.api(master).put(`${at}/${iid}/merge`);
    expect([status, body.state, body.squash]).toEqual([200, 'merged', true]);
    expect(show('%P', 'master').split(' ')).toEqual([before, body.squash_commit_sha]);
    expect(show('%B', body.squash_commit_sha)).toBe(title);
    expect(show('%an|%cn', body.squash_commit_sha)).toBe(`Name of ${developer.username}|Name of ${master.username}`);
    expect(show('%P', body.squash_commit_sha).split(' ')).toHaveLength(1);
    expect(show('%T', body.squash_commit_sha)).toBe(show('%T', head));
    expect(git(directory, ['ls-tree', '--name-only', 'master']).toString().trim().split('\n')).toEqual([
      'a.txt',
      'b.txt',
      'c.txt',
      'd.txt',
    ]);
    expect(show('%H', 'topic')).toBe(head);
    git(directory, ['fsck', '--strict']);
    const found = await world
      .api(reporter)
      .get(`/projects/${project.id}/repository/commits/${body.squash_commit_sha}/merge_requests`);
    expect(found.body.map((one: { iid: number }) => one.iid)).toEqual([iid]);
  });

  it('leaves a single commit as it is unless there is a message', async () => {
    const { project, head, at, show } = await stage();
    const { iid } = await opened(world, project, developer);
    const { body } = await world.api(master).put(`${at}/${iid}/merge`, { squash: true });
    expect([body.state, body.squash_commit_sha]).toEqual(['merged', null]);
    expect(show('%P', 'master').split(' ')[1]).toBe(head);
    await commitTo(world, project, owner, 'topic', 'e.txt');
    const second = await opened(world, project, developer);
    const options = { squash: true, squash_commit_message: 'All of it' };
    const merged = (await world.api(master).put(`${at}/${second.iid}/merge`, options)).body;
    expect(show('%B', merged.squash_commit_sha)).toBe('All of it');
  });

  it('waits for the pipeline with auto_merge, and is told what went wrong', async () => {
    const { project, head, at } = await stage();
    const values = { projectId: project.id, ref: 'topic', sha: head, source: 'push', userId: owner.id } as const;
    const pipeline = await world.db.pipeline.create({ data: { ...values, status: 'running' } });
    const { id, iid } = await opened(world, project, developer);
    const options = { auto_merge: true, squash: true, squash_commit_message: 'Later' };
    const { body } = await world.api(master).put(`${at}/${iid}/merge`, options);
    expect(body).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true, merge_user: { id: master.id } });
    await world.db.pipeline.update({ where: { id: pipeline.id }, data: { status: 'success' } });
    await world.db.mergeRequest.update({ where: { id }, data: { title: 'Draft: not yet' } });
    const again = () => mergeAfterPipeline(world.as(master), id);
    await again();
    expect((await world.api(master).get(`${at}/${iid}`)).body).toMatchObject({
      state: 'opened',
      merge_error: expect.stringMatching(/cannot be merged/),
    });
    await world.db.mergeRequest.update({ where: { id }, data: { title: 'Now' } });
    await again();
    const merged = (await world.api(master).get(`${at}/${iid}`)).body;
    expect(merged).toMatchObject({
      state: 'merged',
      merge_error: null,
      squash_commit_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });
});

describe('A merge that fails', () => {
  it('is told by the merge request until its source branch moves or it is merged', async () => {
    const { project, at } = await stage();
    await commitTo(world, project, owner, 'topic', 'c.txt', 'ours');
    await commitTo(world, project, owner, 'master', 'c.txt', 'theirs');
    const { iid } = await opened(world, project, developer);
    const merge = async () => (await world.api(master).put(`${at}/${iid}/merge`)).status;
    const told = async () => (await world.api(reporter).get(`${at}/${iid}`)).body.merge_error;
    expect(await told()).toBeNull();
    expect(await merge()).toBe(406);
    expect(await told()).toBe('Branch cannot be merged');
    const head = await commitTo(world, project, owner, 'topic', 'c.txt', 'theirs');
    await world.until(async () => (await world.api(reporter).get(`${at}/${iid}`)).body.sha === head);
    expect([await told(), await merge(), await told()]).toEqual([null, 200, null]);
  });
});

describe('PUT /projects/:id/merge_requests/:iid/rebase', () => {
  it('puts the commits on top of the target branch, by the caller', async () => {
    const { project, at, show } = await stage();
    await commitTo(world, project, developer, 'topic', 'c.txt');
    const onto = await commitTo(world, project, owner, 'master', 'd.txt');
    const { iid } = await opened(world, project, developer);
    const { status, body } = await world.api(master).put(`${at}/${iid}/rebase`);
    expect([status, body]).toEqual([202, { rebase_in_progress: true }]);
    const state = async () => (await world.api(reporter).get(`${at}/${iid}?include_rebase_in_progress=true`)).body;
    await world.until(async () => !(await state()).rebase_in_progress);
    expect(show('%P', 'topic~1')).toBe(onto);
    expect(show('%s|%an|%cn', 'topic')).toBe(`Change c.txt|Name of ${developer.username}|Name of ${master.username}`);
    await world.until(async () => (await state()).sha === show('%H', 'topic'));
    expect((await state()).merge_error).toBeNull();
    const now = show('%H', 'topic');
    await world.api(master).put(`${at}/${iid}/rebase`);
    await world.until(async () => !(await state()).rebase_in_progress);
    expect(show('%H', 'topic')).toBe(now);
  });

  it('leaves a branch of more than 500 commits alone, of which the merge request keeps 1,000', async () => {
    const { project, at, directory, show } = await stage();
    await commitTo(world, project, owner, 'master', 'd.txt');
    const commits = Array.from({ length: 1_001 }, (_, n) => {
      const [from, text] = [n === 0 ? 'from refs/heads/topic^0\n' : '', `Number ${n}`];
      return `commit refs/heads/long\ncommitter A <a@example.org> ${n} +0000\ndata ${text.length}\n${text}\n${from}\n`;
    });
    git(directory, ['fast-import', '--quiet'], commits.join(''));
    const head = show('%H', 'long');
    const { id, iid } = await opened(world, project, developer, { sourceBranch: 'long' });
    expect(await world.db.mergeRequestCommit.count({ where: { mergeRequestId: id } })).toBe(1_000);
    expect((await world.api(master).put(`${at}/${iid}/rebase`)).status).toBe(202);
    const told = async () => (await world.api(reporter).get(`${at}/${iid}`)).body.merge_error;
    await world.until(async () => (await told()) !== null);
    expect(await told()).toBe('Rebase failed: there are more than 500 commits');
    expect(show('%H', 'long')).toBe(head);
  });

  it('tells of conflicts, and moves nothing', async () => {
    const { project, head, at, show } = await stage();
    await commitTo(world, project, owner, 'master', 'b.txt', 'other\n');
    const { iid } = await opened(world, project, developer);
    expect((await world.api(developer).put(`${at}/${iid}/rebase`)).status).toBe(202);
    const state = async () => (await world.api(reporter).get(`${at}/${iid}?include_rebase_in_progress=true`)).body;
    await world.until(async () => !(await state()).rebase_in_progress);
    expect((await state()).merge_error).toMatch(/^Rebase failed: /);
    expect(show('%H', 'topic')).toBe(head);
  });

  it('is for those who may force-push to the source branch, once at a time', async () => {
    const { project, at } = await stage();
    const { id, iid } = await opened(world, project, developer);
    const rebase = (who: typeof owner) => world.api(who).put(`${at}/${iid}/rebase`);
    expect(await rebase(reporter)).toMatchObject({ status: 403, body: { message: /Cannot push to source branch/ } });
    await world.db.mergeRequest.update({ where: { id }, data: { rebasingSince: new Date() } });
    expect((await rebase(developer)).status).toBe(409);
    await world.db.mergeRequest.update({ where: { id }, data: { rebasingSince: null } });
    await world.api(owner).put(`/projects/${project.id}/repository/branches/topic/protect`, {});
    const refused = await rebase(owner);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      '403 Forbidden  - Source branch is protected from force push',
    ]);
    await world.api(owner).put(`/projects/${project.id}/repository/branches/topic/unprotect`, {});
    await world.api(owner).delete(`/projects/${project.id}/repository/branches/topic`);
    const gone = await rebase(owner);
    expect([gone.status, gone.body.message]).toEqual([403, '403 Forbidden  - Source branch does not exist']);
  });
});
