// Each test takes long: the long run has them all.
// @module-tag long
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { createCommit } from '#src/domain/repository/commits/create.ts';
import { traceDiscussions } from '#src/domain/tracking/discussions/trace.ts';
import { refusal, talk } from '../support/discussions.ts';
import { clone, run } from '../support/git_client.ts';
import { git } from '../support/git_program.ts';
import { opened } from '../support/merge_requests.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const { resolve, thread, write, written } = talk(world);

type Action = Parameters<typeof createCommit>[2]['actions'][number];

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('');

/** 30 lines of which the topic changes the 10th, adds one behind the 20th and removes the 25th. */
const BEFORE = numbered(1, 30);
const AFTER = `${numbered(1, 9)}changed 10\n${numbered(11, 20)}added\n${numbered(21, 24)}${numbered(26, 30)}`;

async function stage(
  before: Record<string, string> = { 'a.txt': BEFORE },
  after: Record<string, string> = { 'a.txt': AFTER },
) {
  const project = await world.project({ owner });
  const commit = (branch: string, actions: Action[]) =>
    createCommit(world.as(owner), project.id, { branch, message: 'Change', actions });
  const files = (action: 'create' | 'update', all: Record<string, string>): Action[] =>
    Object.entries(all).map(([filePath, content]) => ({ action, filePath, content }));
  await commit('master', files('create', before));
  await createBranch(world.as(owner), project.id, 'topic', 'master');
  await commit(
    'topic',
    Object.entries(after).map(([filePath, content]) => ({
      action: filePath in before ? 'update' : 'create',
      filePath,
      content,
    })),
  );
  const mergeRequest = await opened(world, project, owner);
  const id = toGlobalId('MergeRequest', mergeRequest.id);
  const version = async () => {
    const latest = await world.db.mergeRequestVersion.findFirstOrThrow({
      where: { mergeRequestId: mergeRequest.id },
      orderBy: { id: 'desc' },
    });
    const { baseCommitSha: baseSha, startCommitSha: startSha, headCommitSha: headSha } = latest;
    return { baseSha, startSha, headSha };
  };
  const shas = await version();
  const begin = async (line: object, of: object = shas) =>
    (await written(owner, { on: { id }, position: { ...of, newPath: 'a.txt', ...line } })).discussionId as string;
  /** Waits until the threads are traced to the head that the branch has now. */
  const traced = async (branch = 'topic') => {
    const reader = await world.repositories.open({ id: project.id, repositoryStorage: 'default' });
    const head = (await reader?.branch(branch))?.commit;
    await world.until(async () => (await version()).headSha === head);
    await world.idle();
    return version();
  };
  const update = async (content: string, filePath = 'a.txt') => {
    await commit('topic', [{ action: 'update', filePath, content }]);
    return traced();
  };
  return { project, mergeRequest, id, shas, begin, commit, traced, update, version };
}

describe('A thread on a line of a diff', () => {
  it('is on an added, a removed or a line near those, and shows it with what is above it', async () => {
    const { begin, shas } = await stage();
    const added = await thread(owner, await begin({ newLine: 21 }));
    const paths = { oldPath: 'a.txt', newPath: 'a.txt' };
    expect(added).toMatchObject({ resolvable: true, outdated: false });
    expect(added.position).toEqual({ ...shas, ...paths, oldLine: null, newLine: 21 });
    expect(added.truncatedDiffLines.at(-1)).toEqual({ type: 'ADDED', oldLine: null, newLine: 21, text: 'added' });
    expect(added.diffHunk).toBe(' line 18\n line 19\n line 20\n+added\n');
    const removed = await thread(owner, await begin({ oldLine: 25 }));
    expect(removed.position).toEqual({ ...shas, ...paths, oldLine: 25, newLine: null });
    expect(removed.diffHunk.endsWith('-line 25\n')).toBe(true);
    const near = await thread(owner, await begin({ newLine: 22 }));
    expect(near.position).toEqual({ ...shas, ...paths, oldLine: 21, newLine: 22 });
    expect(near.truncatedDiffLines.at(-1).type).toBe('UNCHANGED');
  });

  it('is resolved like others', async () => {
    const { begin } = await stage();
    const id = await begin({ newLine: 21 });
    expect((await resolve(owner, { id })).data.resolveDiscussion.discussion.resolved).toBe(true);
  });

  it('shows 16 lines at the most', async () => {
    const { begin } = await stage({ 'b.txt': 'b\n' }, { 'a.txt': numbered(1, 100) });
    const found = await thread(owner, await begin({ newLine: 50 }));
    expect(found.truncatedDiffLines.map(({ newLine }: { newLine: number }) => newLine)).toEqual(
      Array.from({ length: 16 }, (_, at) => 35 + at),
    );
  });

  /** A merge request to which nothing is added, for all of the next tests. */
  let refusing: ReturnType<typeof stage> | undefined;

  it.each([
    ['another head', { headSha: 'f'.repeat(40) }, 'headSha', 'is not the head of a version of the merge request'],
    ['another start', { startSha: 'f'.repeat(40) }, 'startSha', 'is not that of the version'],
    ['another base', { baseSha: 'f'.repeat(40) }, 'baseSha', 'is not that of the version'],
    ['a file that the version does not change', { newPath: 'b.txt' }, 'newPath', 'is not part of the diff'],
    ['no file', { newPath: null }, 'newPath', "can't be blank"],
    ['a line that the diff does not show', { newLine: 2 }, 'newLine', 'is not part of the diff'],
    ['a line that is not there', { newLine: 2_000_000 }, 'newLine', 'is not part of the diff'],
    ['line 0', { newLine: 0 }, 'newLine', 'is not part of the diff'],
    ['a line before the first', { newLine: null, oldLine: -1 }, 'oldLine', 'is not part of the diff'],
    ['lines that do not belong together', { oldLine: 10, newLine: 21 }, 'newLine', 'is not part of the diff'],
    ['no line', { newLine: null }, 'newLine', "can't be blank"],
  ])('is not on %s: the error names the field', async (_what, wrong, field, message) => {
    refusing ??= stage({ 'a.txt': BEFORE, 'b.txt': 'b\n' });
    const { id, shas, mergeRequest } = await refusing;
    const answer = await write(owner, { on: { id }, position: { ...shas, newPath: 'a.txt', newLine: 21, ...wrong } });
    expect(refusal(answer)).toEqual(['VALIDATION_FAILED', { [`input.position.${field}`]: [message] }]);
    expect(await world.db.note.count({ where: { subjectType: 'MergeRequest', subjectId: mergeRequest.id } })).toBe(0);
  });

  it('is not on binary files and those that are too large', async () => {
    const large = `${'x'.repeat(99)}\n`.repeat(12_000);
    const { id, shas } = await stage({ 'b.txt': 'b\n' }, { 'a.bin': 'a\0b\n', 'large.txt': large });
    const on = async (newPath: string) =>
      refusal(await write(owner, { on: { id }, position: { ...shas, newPath, newLine: 1 } }))[1];
    expect(await on('a.bin')).toEqual({ 'input.position.newPath': ['is a binary file'] });
    expect(await on('large.txt')).toEqual({ 'input.position.newPath': ['is too large to be compared'] });
  });

  it('is on merge requests only, and no answer', async () => {
    const { project, id, shas, begin } = await stage();
    const issue = await world.issue(project, owner);
    const position = { ...shas, newPath: 'a.txt', newLine: 21 };
    const [code, fields] = refusal(await write(owner, { on: { id: toGlobalId('Issue', issue.id) }, position }));
    expect([code, Object.keys(fields ?? {})]).toEqual(['VALIDATION_FAILED', ['input.position']]);
    const discussionId = await begin({ newLine: 21 });
    expect(refusal(await write(owner, { on: { id }, position, discussionId }))[0]).toBe('VALIDATION_FAILED');
  });
});

describe('With a new version a thread', () => {
  it('follows its line when lines are added above it', async () => {
    const { begin, update } = await stage();
    const ids = [await begin({ newLine: 10 }), await begin({ newLine: 21 }), await begin({ newLine: 22 })];
    const now = await update(`new 1\nnew 2\n${AFTER}`);
    const found = await Promise.all(ids.map((id) => thread(owner, id)));
    expect(found.map(({ position, outdated }) => [position.newLine, position.oldLine, outdated])).toEqual([
      [12, null, false],
      [23, null, false],
      [24, 21, false],
    ]);
    expect(found[0].position).toMatchObject(now);
    expect(found[0].originalPosition).toMatchObject({ newLine: 10 });
  });

  it('is outdated when its line is changed, and shows what it was on for ever', async () => {
    const { begin, update, shas } = await stage();
    const [changed, kept] = [await begin({ newLine: 10 }), await begin({ newLine: 21 })];
    await update(AFTER.replace('changed 10', 'changed 10 again'));
    const found = await thread(owner, changed);
    expect(found).toMatchObject({
      outdated: true,
      position: { ...shas, newLine: 10 },
      originalPosition: { newLine: 10 },
    });
    expect(found.diffHunk.endsWith('+changed 10\n')).toBe(true);
    expect(await thread(owner, kept)).toMatchObject({ outdated: false, position: { newLine: 21 } });
    await update(AFTER);
    expect(await thread(owner, changed)).toMatchObject({ outdated: true, position: { ...shas, newLine: 10 } });
  });

  it('is outdated when its line, or its file, is removed', async () => {
    const { begin, update, commit, traced } = await stage();
    const [line, file] = [await begin({ newLine: 21 }), await begin({ newLine: 10 })];
    await update(AFTER.replace('added\n', ''));
    expect([await thread(owner, line), await thread(owner, file)]).toMatchObject([
      { outdated: true },
      { outdated: false },
    ]);
    await commit('topic', [{ action: 'delete', filePath: 'a.txt' }]);
    await traced();
    expect(await thread(owner, file)).toMatchObject({ outdated: true, position: { newLine: 10 } });
  });

  it('follows a removed line, until it is put back', async () => {
    const { begin, update } = await stage();
    const id = await begin({ oldLine: 25 });
    await update(`new\n${AFTER}`);
    expect(await thread(owner, id)).toMatchObject({ outdated: false, position: { oldLine: 25, newLine: null } });
    await update(AFTER.replace('line 26\n', 'line 25\nline 26\n'));
    expect(await thread(owner, id)).toMatchObject({ outdated: true });
  });

  it('follows a removed line when the target branch gets lines above it and is merged into the source', async () => {
    const { project, begin, commit, traced } = await stage();
    const [removed, added] = [await begin({ oldLine: 25 }), await begin({ newLine: 21 })];
    await commit('master', [{ action: 'update', filePath: 'a.txt', content: `top\n${BEFORE}` }]);
    // As a merge does it: both sides are in the file, and the base moves.
    const work = await world.db.mergeRequest.findFirstOrThrow({ where: { targetProjectId: project.id } });
    const directory = world.repositories.directory(project);
    const tree = git(directory, ['merge-tree', '--write-tree', 'topic', 'master']).toString().trim();
    const parents = ['-p', 'topic', '-p', 'master'];
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
    const merge = git(directory, [...identity, 'commit-tree', tree, ...parents, '-m', 'Merge'])
      .toString()
      .trim();
    await createBranch(world.as(owner), project.id, 'merged', merge);
    await world.db.mergeRequest.update({ where: { id: work.id }, data: { sourceBranch: 'merged' } });
    await commit('merged', [{ action: 'create', filePath: 'c.txt', content: 'c\n' }]);
    const now = await traced('merged');
    expect(await thread(owner, removed)).toMatchObject({ outdated: false, position: { ...now, oldLine: 26 } });
    expect(await thread(owner, added)).toMatchObject({ outdated: false, position: { newLine: 22, oldLine: null } });
  });

  it('follows its line to where its file was renamed', async () => {
    const { begin, commit, traced } = await stage();
    const id = await begin({ newLine: 21 });
    const content = `new\n${AFTER}`;
    await commit('topic', [{ action: 'move', filePath: 'dir/b.txt', previousPath: 'a.txt', content }]);
    await traced();
    const found = await thread(owner, id);
    expect(found).toMatchObject({ outdated: false, originalPosition: { newPath: 'a.txt', newLine: 21 } });
    expect(found.position).toMatchObject({ oldPath: 'a.txt', newPath: 'dir/b.txt', newLine: 22, oldLine: null });
  });

  it('follows its line through a push by force', async () => {
    const { project, begin, traced, shas } = await stage();
    const [kept, lost] = [await begin({ newLine: 21 }), await begin({ newLine: 10 })];
    const url = world.url.replace('//', `//${owner.username}:${owner.token}@`);
    const directory = await clone(`${url}/${project.fullPath}.git`, '--branch', 'topic');
    await run(directory, 'reset', '--quiet', '--hard', 'origin/master');
    const content = AFTER.replace('changed 10', 'line 10').replace('line 1\n', 'first\nline 1\n');
    writeFileSync(path.join(directory, 'a.txt'), content);
    await run(directory, 'commit', '--quiet', '-am', 'Another way');
    await run(directory, 'push', '--quiet', '--force', 'origin', 'topic');
    expect((await traced()).headSha).not.toBe(shas.headSha);
    expect(await thread(owner, kept)).toMatchObject({ outdated: false, position: { newLine: 22 } });
    expect(await thread(owner, lost)).toMatchObject({ outdated: true, position: { ...shas, newLine: 10 } });
  });

  it('follows its line when another branch becomes the target', async () => {
    const { project, mergeRequest, begin, traced } = await stage();
    const id = await begin({ newLine: 22 });
    await createBranch(world.as(owner), project.id, 'stable', 'master');
    await world.api(owner).post(`/projects/${project.id}/repository/files/z.txt`, {
      branch: 'stable',
      content: 'z',
      commit_message: 'Z',
    });
    await world
      .api(owner)
      .put(`/projects/${project.id}/merge_requests/${mergeRequest.iid}`, { target_branch: 'stable' });
    const now = await traced();
    expect((await thread(owner, id)).position).toMatchObject({ ...now, newLine: 22, oldLine: 21 });
  });

  it('is outdated when its file gets too large, or binary', async () => {
    const { begin, update } = await stage({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, { 'a.txt': 'a\nb\n', 'b.txt': 'b\nc\n' });
    const [large, binary] = [await begin({ newLine: 2 }), await begin({ newPath: 'b.txt', newLine: 2 })];
    await update(`a\nb\n${`${'x'.repeat(99)}\n`.repeat(12_000)}`);
    await update('b\nc\n\0\n', 'b.txt');
    for (const id of [large, binary]) expect(await thread(owner, id)).toMatchObject({ outdated: true });
  });

  it('that is begun on a version before is moved to the latest at once', async () => {
    const { begin, update, shas } = await stage();
    const now = await update(`new\n${AFTER}`);
    const id = await begin({ newLine: 21 }, shas);
    await world.idle();
    expect(await thread(owner, id)).toMatchObject({ outdated: false, position: { ...now, newLine: 22 } });
  });

  it('comes to the same place when two versions come at once, and two processes trace it', async () => {
    const { mergeRequest, begin, commit, traced } = await stage();
    const ids = await Promise.all([21, 22, 10].map((newLine) => begin({ newLine })));
    const stores = { db: world.db, repositories: world.repositories };
    await commit('topic', [{ action: 'update', filePath: 'a.txt', content: `one\n${AFTER}` }]);
    await commit('topic', [{ action: 'update', filePath: 'a.txt', content: `two\none\n${AFTER}` }]);
    await Promise.all([1, 2, 3].map(() => traceDiscussions(stores, mergeRequest.id)));
    const now = await traced();
    await Promise.all([1, 2, 3].map(() => traceDiscussions(stores, mergeRequest.id)));
    const found = await Promise.all(ids.map((id) => thread(owner, id)));
    expect(found.map(({ position }) => position.newLine)).toEqual([23, 24, 12]);
    for (const { position } of found) expect(position).toMatchObject(now);
  });
});
