import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import type { SourcedDiff } from '#src/domain/repository/shown_diff.ts';
import { keptDiff } from '#src/domain/tracking/merge_requests/kept_diffs.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Diff } from '#src/git/diff/diff.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const version = alias('MergeRequestVersion', 'v');
const LATEST_FIRST = order('MergeRequestVersion', ['id'], 'desc');

/** The commits of a version, with the project of their repository. The caller may read the merge request. */
export interface VersionCommits {
  headCommitSha: Oid;
  baseCommitSha: Oid | null;
  startCommitSha: Oid;
  project: ProjectRow;
}

/** Maximum number of commits that a version shows. */
const MAX_COMMITS = 5_000;

/** The versions of each merge request, latest first, in one statement. The caller has checked that they are readable. */
export async function listVersions<R>(
  { db }: Context,
  mergeRequestIds: readonly number[],
  page: PageRequest,
  selection: Selection<'MergeRequestVersion', R>,
): Promise<Page<R>[]> {
  const pageOf = ({ id }: Asked<{ id: number }>) => {
    const where = sql`${version.mergeRequestId} = ${id}`;
    return pageOfRows(selection, { rows: version, where, order: LATEST_FIRST }, page);
  };
  const parents = mergeRequestIds.map((id) => ({ id }));
  return readPages<R>(db, page, perParent(parents, { id: 'int' }, pageOf));
}

/** A version of a merge request by ID. Throws NotFound. */
export async function findVersion<R>(
  { db }: Context,
  mergeRequestId: number,
  id: number,
  selection: Selection<'MergeRequestVersion', R>,
): Promise<R> {
  const where = sql`${version.mergeRequestId} = ${mergeRequestId} AND ${version.id} = ${id}`;
  const found = await readRow(db, selection, { rows: version, where });
  if (!found) throw new NotFound('MergeRequestVersion');
  return found;
}

const OWNED = select('MergeRequestVersion', { id: true, mergeRequestId: true });

/**
 * The versions with these IDs that the actor may see, in no particular order.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findVersionsByIds<R>(
  { db, actor }: Context,
  ids: readonly number[],
  selection: Selection<'MergeRequestVersion', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  const where = sql`${version.id} = ANY(${[...ids]}::int[])`;
  const found = await readRows(db, selection.with(OWNED), { rows: version, where });
  const mergeRequestIds = found.map(({ mergeRequestId }) => mergeRequestId);
  const targets = await db.mergeRequest.findMany({
    where: { id: { in: mergeRequestIds } },
    select: { id: true, targetProjectId: true },
  });
  const projects = new Map(
    await Promise.all(targets.map(async ({ id, targetProjectId }) => [id, await projectOf(targetProjectId)] as const)),
  );
  return found.filter(({ mergeRequestId }) => {
    const project = projects.get(mergeRequestId);
    return project != null && can(actor, 'read_merge_request', project);
  });
}

/** A page of the commits of a version, newest first. Throws RateLimited. */
export async function versionCommits(
  context: Context,
  version: VersionCommits | null,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<CommitRow>> {
  const repository = version && (await context.repositories.open(version.project));
  if (!repository) return { nodes: [], offset, total: 0 };
  const { headCommitSha: head, project } = version;
  const from = await bound(repository, version);
  return withEffort(context, async () => {
    if (from === null) {
      const commits = limit > 0 ? await repository.log({ start: head }, { limit, offset }) : [];
      const nodes = commits.map((commit) => ({ ...commit, project, repository }));
      return { nodes, offset, total: withTotal ? await repository.count({ start: head }) : null };
    }
    const [commits, total] = await Promise.all([
      limit > 0 ? repository.between(from, head, { limit, offset }) : [],
      withTotal ? repository.countBetween(from, head) : null,
    ]);
    return { nodes: commits.map((commit) => ({ ...commit, project, repository })), offset, total };
  });
}

/** All of them, newest first, up to a limit. Throws RateLimited. */
export async function firstCommits(context: Context, version: VersionCommits): Promise<CommitRow[]> {
  return (await versionCommits(context, version, { limit: MAX_COMMITS, offset: 0, withTotal: false })).nodes;
}

/** The commit that excludes others from those of a version: the tip of the target branch, or the base if that is gone. */
async function bound(repository: RepositoryReader, version: VersionCommits): Promise<Oid | null> {
  if ((await repository.commit(version.startCommitSha)) !== null) return version.startCommitSha;
  return version.baseCommitSha;
}

const NO_DIFF: Diff = { entries: [], additions: 0, deletions: 0, overflow: false };

/** The changes of a version since the merge base, with the limits of comparisons. Throws RateLimited, LimitExceeded. */
export async function versionDiff(context: Context, version: VersionCommits | null): Promise<SourcedDiff> {
  const repository = version && (await context.repositories.open(version.project));
  if (!repository) return NO_DIFF;
  const { baseCommitSha, startCommitSha, headCommitSha } = version;
  // Unrelated histories are compared directly.
  return sourced(context, repository, baseCommitSha ?? startCommitSha, headCommitSha);
}

/** A version of a merge request by the head that it had. */
export interface VersionHead {
  mergeRequestId: number;
  headSha: Oid;
}

/** Whether each of the heads is one that the merge request had, in one statement. */
export async function areHeads({ db }: Context, heads: readonly VersionHead[]): Promise<boolean[]> {
  const found = await db.mergeRequestVersion.findMany({
    where: {
      mergeRequestId: { in: [...new Set(heads.map(({ mergeRequestId }) => mergeRequestId))] },
      headCommitSha: { in: [...new Set(heads.map(({ headSha }) => headSha))] },
    },
    select: { mergeRequestId: true, headCommitSha: true },
  });
  const known = new Set(found.map(({ mergeRequestId, headCommitSha }) => `${mergeRequestId} ${headCommitSha}`));
  return heads.map(({ mergeRequestId, headSha }) => known.has(`${mergeRequestId} ${headSha}`));
}

/**
 * The changes from an earlier head of a merge request to that of a version, with the limits of comparisons. The caller has checked
 * that both are its heads (`areHeads`). Throws RateLimited, LimitExceeded.
 */
export async function diffSince(
  context: Context,
  { project, headCommitSha }: Pick<VersionCommits, 'project' | 'headCommitSha'>,
  headSha: Oid,
): Promise<SourcedDiff> {
  const repository = await context.repositories.open(project);
  return repository ? sourced(context, repository, headSha, headCommitSha) : NO_DIFF;
}

async function sourced(context: Context, repository: RepositoryReader, from: Oid, oid: Oid): Promise<SourcedDiff> {
  const diff = await withEffort(context, () => keptDiff(repository, from, oid));
  return { ...diff, source: { repository, oid } };
}
