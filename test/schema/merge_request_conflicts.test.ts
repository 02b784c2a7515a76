import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { protectBranch } from '#src/domain/repository/branches/protect.ts';
import { resolveConflicts } from '#src/domain/tracking/merge_requests/resolve_conflicts.ts';
import { lines, withConflicts } from '../support/conflicts.ts';
import { git, gitLines } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { commitTo, opened } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const reporter = await world.user();
const outsider = await world.user();

const QUERY = `query ($project: ProjectRef!, $iid: Int!) {
  project(ref: $project) {
    mergeRequest(iid: $iid) {
      detailedMergeStatus viewerCanResolveConflicts
      conflicts {
        sourceSha targetSha resolvable defaultMessage
        files { path kind resolvable regionCount text parts { text ours theirs } }
      }
    }
  }
}`;

const RESOLVE = `mutation ($input: ResolveConflictsInput!) {
  resolveConflicts(input: $input) { mergeRequest { sha detailedMergeStatus conflicts { sourceSha } } }
}`;

async function stage({ visibility = 'private' }: { visibility?: 'private' | 'public' } = {}) {
  const project = await world.project({ owner, visibility });
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  const { iid } = await withConflicts(world, project, owner);
  await world.idle();
  return { project, iid, directory: world.repositories.directory(project) };
}

async function seen({ project, iid }: { project: Pick<ProjectRow, 'fullPath'>; iid: number }, who: TestUser) {
  const { body } = await world.graphql(QUERY, { project: project.fullPath, iid }, who);
  return { mergeRequest: body.data?.project?.mergeRequest, errors: body.errors };
}

/** The code of the error, or null, and the message. */
async function resolve(
  { project, iid }: { project: Pick<ProjectRow, 'fullPath'>; iid: number },
  who: TestUser,
  input: object,
) {
  const { body } = await world.graphql(RESOLVE, { input: { project: project.fullPath, iid, ...input } }, who);
  const [error] = body.errors ?? [];
  return {
    code: error?.extensions?.code ?? null,
    message: error?.message ?? null,
    mergeRequest: body.data?.resolveConflicts?.mergeRequest,
  };
}

const FILES = [
  { path: 'a.txt', choices: ['OURS', 'THEIRS'] },
  { path: 'd/b.txt', text: 'resolved\n' },
];

describe('The conflicts of a merge request', () => {
  it('are its files in their regions, with the text of both branches, for those who can push to the source branch', async () => {
    const at = await stage();
    const [source, target] = gitLines(at.directory, ['rev-parse', 'topic', 'master']);
    const { mergeRequest, errors } = await seen(at, developer);
    expect(errors).toBeUndefined();
    expect(mergeRequest).toMatchObject({ detailedMergeStatus: 'CONFLICT', viewerCanResolveConflicts: true });
    expect(mergeRequest.conflicts).toMatchObject({
      ...{
        sourceSha: source,
        targetSha: target,
        resolvable: true,
        defaultMessage: "Merge branch 'master' into 'topic'",
      },
      files: [
        {
          ...{ path: 'a.txt', kind: 'TEXT', resolvable: true, regionCount: 2 },
          parts: [
            { text: 'one\n', ours: null, theirs: null },
            { text: null, ours: 'TWO\n', theirs: 'zwei\n' },
            { text: 'three\nfour\nfive\nsix\n', ours: null, theirs: null },
            { text: null, ours: 'SEVEN\n', theirs: 'sieben\n' },
            { text: 'eight\n', ours: null, theirs: null },
          ],
        },
        { path: 'd/b.txt', text: '<<<<<<< topic\nours\n=======\ntheirs\n>>>>>>> master\n' },
      ],
    });
  });

  it('are kept from those who cannot push to the source branch', LONG, async () => {
    const at = await stage({ visibility: 'public' });
    for (const who of [reporter, outsider]) {
      const { mergeRequest, errors } = await seen(at, who);
      expect([mergeRequest.conflicts, mergeRequest.viewerCanResolveConflicts]).toEqual([null, false]);
      expect(errors[0]).toMatchObject({ extensions: { code: 'FORBIDDEN' } });
    }
    await world.db.project.update({ where: { id: at.project.id }, data: { archived: true } });
    expect((await seen(at, owner)).errors[0]).toMatchObject({ extensions: { code: 'FORBIDDEN' } });
  });

  it('are none where the branches can be merged, and name what is not resolved here', LONG, async () => {
    const { project, directory } = await stage();
    await commitTo(world, project, owner, 'topic', 'e.txt');
    git(directory, ['branch', 'clean', 'master']);
    await commitTo(world, project, owner, 'clean', 'f.txt');
    const clean = await opened(world, project, owner, { sourceBranch: 'clean' });
    expect((await seen({ project, iid: clean.iid }, owner)).mergeRequest.conflicts).toBeNull();
    git(directory, ['branch', 'bytes', 'master']);
    await commitTo(world, project, owner, 'bytes', 'c.txt', '\0');
    await commitTo(world, project, owner, 'master', 'c.txt', '\0\0');
    const bytes = await opened(world, project, owner, { sourceBranch: 'bytes' });
    await world.idle();
    const { conflicts } = (await seen({ project, iid: bytes.iid }, owner)).mergeRequest;
    expect(conflicts).toMatchObject({
      resolvable: false,
      files: [{ path: 'c.txt', kind: 'BINARY', resolvable: false, regionCount: 0, text: null, parts: [] }],
    });
    const { sourceSha, targetSha } = conflicts;
    const files = [{ path: 'c.txt', text: 'x' }];
    expect(await resolve({ project, iid: bytes.iid }, owner, { sourceSha, targetSha, files })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('c.txt cannot be resolved here'),
    });
  });
});

describe('Resolving them', () => {
  it('merges the target branch into the source branch as a push of the caller', LONG, async () => {
    const at = await stage();
    const { project, directory, iid } = at;
    const { sourceSha, targetSha } = (await seen(at, developer)).mergeRequest.conflicts;
    const versions = () =>
      world.db.mergeRequestVersion.count({ where: { mergeRequest: { targetProjectId: project.id, iid } } });
    const before = await versions();
    const made = await resolve(at, developer, { sourceSha, targetSha, files: FILES, message: 'Take both' });
    expect(made).toMatchObject({ code: null, mergeRequest: { detailedMergeStatus: 'MERGEABLE', conflicts: null } });
    const tip = git(directory, ['rev-parse', 'topic']).trim();
    expect(made.mergeRequest.sha).toBe(tip);
    expect(git(directory, ['log', '-1', '--format=%P|%an|%cn|%s', tip]).trim()).toBe(
      `${sourceSha} ${targetSha}|Name of ${developer.username}|Name of ${developer.username}|Take both`,
    );
    expect(git(directory, ['show', `${tip}:a.txt`])).toBe(lines({ 1: 'TWO', 6: 'sieben' }));
    expect(git(directory, ['show', `${tip}:d/b.txt`])).toBe('resolved\n');
    expect(git(directory, ['show', `${tip}:c.txt`])).toBe('c\n');
    expect(git(directory, ['fsck', '--strict'])).toBe('');
    expect(await versions()).toBe(before + 1);
    const event = await world.db.event.findFirstOrThrow({
      where: { projectId: project.id, authorId: developer.id, action: 'pushed to' },
    });
    expect(event.data).toMatchObject({ before: sourceSha, after: tip, ref: 'refs/heads/topic' });
    const { body } = await world.api(owner).put(`/projects/${project.id}/merge_requests/${iid}/merge`);
    expect(body.state).toBe('merged');
  });

  it('is refused where a branch has moved since they were shown, and changes nothing', LONG, async () => {
    const at = await stage();
    const { sourceSha, targetSha } = (await seen(at, owner)).mergeRequest.conflicts;
    for (const branch of ['master', 'topic']) {
      await commitTo(world, at.project, owner, branch, `${branch}.txt`);
      const tip = git(at.directory, ['rev-parse', 'topic']);
      expect(await resolve(at, owner, { sourceSha, targetSha, files: FILES })).toMatchObject({ code: 'CONFLICT' });
      expect(git(at.directory, ['rev-parse', 'topic'])).toBe(tip);
    }
  });

  it('needs a resolution for each file and each region, without marks of conflicts', LONG, async () => {
    const at = await stage();
    const { sourceSha, targetSha, files: shown } = (await seen(at, owner)).mergeRequest.conflicts;
    const [a, b] = FILES;
    const tip = git(at.directory, ['rev-parse', 'topic']);
    for (const [files, message] of [
      [[a], 'd/b.txt is not resolved'],
      [[a, b, { path: 'c.txt', text: '' }], 'c.txt has no conflicts'],
      [[{ path: 'a.txt', choices: ['OURS'] }, b], 'a.txt has 2 regions, and 1 choices were given'],
      [[a, { path: 'd/b.txt', text: shown[1].text }], 'd/b.txt still has conflict markers'],
      [[a, { path: 'd/b.txt' }], 'd/b.txt needs either choices or a text'],
      [[a, { path: 'd/b.txt', text: 'x', choices: [] }], 'd/b.txt needs either choices or a text'],
      [[a, b, b], 'd/b.txt is given twice'],
      [Array.from({ length: 101 }, (_, n) => ({ path: `${n}`, text: '' })), 'has too many entries'],
    ] as const) {
      const { code, message: said } = await resolve(at, owner, { sourceSha, targetSha, files });
      expect([code, said]).toEqual(['VALIDATION_FAILED', expect.stringContaining(message)]);
    }
    const long = { sourceSha, targetSha, files: [{ path: 'd/b.txt', text: 'x'.repeat(524_289) }] };
    await expect(resolveConflicts(world.as(owner), at.project.id, at.iid, long)).rejects.toThrow('d/b.txt is too long');
    expect(await resolve(at, owner, { sourceSha, targetSha, files: FILES, message: 'x'.repeat(65_537) })).toMatchObject(
      {
        code: 'VALIDATION_FAILED',
      },
    );
    expect(git(at.directory, ['rev-parse', 'topic'])).toBe(tip);
  });

  it(
    'is for those who can push to the source branch alone, by its protection, by push rules and as things are now',
    LONG,
    async () => {
      const at = await stage({ visibility: 'public' });
      const { project, directory } = at;
      const { sourceSha, targetSha } = (await seen(at, owner)).mergeRequest.conflicts;
      const input = { sourceSha, targetSha, files: FILES };
      const tip = git(directory, ['rev-parse', 'topic']);
      for (const who of [reporter, outsider])
        expect(await resolve(at, who, input)).toMatchObject({ code: 'FORBIDDEN' });
      const membership = { userId: developer.id, projectId: project.id };
      const kept = await world.db.member.findFirstOrThrow({ where: membership });
      await world.db.member.delete({ where: { id: kept.id } });
      expect(await resolve(at, developer, input)).toMatchObject({ code: 'FORBIDDEN' });
      await world.db.member.create({ data: kept });
      await protectBranch(world.as(owner), project.id, 'topic', {});
      expect(await resolve(at, developer, input)).toMatchObject({ code: 'FORBIDDEN' });
      expect((await seen(at, developer)).mergeRequest.viewerCanResolveConflicts).toBe(false);
      const rule = { commit_message_regex: '^[A-Z]+-\\d+' };
      expect((await world.api(owner).post(`/projects/${project.id}/push_rule`, rule)).status).toBe(201);
      expect(await resolve(at, owner, input)).toMatchObject({ code: 'BAD_REQUEST' });
      await world.db.mergeRequest.updateMany({ where: { targetProjectId: project.id }, data: { state: 'closed' } });
      expect(await resolve(at, owner, { ...input, message: 'ABC-1 Merge' })).toMatchObject({ code: 'CONFLICT' });
      expect((await seen(at, owner)).mergeRequest).toMatchObject({ conflicts: null, viewerCanResolveConflicts: false });
      await world.db.mergeRequest.updateMany({ where: { targetProjectId: project.id }, data: { state: 'opened' } });
      expect(git(directory, ['rev-parse', 'topic'])).toBe(tip);
      expect(await resolve(at, owner, { ...input, message: 'ABC-1 Merge' })).toMatchObject({ code: null });
    },
  );

  it(
    'in a fork takes the commits of the target branch over, for its developers and those with whom it shares the branch',
    LONG,
    async () => {
      const target = await world.project({ owner, visibility: 'public' });
      await world.member(target, developer, 'developer');
      await commitTo(world, target, owner, 'master', 'a.txt', lines());
      await world.api(owner).put(`/projects/${target.id}/repository/branches/master/unprotect`);
      const forker = await world.user();
      const { body: fork } = await world.api(forker).post(`/projects/${target.id}/fork`);
      await world.idle();
      const place = { id: Number(fork.id), fullPath: String(fork.path_with_namespace) };
      await world.api(forker).post(`/projects/${place.id}/repository/branches`, { branch: 'topic', ref: 'master' });
      await commitTo(world, place, forker, 'topic', 'a.txt', lines({ 1: 'TWO' }));
      await commitTo(world, target, owner, 'master', 'a.txt', lines({ 1: 'zwei' }));
      const { body: made } = await world.api(forker).post(`/projects/${place.id}/merge_requests`, {
        ...{ title: 'From a fork', source_branch: 'topic', target_branch: 'master', target_project_id: target.id },
      });
      await world.idle();
      const at = { project: target, iid: Number(made.iid) };
      const { sourceSha, targetSha } = (await seen(at, forker)).mergeRequest.conflicts;
      const input = { sourceSha, targetSha, files: [{ path: 'a.txt', choices: ['BOTH'] }] };
      expect(await resolve(at, developer, input)).toMatchObject({ code: 'FORBIDDEN' });
      await world.db.mergeRequest.updateMany({
        where: { targetProjectId: target.id },
        data: { allowCollaboration: true },
      });
      expect((await seen(at, developer)).mergeRequest.viewerCanResolveConflicts).toBe(true);
      expect(await resolve(at, developer, input)).toMatchObject({
        code: null,
        mergeRequest: { detailedMergeStatus: 'MERGEABLE' },
      });
      const directory = world.repositories.directory({ id: place.id, repositoryStorage: 'default' });
      expect(git(directory, ['show', 'topic:a.txt'])).toBe(lines({ 1: 'TWO\nzwei' }));
      expect(git(directory, ['log', '-1', '--format=%P', 'topic']).trim()).toBe(`${sourceSha} ${targetSha}`);
      expect(git(directory, ['fsck', '--strict'])).toBe('');
    },
  );
});
