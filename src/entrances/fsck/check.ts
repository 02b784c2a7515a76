import { rm } from 'node:fs/promises';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { ABANDONED_DRAFT } from '#src/domain/repository/clean_up.ts';
import type { RepositoryPlace, WithRepositories } from '#src/domain/repository/store.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';
import type { Finding } from '#src/entrances/fsck/finding.ts';
import { checkLfs } from '#src/entrances/fsck/lfs.ts';
import { type CheckedProject, checkRepository, FIX } from '#src/entrances/fsck/repository.ts';
import { checkStoredFiles, checkUnrecordedFiles } from '#src/entrances/fsck/stored_files.ts';
import { checkAbandonedTraces, checkTraces } from '#src/entrances/fsck/traces.ts';
import { isAbandoned } from '#src/git/write/leftovers.ts';
import { Prisma } from '#src/platform/database/db.ts';

export interface CheckStores extends WithRepositories, ChangeContext {
  uploads: UploadStore;
}

export interface CheckOptions {
  /** Full path of the only project to check; all when absent. */
  project?: string | undefined;
  /** Whether to remove what is safe to remove. */
  fix: boolean;
}

/** How many rows are read at once. */
const BATCH_SIZE = 500;

/**
 * Checks repositories and uploaded files against the database and yields the findings. Throws Error if the requested project does
 * not exist.
 *
 * @param onChecked called with each repository that was checked
 */
export async function* check(
  stores: CheckStores,
  { project, fix }: CheckOptions,
  onChecked: () => void = () => undefined,
): AsyncGenerator<Finding> {
  let count = 0;
  for await (const found of projects(stores, project)) {
    count++;
    onChecked();
    yield* await checkRepository(stores, found, fix);
    yield* await checkRepository(stores, wikiOf(found), fix);
    yield* checkStoredFiles(stores, found);
    yield* checkTraces(stores, found, fix);
    if (project !== undefined) yield* checkLfs(stores, found.id);
    if (project !== undefined) yield* checkSnippets(stores, fix, found.id);
  }
  if (project !== undefined) {
    if (count === 0) throw new Error(`There is no project "${project}"`);
    return;
  }
  yield* checkSnippets(stores, fix, null);
  yield* checkGroupWikis(stores, fix);
  yield* checkStorages(stores, fix);
  yield* checkUnrecordedFiles(stores, fix);
  yield* checkAbandonedTraces(stores, fix);
  yield* checkLfs(stores, null);
}

async function* projects({ db }: CheckStores, fullPath: string | undefined): AsyncGenerator<CheckedProject> {
  const only =
    fullPath === undefined ? Prisma.sql`TRUE` : Prisma.sql`lower(n.full_path || '/' || p.path) = lower(${fullPath})`;
  for (let last = 0; ; ) {
    const rows = await db.$queryRaw<CheckedProject[]>`
      SELECT p.id, p.repository_storage AS "repositoryStorage", n.full_path || '/' || p.path AS "fullPath",
        (SELECT count(*)::int FROM recorded_refs r WHERE r.project_id = p.id) AS recorded
      FROM projects p JOIN namespaces n ON n.id = p.namespace_id
      WHERE p.deleted_at IS NULL AND p.id > ${last} AND ${only} ORDER BY p.id LIMIT ${BATCH_SIZE}`;
    yield* rows;
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH_SIZE) return;
  }
}

/** Checks the repositories of all snippets, or of those of one project. */
async function* checkSnippets(stores: CheckStores, fix: boolean, projectId: number | null): AsyncGenerator<Finding> {
  const where = { repositoryStorage: { not: null }, ...(projectId !== null && { projectId }) };
  const select = { id: true, repositoryStorage: true, repositoryCommit: true };
  for (let last = 0; ; ) {
    const rows = await stores.db.snippet.findMany({
      where: { ...where, id: { gt: last } },
      orderBy: { id: 'asc' },
      take: BATCH_SIZE,
      select,
    });
    for (const { id, repositoryStorage, repositoryCommit } of rows) {
      if (repositoryStorage === null) continue;
      const place = { id, repositoryStorage, owner: 'snippet' as const, fullPath: `snippets/${id}` };
      const recorded = repositoryCommit === null ? 0 : 1;
      yield* await checkRepository(stores, { ...place, recorded, kept: 'its files are in the database' }, fix);
    }
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH_SIZE) return;
  }
}

/** Checks the repositories of the wikis of groups, whose branches the database does not record. */
async function* checkGroupWikis(stores: CheckStores, fix: boolean): AsyncGenerator<Finding> {
  const where = { wikiStorage: { not: null }, deletedAt: null };
  const groups = await stores.db.namespace.findMany({
    where,
    orderBy: { id: 'asc' },
    select: { id: true, fullPath: true, wikiStorage: true },
  });
  for (const { id, fullPath, wikiStorage } of groups) {
    if (wikiStorage === null) continue;
    const place = { id, repositoryStorage: wikiStorage, owner: 'group' as const, wiki: true };
    yield* await checkRepository(stores, { ...place, fullPath: `${fullPath}.wiki`, recorded: 0 }, fix);
  }
}

/** The wiki of a project, whose branches the database does not record. */
function wikiOf(project: CheckedProject): CheckedProject {
  return { ...project, recorded: 0, wiki: true };
}

/** Finds directories that belong to no project, and unfinished ones of processes that died. */
async function* checkStorages({ db, repositories }: CheckStores, fix: boolean): AsyncGenerator<Finding> {
  for await (const { kind, directory, id, storage, owner } of repositories.entries()) {
    const about = { project: null, place: directory };
    if (kind === 'draft') {
      if (!(await isAbandoned(directory, ABANDONED_DRAFT))) continue;
      if (fix) await rm(directory, { recursive: true, force: true, maxRetries: 3 });
      const what = 'A copy or an import was interrupted and left this. Nothing was lost.';
      yield { ...about, what, advice: FIX, isHarmless: true, isFixed: fix };
      continue;
    }
    // A job will remove those that are marked as deleted.
    if (kind === 'repository' && id !== null && (await storageOf(db, id, owner)) === storage) continue;
    if (owner && id !== null && (await db.removedRepository.count({ where: { owner, ownerId: id } })) > 0) continue;
    const called = owner ?? 'project';
    const what = kind === 'unknown' ? 'This is not a repository.' : `No ${called} has its repository here.`;
    const advice = `Nothing uses it. Keep it if the database is to be restored from a backup that has the ${called}; otherwise remove it.`;
    yield { ...about, what, advice };
  }
}

/** The storage of the repository of something; null if it has none. */
async function storageOf(db: CheckStores['db'], id: number, owner: RepositoryPlace['owner']): Promise<string | null> {
  const select = { repositoryStorage: true };
  if (owner === 'group') {
    const group = await db.namespace.findUnique({ where: { id }, select: { wikiStorage: true } });
    return group?.wikiStorage ?? null;
  }
  const found =
    owner === 'snippet'
      ? await db.snippet.findUnique({ where: { id }, select })
      : await db.project.findUnique({ where: { id }, select });
  return found?.repositoryStorage ?? null;
}
