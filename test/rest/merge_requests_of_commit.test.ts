// Each of its tests takes long.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { storeMissingCommits } from '#src/domain/tracking/merge_requests/store_commits.ts';
import { git } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const outsider = await world.user();

async function stage() {
  const project = await world.project({ owner, visibility: 'public' });
  await world.member(project, reporter, 'reporter');
  const head = await withTopic(world, project, owner);
  const directory = world.repositories.directory(project);
  const of = async (sha: string, query = '', who: TestUser = reporter) => {
    const { body } = await world
      .api(who)
      .get(`/projects/${project.id}/repository/commits/${sha}/merge_requests${query}`);
    return Array.isArray(body) ? body.map(({ iid }: { iid: number }) => iid) : body;
  };
  return { project, head, at: `/projects/${project.id}/merge_requests`, directory, of };
}

describe('GET /projects/:id/repository/commits/:sha/merge_requests', () => {
  it('has those that brought the commit in any version, or were merged by it', async () => {
    const { project, head, at, directory, of } = await stage();
    const first = await opened(world, project, owner);
    const base = git(directory, ['rev-parse', 'master']).toString().trim();
    const second = await commitTo(world, project, owner, 'topic', 'c.txt');
    await world.until(async () => (await of(second)).length === 1);
    expect([await of(head), await of(second), await of('topic'), await of(head.slice(0, 8))]).toEqual([
      [first.iid],
      [first.iid],
      [first.iid],
      [first.iid],
    ]);
    expect(await of(base)).toEqual([]);
    const { body } = await world.api(owner).put(`${at}/${first.iid}/merge`);
    expect(await of(body.merge_commit_sha)).toEqual([first.iid]);
    expect([await of(head, '?state=opened'), await of(head, '?state=merged')]).toEqual([[], [first.iid]]);
    expect(await of('nowhere')).toEqual({ message: '404 Commit Not Found' });
  });

  it('has those of earlier servers once a job has read their commits', async () => {
    const { project, head, of, at } = await stage();
    const { id, iid } = await opened(world, project, owner);
    await world.db.mergeRequestCommit.deleteMany({ where: { mergeRequestId: id } });
    const patchIds = async () =>
      (await world.api(owner).get(`${at}/${iid}/versions`)).body.map((one: Json) => one.patch_id_sha);
    const before = await patchIds();
    expect(before).toEqual([expect.any(String)]);
    const where = { mergeRequestId: id };
    await world.db.mergeRequestVersion.updateMany({ where, data: { commitsStored: false, patchIdSha: null } });
    expect([await of(head), await patchIds()]).toEqual([[], [null]]);
    await storeMissingCommits(world);
    expect([await of(head), await patchIds()]).toEqual([[iid], before]);
  });
});

describe('The git side of a merge request', () => {
  it('is its files page by page, with the lines that name them if asked for', async () => {
    const { project, at } = await stage();
    await commitTo(world, project, owner, 'topic', 'package-lock.json');
    const { iid } = await opened(world, project, owner);
    const { headers, body } = await world.api(reporter).get(`${at}/${iid}/diffs?per_page=1`);
    expect([headers['x-total'], body.length]).toEqual(['2', 1]);
    expect(body[0]).toMatchObject({
      new_path: 'b.txt',
      diff: '@@ -0,0 +1 @@\n+b.txt\n',
      new_file: true,
      generated_file: false,
      collapsed: false,
      too_large: false,
    });
    const last = await world.api(reporter).get(`${at}/${iid}/diffs?per_page=1&page=2&unidiff=true`);
    expect(last.body).toMatchObject([{ new_path: 'package-lock.json', generated_file: true }]);
    expect(last.body[0].diff).toMatch(/^--- \/dev\/null\n\+\+\+ b\/package-lock.json\n@@ /);
  });

  it('is the text of its changes as git writes it, which leads from the base to the head', async () => {
    const { project, at, directory } = await stage();
    const commit = async (branch: string, actions: object[]) => {
      const { status } = await world.api(owner).post(`/projects/${project.id}/repository/commits`, {
        branch,
        commit_message: 'Change all kinds of files',
        actions,
      });
      expect(status).toBe(201);
    };
    const lines = Array.from({ length: 40 }, (_, line) => `line ${line}\n`);
    const odd = 'od d/"quoted" \\ ä.txt';
    await commit('master', [
      { action: 'create', file_path: 'old.txt', content: lines.join('') },
      { action: 'create', file_path: 'gone.txt', content: 'gone' },
      { action: 'create', file_path: 'same.txt', content: 'same' },
      { action: 'create', file_path: odd, content: 'one\n' },
    ]);
    await world.api(owner).post(`/projects/${project.id}/repository/branches`, { branch: 'many', ref: 'master' });
    await commit('many', [
      { action: 'move', file_path: 'new.txt', previous_path: 'old.txt', content: [...lines, 'more\n'].join('') },
      { action: 'delete', file_path: 'gone.txt' },
      { action: 'update', file_path: odd, content: 'two' },
      { action: 'create', file_path: 'empty.txt', content: '' },
      { action: 'create', file_path: 'image.bin', content: 'AAECAwA=', encoding: 'base64' },
    ]);
    const { iid } = await opened(world, project, owner, { sourceBranch: 'many' });
    const { headers, status, body } = await world.api(reporter).get(`${at}/${iid}/raw_diffs`);
    expect([status, headers['content-type'], headers['x-diff-overflow']]).toEqual([
      200,
      'text/plain; charset=utf-8',
      undefined,
    ]);
    const args = ['-c', 'core.quotePath=false', 'diff', '--full-index', '-M', 'master', 'many'];
    expect(body).toBe(git(directory, args));
    expect(body).toContain('rename to new.txt');
    await commit('many', [{ action: 'create', file_path: 'large.txt', content: 'x'.repeat(1024 * 1024 + 1) }]);
    await world.until(async () => (await world.api(reporter).get(`${at}/${iid}/raw_diffs`)).body.includes('large.txt'));
    const larger = await world.api(reporter).get(`${at}/${iid}/raw_diffs`);
    expect(larger.headers['x-diff-overflow']).toBe('true');
    expect(larger.body).toContain('\nBinary files /dev/null and b/large.txt differ\n');
    expect((await world.api(outsider).get(`${at}/${iid}/raw_diffs`)).status).toBe(200);
    expect((await world.api(reporter).get(`${at}/999/raw_diffs`)).status).toBe(404);
  });

  it('is the pipelines of all its heads, newest first', async () => {
    const { project, head, at } = await stage();
    const { iid } = await opened(world, project, owner);
    const next = await commitTo(world, project, owner, 'topic', 'c.txt');
    await world.until(async () => (await world.api(owner).get(`${at}/${iid}`)).body.sha === next);
    const ids: number[] = [];
    for (const [ref, sha, tag] of [
      ['topic', head, false],
      ['topic', next, false],
      ['other', head, false],
      ['topic', head, true],
      ['topic', 'f'.repeat(40), false],
    ] as const) {
      const data = {
        projectId: project.id,
        ref,
        sha,
        tag,
        source: 'push',
        userId: owner.id,
        status: 'success',
      } as const;
      ids.push((await world.db.pipeline.create({ data })).id);
    }
    const { body } = await world.api(outsider).get(`${at}/${iid}/pipelines`);
    expect(body.map(({ id }: { id: number }) => id)).toEqual([ids[1], ids[0]]);
    expect(body[0]).toMatchObject({ project_id: project.id, ref: 'topic', sha: next, source: 'push' });
    await world.db.project.update({ where: { id: project.id }, data: { jobsEnabled: false } });
    expect((await world.api(owner).get(`${at}/${iid}/pipelines`)).status).toBe(403);
  });

  it('is a merge that git clients can fetch, made anew when a branch moves', async () => {
    const { project, head, at, directory } = await stage();
    const { iid } = await opened(world, project, owner, { title: 'Draft: not yet' });
    const parents = (oid: string) => git(directory, ['log', '-1', '--format=%P', oid]).toString().trim().split(' ');
    const tip = () => git(directory, ['rev-parse', 'master']).toString().trim();
    const { status, body } = await world.api(reporter).get(`${at}/${iid}/merge_ref`);
    expect(status).toBe(200);
    expect(parents(body.commit_id)).toEqual([tip(), head]);
    const ref = () =>
      git(directory, ['rev-parse', `refs/merge-requests/${iid}/merge`])
        .toString()
        .trim();
    expect(ref()).toBe(body.commit_id);
    expect((await world.api(reporter).get(`${at}/${iid}/merge_ref`)).body).toEqual(body);
    await commitTo(world, project, owner, 'master', 'd.txt');
    const moved = (await world.api(reporter).get(`${at}/${iid}/merge_ref`)).body.commit_id;
    expect([ref(), ...parents(moved)]).toEqual([moved, tip(), head]);
    await commitTo(world, project, owner, 'master', 'b.txt', 'other\n');
    const refused = await world.api(reporter).get(`${at}/${iid}/merge_ref`);
    expect([refused.status, refused.body]).toEqual([400, { message: 'Merge request is not mergeable' }]);
    await world.api(owner).delete(`${at}/${iid}`);
    await world.until(async () => git(directory, ['for-each-ref', 'refs/merge-requests']).toString().trim() === '');
  });

  it('is the issues that it mentions anywhere, as far as the caller sees them', async () => {
    const { project, at } = await stage();
    const issues = [];
    for (let n = 0; n < 6; n += 1) issues.push(await world.issue(project, owner));
    const secret = await world.issue(project, owner, { confidential: true });
    const iids = issues.map(({ iid }) => iid);
    const description = `Like #${iids[1]}, closes #${iids[2]}, \`#${iids[5]}\``;
    const { iid } = await opened(world, project, owner, { title: `For #${iids[0]}`, description });
    await world.api(owner).post(`${at}/${iid}/notes`, { body: `See #${iids[3]} and #${secret.iid}` });
    const listed = async (who: TestUser) =>
      (await world.api(who).get(`${at}/${iid}/related_issues`)).body.map((one: { iid: number }) => one.iid);
    expect(await listed(outsider)).toEqual(iids.slice(0, 4));
    expect(await listed(owner)).toEqual([...iids.slice(0, 4), secret.iid]);
  });

  it('are those of its latest 100 notes, and of the first 20,000 characters of each', async () => {
    const { project, at } = await stage();
    const issues = [];
    for (let n = 0; n < 4; n += 1) issues.push(await world.issue(project, owner));
    const [old, seen, late, last] = issues.map(({ iid }) => iid);
    const { id, iid } = await opened(world, project, owner);
    const texts = [`#${old}`, `#${seen}`, `${'x'.repeat(20_000)} #${late}`, ...Array(97).fill('Said'), `#${last}`];
    const data = texts.map((body) => ({ subjectType: 'MergeRequest', subjectId: id, authorId: owner.id, body }));
    await world.db.note.createMany({ data });
    const { body } = await world.api(reporter).get(`${at}/${iid}/related_issues`);
    expect(body.map((one: { iid: number }) => one.iid)).toEqual([seen, last]);
  });
});
