import { type ChangeContext, recordChange, recordSubjectChanges } from '#src/domain/changes/record.ts';
import { ErrorCollector } from '#src/domain/repository/each.ts';
import { titleOf } from '#src/domain/repository/find_commit.ts';
import { withRepositoryLock } from '#src/domain/repository/lock.ts';
import { storable } from '#src/domain/repository/push_data.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import { withCommits } from '#src/domain/repository/take_commits.ts';
import { syncCodeOwners } from '#src/domain/tracking/merge_requests/code_owners.ts';
import { isStale } from '#src/domain/tracking/merge_requests/computed_fields.ts';
import { linksOfMerge } from '#src/domain/tracking/merge_requests/link_lfs.ts';
import { markMerged, markMergedBy } from '#src/domain/tracking/merge_requests/mark_merged.ts';
import { mergeStatus } from '#src/domain/tracking/merge_requests/merge_status.ts';
import { hasTarget } from '#src/domain/tracking/merge_requests/mergeable.ts';
import { requestPipeline } from '#src/domain/tracking/merge_requests/request_pipeline.ts';
import { type SideTips, sideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import { mayBringCommits } from '#src/domain/tracking/merge_requests/source.ts';
import { hasCommits, measureVersion, recordVersion } from '#src/domain/tracking/merge_requests/version.ts';
import { removeApprovals } from '#src/domain/tracking/reviews/approvals.ts';
import { Damaged } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Jobs } from '#src/platform/background/queue.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { BadRequest, NotFound, Unavailable } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const mergeRequest = alias('MergeRequest', 'mr');

/** How many merge requests are loaded per statement. */
const BATCH_SIZE = 200;

/** How often a merge request is checked again if it is changed concurrently. */
const ATTEMPTS = 10;

/** Milliseconds that copying the commits of one merge request may take in the background. */
const COPY_TIMEOUT_MS = 10 * 60_000;

/** Updates merge requests after their branches have moved, one after another, however many there are of a branch. */
export async function refreshMergeRequests(
  stores: WithRepositories & ChangeContext,
  wanted: Jobs['merge_requests.refresh'],
): Promise<void> {
  const { userId } = wanted;
  const refresh = (id: number) => refreshMergeRequest(stores, id, userId).catch((error) => spare(stores, error));
  if (wanted.mergeRequestId !== undefined) return refresh(wanted.mergeRequestId);
  const each = new ErrorCollector('merge requests');
  for (let last = 0; ; ) {
    const rows = await stores.db.$queryRaw<{ id: number }[]>`
      SELECT ${mergeRequest.id} FROM ${table(mergeRequest)} WHERE ${mergeRequest.state} = 'opened' AND ${mergeRequest.id} > ${last}
        AND ${which(wanted)} ORDER BY ${mergeRequest.id} LIMIT ${BATCH_SIZE}`;
    await each.run(rows, ({ id }) => refresh(id));
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH_SIZE) break;
  }
  each.end();
}

function which({ projectId, branches }: Jobs['merge_requests.refresh']): Prisma.Sql {
  const { sourceProjectId, sourceBranch, targetProjectId, targetBranch } = mergeRequest;
  if (projectId === undefined) return isStale(mergeRequest);
  if (branches === undefined) return sql`${sourceProjectId} = ${projectId}`;
  return sql`((${sourceProjectId} = ${projectId} AND ${sourceBranch} = ANY(${branches}::text[]))
    OR (${targetProjectId} = ${projectId} AND ${targetBranch} = ANY(${branches}::text[])))`;
}

/**
 * "gantry fsck" reports unreadable repositories: a retry would not help. Branches and projects that were deleted meanwhile cause
 * a refresh of their own.
 */
function spare({ repositories }: WithRepositories & ChangeContext, error: unknown): void {
  if (error instanceof BadRequest || error instanceof NotFound) return;
  if (!(error instanceof Damaged)) throw error;
  repositories.reportDamage(error);
}

/**
 * Updates a merge request: merged, if its commits are in the target branch; a new version, if its source branch has moved; and
 * whether it can be merged. Idempotent, also if several processes do it concurrently.
 *
 * @param userId who moved a branch; the author of the merge request when absent
 */
export async function refreshMergeRequest(
  stores: WithRepositories & ChangeContext,
  id: number,
  userId?: number,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (await refreshOnce(stores, id, userId)) return;
  }
  throw new Unavailable('The merge request changes all the time. Try again later.', 1);
}

/** Returns false if it was changed concurrently, possibly based on an earlier state of the source branch. */
async function refreshOnce(stores: WithRepositories & ChangeContext, id: number, userId?: number): Promise<boolean> {
  const sides = await sideTips(stores, id);
  if (sides?.mergeRequest.state !== 'opened') return true;
  if (await hasArrived(stores, sides)) return true;
  const actor = { id: await knownUser(stores, userId, sides.mergeRequest.authorId) };
  if (await isMerged(sides)) {
    const { sha } = sides.mergeRequest;
    const links = await linksOfMerge(stores.db, sides);
    await stores.db.$transaction((tx) => markMerged(tx, stores, actor, { id, sha, project: sides.target }, links));
    return true;
  }
  const { sourceTip } = sides;
  const { sha } = sides.mergeRequest;
  const outcome = sourceTip === null || sourceTip === sha ? null : await addVersion(stores, sides, sourceTip, actor);
  if (outcome !== 'changed') await syncCodeOwners(stores, sides);
  return outcome !== 'changed' && recordStatus(stores, sides, outcome === 'added' ? sourceTip : sha, actor);
}

/** Whether a merge that a crash left unrecorded is on the target branch; then records it. */
async function hasArrived(stores: WithRepositories & ChangeContext, sides: SideTips): Promise<boolean> {
  const { mergeRequest, reader, target, targetTip } = sides;
  const { id, iid, mergingCommitSha: oid } = mergeRequest;
  if (oid === null || targetTip === null || (await reader.commit(oid)) === null) return false;
  if (!(await reader.isAncestor(oid, targetTip))) return false;
  const links = await linksOfMerge(stores.db, sides);
  await stores.db.$transaction((tx) => markMergedBy(tx, stores, { id, iid, project: target }, oid, links));
  return true;
}

async function knownUser(
  { db }: WithRepositories & ChangeContext,
  userId: number | undefined,
  authorId: number,
): Promise<number> {
  const user = userId === undefined ? null : await db.user.findUnique({ where: { id: userId }, select: { id: true } });
  return user?.id ?? authorId;
}

/** Whether the target branch now contains everything to be merged, after it did not before. */
export async function isMerged({
  mergeRequest: { sha },
  version,
  reader,
  sourceTip,
  targetTip,
}: SideTips): Promise<boolean> {
  if (sha === null || targetTip === null || !version) return false;
  if (version.headCommitSha !== sha || !hasCommits({ head: sha, base: version.baseCommitSha })) return false;
  const has = async (oid: Oid) => (await reader.commit(oid)) !== null && (await reader.isAncestor(oid, targetTip));
  // A source branch that has moved on has more to merge.
  return (await has(sha)) && (sourceTip === null || sourceTip === sha || (await has(sourceTip)));
}

/** `refused` if the source's commits may not, or cannot, be added to the merge request; `changed` after a concurrent change. */
async function addVersion(
  stores: WithRepositories & ChangeContext,
  { mergeRequest, source, target, reader, targetTip, version }: SideTips,
  head: Oid,
  actor: { id: number },
): Promise<'added' | 'refused' | 'changed'> {
  const start = targetTip ?? version?.startCommitSha ?? null;
  if (!source || start === null || (await reader.commit(start)) === null) return 'refused';
  if (!(await mayBringCommits(stores.db, mergeRequest))) return 'refused';
  const { id, iid, sha, sourceBranch } = mergeRequest;
  const since = new Date();
  return withCommits(stores, { source, target, oids: [head] }, COPY_TIMEOUT_MS, async (keepLock) => {
    const measured = await measureVersion(reader, { head, start });
    const added = await addedCommits(reader, sha, head);
    return withRepositoryLock(stores.db, target.id, async (tx) => {
      const [row] = await tx.$queryRaw<{ title: string }[]>`
        SELECT title FROM merge_requests WHERE id = ${id} AND state = 'opened' AND sha IS NOT DISTINCT FROM ${sha}
          AND source_branch = ${sourceBranch} FOR UPDATE`;
      if (!row) return 'changed';
      // Detaching the fork closes the merge request first, and waits for this.
      if (!(await mayBringCommits(tx, mergeRequest))) return 'refused';
      await tx.mergeRequest.update({
        where: { id },
        data: { sha: head, mergeWhenPipelineSucceeds: false, mergeError: null, updatedAt: since },
      });
      await recordVersion(stores, tx, { id, iid, target }, measured, keepLock);
      await stores.jobs?.enqueue(tx, 'merge_requests.trace_notes', { mergeRequestId: id });
      await requestPipeline(tx, stores, { mergeRequestId: id, sha: head, userId: actor.id });
      const subject = { type: 'MergeRequest', id, iid, title: row.title, project: target } as const;
      await recordSubjectChanges(tx, stores, actor, subject, [{ kind: 'commits', ...added }]);
      const isSame = measured.patchIdSha !== null && measured.patchIdSha === version?.patchIdSha;
      if (target.merging.resetApprovalsOnPush && !isSame) await removeApprovals(tx, stores, actor, subject);
      return 'added';
    });
  });
}

/** Maximum number of commits listed individually in a note. */
const MAX_LISTED_COMMITS = 20;

/** The commits of a new head that are not in the previous one. */
async function addedCommits(reader: RepositoryReader, from: Oid | null, to: Oid) {
  if (from === null || (await reader.commit(from)) === null) return { latest: [], total: 0 };
  const commits = await reader.between(from, to, { limit: MAX_LISTED_COMMITS });
  const latest = commits.map((commit) => ({ sha: commit.oid, title: storable(titleOf(commit)) }));
  const total = commits.length < MAX_LISTED_COMMITS ? commits.length : await reader.countBetween(from, to);
  return { latest, total };
}

/** Returns false if the merge request was changed concurrently, possibly based on an earlier state of its branches. */
async function recordStatus(
  stores: WithRepositories & ChangeContext,
  { mergeRequest, target, reader, sourceTip, targetTip }: SideTips,
  head: Oid | null,
  actor: { id: number },
): Promise<boolean> {
  const { id, iid, title, sourceBranch, targetBranch, checkedSourceSha, checkedTargetSha, checkedHasTarget } =
    mergeRequest;
  // If the source branch no longer points to the head, it cannot be merged.
  const isHead = sourceTip !== null && sourceTip === head;
  const status = await mergeStatus(reader, isHead ? head : null, targetTip);
  const isKnown = checkedSourceSha === sourceTip && checkedTargetSha === targetTip && checkedHasTarget !== null;
  if (isKnown && status === mergeRequest.mergeStatus) return true;
  const isAhead = await hasTarget(reader, isHead ? head : null, targetTip);
  return stores.db.$transaction(async (tx) => {
    const count = await tx.$executeRaw`
      UPDATE merge_requests SET merge_status = ${status}, checked_source_sha = ${sourceTip}, checked_target_sha = ${targetTip},
        checked_has_target = ${isAhead}
      WHERE id = ${id} AND state = 'opened' AND sha IS NOT DISTINCT FROM ${head} AND target_branch = ${targetBranch}
        AND checked_source_sha IS NOT DISTINCT FROM ${checkedSourceSha} AND checked_target_sha IS NOT DISTINCT FROM ${checkedTargetSha}`;
    if (count === 0) return false;
    const isLost = status === 'cannot_be_merged' && mergeRequest.mergeStatus !== status && isHead;
    if (isLost) await recordChange(tx, stores, { type: 'mergeRequestBlocked', mergeRequest: { id } });
    if (checkedSourceSha !== null && sourceTip === null) {
      const subject = { type: 'MergeRequest', id, iid, title, project: target } as const;
      await recordSubjectChanges(tx, stores, actor, subject, [{ kind: 'sourceBranchDeleted', branch: sourceBranch }]);
    }
    return true;
  });
}
