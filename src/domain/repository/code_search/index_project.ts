import type { Context } from '#src/access/permissions/actor.ts';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { storeBlobs } from '#src/domain/repository/code_search/blobs.ts';
import { ErrorCollector } from '#src/domain/repository/each.ts';
import { anyLanguageOf } from '#src/domain/repository/languages/of_file.ts';
import { findPushedProject } from '#src/domain/repository/pushed_project.ts';
import { type Mode, type Oid, SUBMODULE, SYMLINK } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Db } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Brings what can be searched of a project up to date; without one, of some projects of which nothing or something else is known. */
    'code_search.index': { projectId?: number };
  }
}

type Stores = Pick<Context, 'db' | 'repositories'>;

/** Files of a project that can be searched: its first ones. */
const MAX_FILES = 100_000;

/** Bytes of the longest path that an index takes. */
const MAX_PATH_BYTES = 2_000;

/** Changed paths beyond which all files are compared. */
const MAX_CHANGES = 20_000;

/** Files that are written in one statement, and projects that are looked after in one run. */
const BATCH_SIZE = 2_000;
const PROJECTS_PER_RUN = 50;

interface File {
  path: string;
  oid: Oid;
}

/** Times that one job follows a branch that moves on while it works. */
const MAX_ROUNDS = 5;

/** Brings what can be searched of a project up to date with its default branch. Does nothing if it is already, or another job is at it. */
export async function indexProject(stores: Stores, projectId: number): Promise<void> {
  // A job that finds another one at work leaves it what was pushed meanwhile.
  for (let round = 0; round < MAX_ROUNDS; round += 1) if (!(await indexOnce(stores, projectId))) return;
}

/** Whether something was done. */
async function indexOnce({ db, repositories }: Stores, projectId: number): Promise<boolean> {
  const project = await findPushedProject(db, projectId);
  const repository = project && (await repositories.open(project));
  const branch = project?.defaultBranch ?? (await repository?.defaultBranch());
  const tip = branch ? ((await repository?.branch(branch))?.commit ?? null) : null;
  if (!repository || !branch || tip === null) {
    await db.codeIndex.deleteMany({ where: { projectId } });
    return false;
  }
  const begun = await begin(db, projectId, branch, tip);
  if (begun === null) return false;
  const { from, wasCut } = begun;
  const { files, gone, isCut } =
    (from === null ? null : await changedSince(repository, from, tip)) ??
    (await wholeTree(db, projectId, repository, tip));
  for (let at = 0; at < gone.length; at += BATCH_SIZE) {
    await db.codeFile.deleteMany({ where: { projectId, path: { in: gone.slice(at, at + BATCH_SIZE) } } });
  }
  let isFull = wasCut && from !== null;
  for (let at = 0; at < files.length; at += BATCH_SIZE) {
    const batch = files.slice(at, at + BATCH_SIZE);
    const stored = await storeBlobs(db, projectId, repository, batch);
    isFull ||= stored.isFull;
    await putFiles(db, projectId, batch, stored.ids);
    await db.$executeRaw`UPDATE code_indexes SET updated_at = now() WHERE project_id = ${projectId}`;
  }
  await db.codeIndex.updateMany({ where: { projectId }, data: { tip, isCut: isCut || isFull } });
  return true;
}

/** The commit of which the files are known, null if of none, once this job alone is at work; null where nothing is to be done by it. */
async function begin(
  db: Db,
  projectId: number,
  ref: string,
  tip: Oid,
): Promise<{ from: Oid | null; wasCut: boolean } | null> {
  return db.$transaction(async (tx) => {
    const made = await tx.$executeRaw`
      INSERT INTO code_indexes (project_id, ref) SELECT id, ${ref} FROM projects WHERE id = ${projectId} AND deleted_at IS NULL
      ON CONFLICT (project_id) DO NOTHING`;
    if (made > 0) return { from: null, wasCut: false };
    const [known] = await tx.$queryRaw<{ tip: string | null; ref: string; isCut: boolean; isLeft: boolean }[]>`
      SELECT tip, ref, is_cut AS "isCut", updated_at < now() - interval '10 minutes' AS "isLeft"
      FROM code_indexes WHERE project_id = ${projectId} FOR UPDATE`;
    const isBusy = known?.tip === null && !known.isLeft;
    if (!known || isBusy || (known.tip === tip && known.ref === ref)) return null;
    // Until the files are there nothing leads from one state to the next.
    await tx.$executeRaw`UPDATE code_indexes SET tip = NULL, ref = ${ref}, updated_at = now() WHERE project_id = ${projectId}`;
    return { from: known.tip, wasCut: known.isCut };
  });
}

interface Difference {
  /** New and changed files. */
  files: File[];
  /** Paths of those that are no longer there. */
  gone: string[];
  isCut: boolean;
}

/** What changed since the commit of which the files are known; null if that is too much, or the commit is gone. */
async function changedSince(repository: RepositoryReader, from: Oid, to: Oid): Promise<Difference | null> {
  const [old, now] = [await repository.commit(from), await repository.commit(to)];
  if (!old || !now) return null;
  const { changes, isComplete } = await repository.changes(old.tree, now.tree, { most: MAX_CHANGES });
  if (!isComplete) return null;
  const files = changes.flatMap(({ path, now: side }) =>
    side && isSearched(side.mode, path) ? [{ path, oid: side.oid }] : [],
  );
  const kept = new Set(files.map(({ path }) => path));
  const gone = changes.flatMap(({ path, old: side }) => (side && !kept.has(path) ? [path.toWellFormed()] : []));
  return { files, gone, isCut: false };
}

/** All files that are not known as they are, and what is known and no longer there. */
async function wholeTree(db: Db, projectId: number, repository: RepositoryReader, tip: Oid): Promise<Difference> {
  const counts = await repository.measureTree(tip);
  const [trees, blobs] = [counts?.tree ?? 0, counts?.blob ?? 0];
  // Directories come first in a listing.
  const listing = { recursive: true, offset: trees, limit: Math.min(blobs, MAX_FILES) };
  const entries = (await repository.treePage(tip, '', listing))?.entries ?? [];
  const rows = await db.$queryRaw<{ path: string; sha: string | null }[]>`
    SELECT f.path, encode(b.sha, 'hex') AS sha FROM code_files f LEFT JOIN code_blobs b ON b.id = f.blob_id WHERE f.project_id = ${projectId}`;
  const known = new Map(rows.map(({ path, sha }) => [path, sha]));
  const files: File[] = [];
  for (const { path, oid, mode, type } of entries) {
    await yieldToEventLoop();
    if (type !== 'blob' || !isSearched(mode, path)) continue;
    if (known.get(path) !== oid) files.push({ path, oid });
    known.delete(path);
  }
  return { files, gone: [...known.keys()], isCut: blobs > MAX_FILES };
}

/** Whether it is a file, with a path that an index takes. */
function isSearched(mode: Mode, path: string): boolean {
  return mode !== SYMLINK && mode !== SUBMODULE && path.isWellFormed() && Buffer.byteLength(path) <= MAX_PATH_BYTES;
}

async function putFiles(
  db: Db,
  projectId: number,
  files: readonly File[],
  ids: ReadonlyMap<Oid, number>,
): Promise<void> {
  const rows = files.map(({ path, oid }) => ({
    path,
    blob: ids.get(oid) ?? null,
    language: anyLanguageOf(path)?.toLowerCase() ?? null,
  }));
  await db.$executeRaw`
    INSERT INTO code_files (project_id, path, blob_id, language)
    SELECT ci.project_id, r.path, r.blob, r.language FROM code_indexes ci,
      json_to_recordset(${JSON.stringify(rows)}::json) AS r (path text, blob int, language text) WHERE ci.project_id = ${projectId}
    ON CONFLICT (project_id, path) DO UPDATE SET blob_id = EXCLUDED.blob_id, language = EXCLUDED.language`;
}

/**
 * Looks after projects of which nothing is known yet, as after an upgrade, whose index was not finished, or whose default branch is
 * another one now; then removes texts that no project has any more.
 */
export async function indexMissing(stores: Stores): Promise<void> {
  const missing = await stores.db.$queryRaw<{ id: number }[]>`
    SELECT p.id FROM projects p LEFT JOIN code_indexes ci ON ci.project_id = p.id
    WHERE p.deleted_at IS NULL AND p.default_branch IS NOT NULL
      AND (ci.project_id IS NULL OR ci.ref <> p.default_branch OR (ci.tip IS NULL AND ci.updated_at < now() - interval '10 minutes'))
    ORDER BY p.last_activity_at DESC LIMIT ${PROJECTS_PER_RUN}`;
  const each = new ErrorCollector();
  await each.run(missing, ({ id }) => indexProject(stores, id));
  await stores.db.$executeRaw`
    DELETE FROM code_blobs b WHERE b.created_at < now() - interval '1 day' AND NOT EXISTS (SELECT FROM code_files f WHERE f.blob_id = b.id)`;
  each.end();
}
