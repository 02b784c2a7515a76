import type { Context } from '#src/access/permissions/actor.ts';
import { requireAlive } from '#src/domain/projects/alive.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { changeRefs } from '#src/domain/repository/change_refs.ts';
import { holdRepositoryLock } from '#src/domain/repository/lock.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { findPusher } from '#src/domain/repository/record.ts';
import { changeRefusal, NOT_COMMITTED } from '#src/domain/repository/refusals.ts';
import { wikiOf } from '#src/domain/repository/wiki_place.ts';
import { signatureOf } from '#src/domain/repository/write.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { RefusedObjects } from '#src/git/incoming/quarantine.ts';
import { type Action, ActionFailed } from '#src/git/write/actions.ts';
import { NothingChanged } from '#src/git/write/errors.ts';
import { CommitSeries } from '#src/git/write/series.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** The branch of a wiki that its pages are on, and its tip; null for a wiki without pages. */
export async function wikiTip(
  { repositories }: Pick<Context, 'repositories'>,
  project: ProjectRow,
): Promise<{ reader: RepositoryReader; branch: string; commit: Oid } | null> {
  const reader = await repositories.open(wikiOf(project));
  const branch = await reader?.defaultBranch();
  const tip = reader && branch ? await reader.branch(branch) : null;
  return reader && branch && tip ? { reader, branch, commit: tip.commit } : null;
}

/** A change of the files of a wiki. */
export interface WikiCommit {
  message: string;
  /** Bytes that it brings. */
  bytes: number;
  /** Returns the actions, once the commit that they follow is known; null in a wiki without pages. Throws DomainErrors. */
  prepare(reader: RepositoryReader, tip: Oid | null): Promise<Action[]>;
  /** Runs in the same transaction. */
  also?(tx: Transaction, commit: Oid): Promise<void>;
}

/**
 * Commits to the wiki of a project as the user, one commit after another. Permissions have been checked. Throws NotFound, LimitReached, and
 * BadRequest for what cannot be committed.
 */
export async function commitToWiki(
  context: Context,
  project: ProjectRow,
  userId: number,
  { message, bytes, prepare, also }: WikiCommit,
): Promise<{ branch: string; commit: Oid }> {
  const { db, repositories } = context;
  const place = wikiOf(project);
  await requireRoom(repositories, place, bytes + Buffer.byteLength(message));
  const committer = signatureOf(await findPusher(db, userId));
  return db.$transaction((tx) =>
    holdRepositoryLock(db, tx, project.id, async () => {
      await requireAlive(tx, project.id);
      const reader = await repositories.ensure(place, null);
      const branch = (await reader.defaultBranch()) ?? 'master';
      const tip = (await reader.branch(branch))?.commit ?? null;
      const keepLock = await PackKeepLock.open(reader.directory);
      try {
        const series = new CommitSeries(reader, tip, keepLock);
        const actions = await prepare(reader, tip);
        const commit = await series.add({ actions, author: committer, committer, message }).catch(explain);
        await series.flush();
        const change = { name: `refs/heads/${branch}`, from: tip, to: commit };
        const record = async () => also?.(tx, commit);
        const [outcome] = await changeRefs(context, place, [change], record, { keepLock, tx, isLocked: true });
        if (outcome?.error) throw changeRefusal(outcome.error, NOT_COMMITTED);
        return { branch, commit };
      } finally {
        await keepLock?.release();
      }
    }),
  );
}

function explain(error: unknown): never {
  if (error instanceof NothingChanged) throw new BadRequest('The page has this content already').asWrongState();
  if (error instanceof RefusedObjects) throw new BadRequest(`${NOT_COMMITTED}: ${error.message}`);
  if (error instanceof ActionFailed) throw new BadRequest(NOT_COMMITTED);
  throw error;
}
