import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { changeRefs, type RefChange } from '#src/domain/repository/change_refs.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { mergeRef, recordOwnRefs } from '#src/domain/repository/merge_request_refs.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { findPusher } from '#src/domain/repository/record.ts';
import { signatureOf } from '#src/domain/repository/write.ts';
import { findMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { sideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import { isLimit, RefChanged } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { RefusedObjects } from '#src/git/incoming/quarantine.ts';
import { RefReader } from '#src/git/refs/read.ts';
import { MergeConflict, mergeInto, NothingChanged } from '#src/git/writer.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { BadRequest, Unavailable } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

const KEY = select('MergeRequest', { id: true });

/** How often it is tried if others do the same. */
const ATTEMPTS = 3;

/**
 * The merge of the head of a merge request into the tip of its target branch, on no branch: git clients fetch it as
 * `refs/merge-requests/<iid>/merge`. It is made if that ref does not hold it yet. Throws NotFound, Forbidden, BadRequest if git
 * cannot merge it, RateLimited.
 */
export async function mergeRefOf(context: Context, project: ProjectRow, iid: number): Promise<Oid> {
  const { id } = await findMergeRequest(context, project, iid, KEY);
  return withEffort(context, async () => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const oid = await mergeOnce(context, id);
      if (oid !== null) return oid;
    }
    throw new Unavailable('The branches of the merge request move all the time. Try again later.', 1);
  });
}

/** Null if the ref was changed meanwhile. */
async function mergeOnce(context: Context, id: number): Promise<Oid | null> {
  const { id: userId } = requireActor(context);
  const sides = await sideTips(context, id);
  const sha = sides?.mergeRequest.sha ?? null;
  if (sides?.mergeRequest.state !== 'opened' || sides.sourceTip !== sha || sides.targetTip === null)
    throw notMergeable();
  if (sha === null) throw notMergeable();
  const { target, reader, targetTip: onto } = sides;
  const name = mergeRef(sides.mergeRequest.iid);
  const from = await new RefReader(reader.directory).read(name);
  const [first, second] = (from === null ? null : await reader.commit(from))?.parents ?? [];
  if (from !== null && first === onto && second === sha) return from;
  await requireRoom(context.repositories, target, 0);
  const keepLock = await PackKeepLock.open(reader.directory);
  try {
    const author = signatureOf(await findPusher(context.db, userId));
    const message = `Merge ${sha} into ${onto}\n`;
    const to = await mergeInto(reader, { onto, merged: sha, author, committer: author, message }, keepLock);
    const record = (tx: Transaction, made: readonly RefChange[]) => recordOwnRefs(tx, target.id, made);
    const [outcome] = await changeRefs(context, target, [{ name, from, to }], record, { keepLock });
    if (outcome?.error instanceof RefChanged) return null;
    if (outcome?.error) throw outcome.error;
    return to;
  } catch (error) {
    const isFinal =
      error instanceof MergeConflict || error instanceof NothingChanged || error instanceof RefusedObjects;
    throw isFinal || isLimit(error, 'work') ? notMergeable() : error;
  } finally {
    await keepLock?.release();
  }
}

function notMergeable(): BadRequest {
  return new BadRequest('Merge request is not mergeable').asWrongState();
}
