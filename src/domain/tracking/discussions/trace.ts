import { findPushedProject } from '#src/domain/repository/pushed_project.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import { outdateSuggestions } from '#src/domain/tracking/discussions/outdate_suggestions.ts';
import type { DiffPosition } from '#src/domain/tracking/discussions/position.ts';
import { type Compare, traceLine, type VersionShas } from '#src/domain/tracking/discussions/trace_line.ts';
import type { MergeRequestVersion } from '#src/generated/prisma/client.ts';
import { isLimit, MissingObject } from '#src/git/base/errors.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { type Diff, diffTrees } from '#src/git/diff/diff.ts';
import type { Db } from '#src/platform/database/db.ts';

/** How many threads are read per statement. */
const BATCH_SIZE = 200;

/** Number of attempts if the same is traced concurrently. */
const ATTEMPTS = 5;

/**
 * Moves the threads on lines of a merge request to its latest version: each line that is still there unchanged gets its new
 * position, the others become outdated. Idempotent, also if several processes do it concurrently.
 */
export async function traceDiscussions(stores: WithRepositories, mergeRequestId: number): Promise<void> {
  const reader = await readerOf(stores, mergeRequestId);
  if (!reader) return;
  const compare = comparing(reader);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const orderBy = { id: 'desc' } as const;
    const version = await stores.db.mergeRequestVersion.findFirst({ where: { mergeRequestId }, orderBy });
    if (!version || (await traceAll(stores.db, reader, compare, version))) return;
  }
  throw new Error('Gave up tracing threads after repeated concurrent changes');
}

/** Returns false if another process was faster with some, possibly for an earlier version. */
async function traceAll(
  db: Db,
  reader: RepositoryReader,
  compare: Compare,
  version: MergeRequestVersion,
): Promise<boolean> {
  let isDone = true;
  for (let last = 0; ; ) {
    const threads = await behind(db, version, last);
    for (const { id, versionId, position } of threads) {
      const traced = await trace(reader, compare, position, version);
      const count =
        await db.$executeRaw`UPDATE discussions SET position = ${traced && JSON.stringify(traced)}::jsonb, version_id = ${version.id}
        WHERE id = ${id} AND version_id = ${versionId}`;
      if (traced && count > 0) await outdateSuggestions(db, reader, id, traced);
      // A deleted one is not read again.
      isDone &&= count > 0;
    }
    last = threads.at(-1)?.id ?? last;
    if (threads.length < BATCH_SIZE) return isDone;
  }
}

interface Traced {
  id: number;
  versionId: number;
  position: DiffPosition;
}

/** Those on lines of earlier versions. */
function behind(db: Db, { id, mergeRequestId }: MergeRequestVersion, last: number): Promise<Traced[]> {
  return db.$queryRaw<Traced[]>`
    SELECT id, version_id AS "versionId", position FROM discussions
    WHERE merge_request_id = ${mergeRequestId} AND id > ${last} AND position IS NOT NULL AND version_id < ${id}
    ORDER BY id LIMIT ${BATCH_SIZE}`;
}

async function readerOf({ db, repositories }: WithRepositories, id: number): Promise<RepositoryReader | null> {
  const found = await db.mergeRequest.findUnique({ where: { id }, select: { targetProjectId: true } });
  const project = found && (await findPushedProject(db, found.targetProjectId));
  return project && (await repositories.open(project));
}

async function trace(
  reader: RepositoryReader,
  compare: Compare,
  position: DiffPosition,
  version: VersionShas,
): Promise<DiffPosition | null> {
  try {
    return await traceLine(reader, compare, position, version);
  } catch (error) {
    // What cannot be compared now will not be comparable later either.
    if (isLimit(error, 'work') || error instanceof MissingObject) return null;
    throw error;
  }
}

/** Number of comparisons cached while the threads of one merge request are traced: most are of the previous version. */
const MAX_CACHED_COMPARISONS = 3;

function comparing(reader: RepositoryReader): Compare {
  const kept = new Map<string, Promise<Diff>>();
  return (from, to) => {
    const key = `${from} ${to}`;
    const found = kept.get(key) ?? diffTrees(reader, from, to);
    kept.delete(key);
    kept.set(key, found);
    const [oldest] = kept.keys();
    if (kept.size > MAX_CACHED_COMPARISONS && oldest !== undefined) kept.delete(oldest);
    return found;
  };
}
