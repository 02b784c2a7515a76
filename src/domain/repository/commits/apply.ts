import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { type CommitRow, commitRows, findCommit } from '#src/domain/repository/find_commit.ts';
import { requireAllowedMessage } from '#src/domain/repository/push_rules/of_commit.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { NOT_COMMITTED } from '#src/domain/repository/refusals.ts';
import { advance, signatureOf, writableBranch } from '#src/domain/repository/write.ts';
import type { Oid, Signature } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { RefusedObjects } from '#src/git/incoming/quarantine.ts';
import type { CommitSeries } from '#src/git/write/series.ts';
import { MergeConflict, NothingChanged } from '#src/git/writer.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

/** A commit, and the branch to which its change is applied, or from which it is taken. */
export interface ChangeToApply {
  /** The commit: a revision as in findRevision. */
  sha: string;
  branch: string;
  /** The branch at which `branch` begins, if it is a new one. */
  startBranch?: string | null | undefined;
  /** Whether nothing is to be changed: only whether it would go is wanted. */
  dryRun?: boolean | null | undefined;
}

/** What git is given to write the commit of a change. */
export interface ChangeAtTip {
  commit: Oid;
  onto: Oid;
  committer: Signature;
  isTrial: boolean;
}

/**
 * How the commit of a change is written. Throws MergeConflict and NothingChanged, for both of which callers are told that the
 * change is `impossible`.
 */
export interface ChangeWriter {
  write(reader: RepositoryReader, change: ChangeAtTip, keepLock?: PackKeepLock): Promise<Oid>;
  /** What the message of the commit begins with, for push rules. */
  message: string;
  impossible: string;
}

/**
 * Adds a commit to a branch that has the change of another one, or takes it back; with `dryRun`, the tip of the branch as it is.
 * `writerOf` decides how, once the caller is known to see the commit. Throws NotFound, Forbidden, and BadRequest, also for a change
 * that is there already or that conflicts.
 */
export async function applyChange(
  context: Context,
  ref: IdOrPath,
  { sha, branch, startBranch, dryRun }: ChangeToApply,
  writerOf: (commit: CommitRow) => Promise<ChangeWriter> | ChangeWriter,
): Promise<CommitRow> {
  const found = await findProject(context, ref);
  authorize(requireActor(context), 'push_code', found);
  const applied = await findCommit(context, found, sha);
  const tip = await applied.repository.branch(startBranch ?? branch);
  if (tip === null) throw new NotFound('Branch');
  const target = await writableBranch(context, found.id, branch, { startBranch });
  const { write, impossible, message } = await writerOf(applied);
  await requireAllowedMessage(context, target.project.id, message);
  const committer = signatureOf(target.pusher);
  const change = { commit: applied.oid, committer, isTrial: dryRun === true };
  const make = async (series: CommitSeries) => {
    const { tip: onto, reader, keepLock } = series;
    if (onto === null) throw new NotFound('Branch');
    const oid = await write(reader, { ...change, onto }, keepLock);
    series.follow(oid);
    return oid;
  };
  const attempt = async () => {
    await write(applied.repository, { ...change, onto: tip.commit });
    const [row] = await commitRows(found, applied.repository, [tip.commit]);
    if (!row) throw new NotFound('Branch');
    return row;
  };
  try {
    if (dryRun) return await withEffort(context, attempt);
    await requireRoom(context.repositories, target.project, 0);
    return await withEffort(context, () => advance(context, target, { bytes: 0, alone: true, make }));
  } catch (error) {
    if (error instanceof MergeConflict) throw new BadRequest(impossible, undefined, 'changeConflicts').asWrongState();
    if (error instanceof NothingChanged) throw new BadRequest(impossible, undefined, 'changeEmpty').asWrongState();
    if (error instanceof RefusedObjects) throw new BadRequest(`${NOT_COMMITTED}: ${error.message}`);
    throw error;
  }
}
