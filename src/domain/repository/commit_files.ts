import type { Context } from '#src/access/permissions/actor.ts';
import { requireOwnerAlive } from '#src/domain/projects/alive.ts';
import { changeRefs } from '#src/domain/repository/change_refs.ts';
import { holdRepositoryLock, lockOwner } from '#src/domain/repository/lock.ts';
import { enqueueMaintenance } from '#src/domain/repository/maintain.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { findPusher } from '#src/domain/repository/record.ts';
import { changeRefusal, NOT_COMMITTED } from '#src/domain/repository/refusals.ts';
import { recordSideSize } from '#src/domain/repository/side_size.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { signatureOf } from '#src/domain/repository/write.ts';
import type { Oid, Signature } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { RefusedObjects } from '#src/git/incoming/quarantine.ts';
import { type Action, ActionFailed } from '#src/git/write/actions.ts';
import { NothingChanged } from '#src/git/write/errors.ts';
import { CommitSeries } from '#src/git/write/series.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** A repository beside those of projects that is written to. */
type SidePlace = RepositoryPlace & { defaultBranch: string | null; quotaBytes?: number | undefined };

/** A change of the files of such a repository. */
export interface FileCommit {
  message: string;
  /** Bytes that it brings. */
  bytes: number;
  /** The branch of the first commit. */
  firstBranch: string;
  /** Said where the files are that way already. */
  unchanged: string;
  /** Returns the actions, once the commit that they follow is known; null in an empty repository. Throws DomainErrors. */
  prepare(reader: RepositoryReader, tip: Oid | null): Promise<Action[]>;
  /** Runs in the same transaction. */
  also?(tx: Transaction, commit: Oid): Promise<void>;
}

/**
 * Commits to a repository beside those of projects as the user, one commit after another. Permissions have been checked. Throws NotFound,
 * LimitReached, and BadRequest for what cannot be committed.
 */
export async function commitFiles(
  context: Context,
  place: SidePlace,
  userId: number,
  { message, bytes, firstBranch, unchanged, prepare, also }: FileCommit,
): Promise<{ branch: string; commit: Oid }> {
  const { db, repositories } = context;
  await requireRoom(repositories, place, bytes + Buffer.byteLength(message));
  const committer = signatureOf(await findPusher(db, userId));
  return db.$transaction((tx) =>
    holdRepositoryLock(db, tx, lockOwner(place), async () => {
      await requireOwnerAlive(tx, place);
      const reader = await repositories.ensure(place, null);
      const branch = (await reader.defaultBranch()) ?? firstBranch;
      const tip = (await reader.branch(branch))?.commit ?? null;
      const actions = await prepare(reader, tip);
      const added = { branch, tip, actions, author: committer, committer, message, unchanged };
      const commit = await addCommit(context, tx, place, reader, added);
      await also?.(tx, commit);
      return { branch, commit };
    }),
  );
}

interface AddedCommit extends Pick<FileCommit, 'message' | 'unchanged'> {
  branch: string;
  /** What the commit follows; null for the first one. */
  tip: Oid | null;
  actions: Action[];
  author: Signature;
  committer: Signature;
}

/** Adds a commit to a branch, in a transaction that holds the lock of the repository. Throws BadRequest. */
export async function addCommit(
  context: Pick<Context, 'db' | 'repositories'> & { jobs?: Context['jobs'] | undefined },
  tx: Transaction,
  place: SidePlace,
  reader: RepositoryReader,
  { branch, tip, actions, author, committer, message, unchanged }: AddedCommit,
): Promise<Oid> {
  const keepLock = await PackKeepLock.open(reader.directory);
  try {
    const series = new CommitSeries(reader, tip, keepLock);
    const commit = await series
      .add({ actions, author, committer, message })
      .catch((error) => explain(error, unchanged));
    await series.flush();
    const change = { name: `refs/heads/${branch}`, from: tip, to: commit };
    const record = async () => {
      await enqueueMaintenance(tx, context, place);
      await recordSideSize(tx, context, place);
    };
    const [outcome] = await changeRefs(context, place, [change], record, { keepLock, tx, isLocked: true });
    if (outcome?.error) throw changeRefusal(outcome.error, NOT_COMMITTED);
    return commit;
  } finally {
    await keepLock?.release();
  }
}

function explain(error: unknown, unchanged: string): never {
  if (error instanceof NothingChanged) throw new BadRequest(unchanged).asWrongState();
  if (error instanceof RefusedObjects) throw new BadRequest(`${NOT_COMMITTED}: ${error.message}`);
  if (error instanceof ActionFailed) throw new BadRequest(NOT_COMMITTED);
  throw error;
}
