import { POINTER_BYTES, parsePointer } from '#src/domain/repository/lfs_pointer.ts';
import { EMPTY_TREE, type Oid } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

/** Merged commits that are looked through for files that point to objects. */
const MOST_COMMITS = 10_000;
/** Such files of one merge. */
const MOST_FILES = 100_000;

/** What was merged: the projects, and the commits that one head has and a commit of the target branch before the merge has not. */
export interface MergedCommits {
  /** Null if the project is gone. */
  sourceId: number | null;
  targetId: number;
  head: Oid;
  before: Oid;
}

/** Objects of a source of merged commits, by their hashes, that become those of the target. */
export interface ObjectLinks {
  sourceId: number;
  targetId: number;
  oids: readonly string[];
}

/**
 * The objects of Git LFS that merged commits need and the target does not have: those that files of the commits point to, as far as the
 * source has them; null without any. Nothing is read of the repository, that of the target, if the source has none.
 */
export async function objectsToLink(
  db: Pick<Db, '$queryRaw'>,
  reader: RepositoryReader,
  { sourceId, targetId, head, before }: MergedCommits,
): Promise<ObjectLinks | null> {
  if (sourceId === null || sourceId === targetId) return null;
  const lacking = await db.$queryRaw<{ oid: string }[]>`
    SELECT o.oid FROM lfs_object_projects s JOIN lfs_objects o ON o.id = s.lfs_object_id WHERE s.project_id = ${sourceId}
      AND NOT EXISTS (SELECT 1 FROM lfs_object_projects t WHERE t.project_id = ${targetId} AND t.lfs_object_id = s.lfs_object_id)`;
  if (lacking.length === 0) return null;
  const needed = await pointersIn(reader, head, before);
  const oids = lacking.flatMap(({ oid }) => (needed.has(oid) ? [oid] : []));
  return oids.length === 0 ? null : { sourceId, targetId, oids };
}

/** The hashes of the objects that files of the commits point to. */
async function pointersIn(reader: RepositoryReader, head: Oid, before: Oid): Promise<Set<string>> {
  const files = new Set<Oid>();
  for (const { tree, parents } of await reader.between(before, head, { limit: MOST_COMMITS })) {
    const [parent] = parents;
    const from = parent === undefined ? EMPTY_TREE : (await reader.commit(parent))?.tree;
    const { changes } = from === undefined ? { changes: [] } : await reader.changes(from, tree);
    for (const { now } of changes) if (now !== null) files.add(now.oid);
    if (files.size > MOST_FILES) break;
  }
  const sizes = await reader.blobSizes([...files]);
  const needed = new Set<string>();
  for (const [oid, size] of sizes) {
    if (size < POINTER_BYTES.least || size > POINTER_BYTES.most) continue;
    const pointer = parsePointer((await reader.blob(oid, POINTER_BYTES.most))?.toString('latin1') ?? '');
    if (pointer !== null) needed.add(pointer.oid);
  }
  return needed;
}

/** Gives the target of a merge the objects that were found, in the transaction that records the merge: from then on they are its own. */
export async function linkObjects(
  tx: Pick<Transaction, '$executeRaw'>,
  { sourceId, targetId, oids }: ObjectLinks,
): Promise<void> {
  await tx.$executeRaw`
    WITH given AS (
      INSERT INTO lfs_object_projects (project_id, lfs_object_id)
      SELECT ${targetId}::int, o.id FROM lfs_objects o JOIN lfs_object_projects s ON s.lfs_object_id = o.id
      WHERE s.project_id = ${sourceId}::int AND o.oid = ANY(${[...oids]}::text[])
      ON CONFLICT DO NOTHING RETURNING lfs_object_id)
    UPDATE project_counters SET lfs_objects_size = lfs_objects_size
      + (SELECT COALESCE(sum(o.size), 0) FROM given g JOIN lfs_objects o ON o.id = g.lfs_object_id)
    WHERE project_id = ${targetId}::int`;
}
