import { ifReadable } from '#src/domain/repository/if_readable.ts';
import { type LfsPointer, POINTER_BYTES, parsePointer } from '#src/domain/repository/lfs_pointer.ts';
import { EMPTY_TREE, type Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

/** Commits that are read per walk, and changed files after which those that they have so far are looked at. */
const COMMIT_BATCH_SIZE = 1_000;
const FILE_BATCH_SIZE = 10_000;
/** Small files that are read at a time. */
const POINTER_BATCH_SIZE = 50;

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

/** What was found of the objects that merged commits need. */
export interface FoundLinks {
  /** Null without any. */
  links: ObjectLinks | null;
  /** Whether all commits were looked through. */
  isComplete: boolean;
}

/** Of commits that need no objects, or none that the target lacks. */
export const NO_LINKS: FoundLinks = { links: null, isComplete: true };

/**
 * The objects of Git LFS that merged commits need and the target does not have: those that files of the commits point to, as far as the
 * source has them. Nothing is read of the repository, that of the target, if the source has none. Commits that cannot be read are left
 * out.
 *
 * @param maxCommits how many commits are looked through, the newest; all when absent
 */
export async function objectsToLink(
  db: Pick<Db, '$queryRaw'>,
  reader: RepositoryReader,
  { sourceId, targetId, head, before }: MergedCommits,
  maxCommits = Number.POSITIVE_INFINITY,
): Promise<FoundLinks> {
  if (sourceId === null || sourceId === targetId) return NO_LINKS;
  const rows = await db.$queryRaw<{ oid: string }[]>`
    SELECT o.oid FROM lfs_object_projects s JOIN lfs_objects o ON o.id = s.lfs_object_id WHERE s.project_id = ${sourceId}
      AND NOT EXISTS (SELECT 1 FROM lfs_object_projects t WHERE t.project_id = ${targetId} AND t.lfs_object_id = s.lfs_object_id)`;
  const lacking = new Set(rows.map(({ oid }) => oid));
  const oids: string[] = [];
  const look = async (files: Iterable<Oid>) => {
    for (const { oid } of await pointersIn(reader, files)) if (lacking.delete(oid)) oids.push(oid);
  };
  let isComplete = lacking.size === 0;
  for (let offset = 0; !isComplete && offset < maxCommits; offset += COMMIT_BATCH_SIZE) {
    const limit = Math.min(COMMIT_BATCH_SIZE, maxCommits - offset);
    const commits = await reader.between(before, head, { offset, limit });
    const files = new Set<Oid>();
    for (const commit of commits) {
      for (const oid of (await ifReadable(() => changedFiles(reader, commit))) ?? []) files.add(oid);
      if (files.size < FILE_BATCH_SIZE) continue;
      await look(files);
      files.clear();
    }
    await look(files);
    isComplete = lacking.size === 0 || commits.length < limit;
  }
  return { links: oids.length === 0 ? null : { sourceId, targetId, oids }, isComplete };
}

/** The files that a commit adds or changes, compared with the first commit that it is made on. */
async function changedFiles(
  reader: RepositoryReader,
  { tree, parents: [parent] }: { tree: Oid; parents: readonly Oid[] },
): Promise<Oid[]> {
  const from = parent === undefined ? EMPTY_TREE : (await reader.commit(parent))?.tree;
  if (from === undefined) return [];
  const { changes } = await reader.changes(from, tree);
  return changes.flatMap(({ now }) => now?.oid ?? []);
}

/** The objects that files point to. */
export async function pointersIn(reader: RepositoryReader, files: Iterable<Oid>): Promise<LfsPointer[]> {
  const sizes = await reader.blobSizes([...files]);
  const small = [...sizes].filter(([, size]) => size >= POINTER_BYTES.least && size <= POINTER_BYTES.most);
  const found: LfsPointer[] = [];
  for (let at = 0; at < small.length; at += POINTER_BATCH_SIZE) {
    const part = small.slice(at, at + POINTER_BATCH_SIZE);
    const contents = await Promise.all(part.map(([oid]) => reader.blob(oid, POINTER_BYTES.most)));
    found.push(...contents.flatMap((content) => parsePointer(content?.toString('latin1') ?? '') ?? []));
  }
  return found;
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
