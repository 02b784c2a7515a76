import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { findPushedProject, type PushedProject } from '#src/domain/repository/pushed_project.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { findPusher, pushRefs } from '#src/domain/repository/record.ts';
import { changeRefusal } from '#src/domain/repository/refusals.ts';
import { withCommits } from '#src/domain/repository/take_commits.ts';
import { signatureOf } from '#src/domain/repository/write.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { requireSourcePush, type SourceBranch } from '#src/domain/tracking/merge_requests/push_source.ts';
import { refreshMergeRequest } from '#src/domain/tracking/merge_requests/refresh.ts';
import { type SideTips, sideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import { isLimit } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { RefusedObjects } from '#src/git/incoming/quarantine.ts';
import { cherryPick, MergeConflict, NothingChanged } from '#src/git/writer.ts';
import { BadRequest, DomainError, Forbidden, WrongState } from '#src/platform/errors.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Rebases the source branch of a merge request. */
    'merge_requests.rebase': { mergeRequestId: number; userId: number; skipCi: boolean };
  }
}

/** Milliseconds after which a rebase that has not ended is taken for lost. */
const LOST = 60 * 60_000;
/** Milliseconds that copying the tip of the target branch into a fork may take. */
const COPY_TIMEOUT_MS = 10 * 60_000;
/** Maximum number of commits of a branch that is rebased. */
const MAX_COMMITS = 500;

/** Whether a rebase that began then is queued or running. */
export function isRebasing(since: Date | string | null): boolean {
  return since !== null && Date.now() - new Date(since).getTime() < LOST;
}

/**
 * Has a job put the commits of the source branch on top of the target branch, for those who may force-push to the source branch.
 * Throws NotFound, Forbidden, BadRequest, Conflict if that is happening already.
 */
export async function requestRebase(
  context: Context,
  ref: IdOrPath,
  iid: number,
  { skipCi }: { skipCi: boolean },
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const { project, mergeRequest } = await locateMergeRequest(context, ref, iid);
  const { id, sourceProjectId, sourceBranch } = mergeRequest;
  if (project.archived) throw new Forbidden();
  if (mergeRequest.state !== 'opened')
    throw new BadRequest('The merge request is not open').asWrongState(mergeRequest.state);
  await requireRebasing(context, actor, { sourceProjectId, sourceBranch });
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.mergeRequest.updateMany({
      where: {
        id,
        state: 'opened',
        OR: [{ rebasingSince: null }, { rebasingSince: { lt: new Date(Date.now() - LOST) } }],
      },
      data: { rebasingSince: new Date(), mergeError: null },
    });
    if (count === 0) throw new WrongState('A rebase of the merge request is in progress');
    await context.jobs.enqueue(tx, 'merge_requests.rebase', { mergeRequestId: id, userId: actor.id, skipCi });
  });
  return { project, id };
}

/** The source project, if the actor may rewrite the branch there. Throws Forbidden. */
async function requireRebasing(context: Context, actor: Actor, source: SourceBranch): Promise<ProjectRow> {
  const { project, refusals } = await requireSourcePush(context, actor, source);
  if (refusals(source.sourceBranch, 'force') !== null)
    throw new Forbidden('Source branch is protected from force push');
  return project;
}

/** Does what was requested, on behalf of that user. What keeps it from succeeding is recorded on the merge request. */
export async function rebaseMergeRequest(context: Context, id: number, skipCi: boolean): Promise<void> {
  const actor = requireActor(context);
  const sides = await sideTips(context, id);
  if (!sides || sides.mergeRequest.rebasingSince === null) return;
  let mergeError: string | null = null;
  try {
    if (sides.mergeRequest.state === 'opened') await rebase(context, actor, sides, skipCi);
  } catch (error) {
    mergeError = `Rebase failed: ${reasonOf(error)}`;
  }
  // Clients that poll for the end go on with the new head.
  if (mergeError === null) await refreshMergeRequest(context, id, actor.id);
  await context.db.mergeRequest.updateMany({ where: { id }, data: { rebasingSince: null, mergeError } });
}

/** Throws again what trying later may help against. */
function reasonOf(error: unknown): string {
  if (error instanceof MergeConflict) return 'the commits conflict with the target branch. Rebase the branch locally.';
  if (error instanceof RefusedObjects) return error.message;
  if (isLimit(error, 'work')) return 'merging the commits takes too long. Rebase the branch locally.';
  if (error instanceof DomainError && error.code !== 'UNAVAILABLE' && error.code !== 'RATE_LIMITED')
    return error.message;
  throw error;
}

async function rebase(context: Context, actor: Actor, sides: SideTips, skipCi: boolean): Promise<void> {
  const { mergeRequest, target, sourceTip, targetTip } = sides;
  const { id: sourceId } = await requireRebasing(context, actor, mergeRequest);
  const source = await findPushedProject(context.db, sourceId);
  if (!source || sourceTip === null) throw new Forbidden('Source branch does not exist').asWrongState();
  if (targetTip === null) throw new BadRequest('the target branch does not exist').asWrongState();
  await requireRoom(context.repositories, source, 0);
  await withCommits(
    context,
    { source: target, target: source, oids: [targetTip] },
    COPY_TIMEOUT_MS,
    async (keepLock) => {
      const pusher = await findPusher(context.db, actor.id);
      const to = await replay(
        context,
        source,
        { from: sourceTip, onto: targetTip, committer: signatureOf(pusher) },
        keepLock,
      );
      if (to === sourceTip) return;
      const change = { name: `refs/heads/${mergeRequest.sourceBranch}`, from: sourceTip, to };
      const [outcome] = await pushRefs(context, pusher, source, [change], undefined, { keepLock, skipCi });
      if (outcome?.error) throw changeRefusal(outcome.error, 'the branch could not be moved');
    },
  );
}

/** Writes the commits of a branch again, on top of another one, without merges and what is there already; the last of them. */
async function replay(
  { repositories }: Context,
  source: PushedProject,
  { from, onto, committer }: { from: Oid; onto: Oid; committer: ReturnType<typeof signatureOf> },
  keepLock: PackKeepLock | undefined,
): Promise<Oid> {
  const reader = await repositories.ensure(source, source.defaultBranch);
  if (await reader.isAncestor(onto, from)) return from;
  const commits = await reader.between(onto, from, { limit: MAX_COMMITS + 1 });
  if (commits.length > MAX_COMMITS) throw new BadRequest(`there are more than ${MAX_COMMITS} commits`);
  let tip = onto;
  for (const { oid, parents } of commits.reverse()) {
    if (parents.length > 1) continue;
    try {
      tip = await cherryPick(reader, { commit: oid, onto: tip, committer }, keepLock);
    } catch (error) {
      if (!(error instanceof NothingChanged)) throw error;
    }
  }
  return tip;
}
