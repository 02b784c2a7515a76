import { type ChangeContext, recordChange } from '#src/domain/changes/record.ts';
import type { RefChange } from '#src/domain/repository/change_refs.ts';
import { ErrorCollector } from '#src/domain/repository/each.ts';
import { withRepositoryLock } from '#src/domain/repository/lock.ts';
import { isOwnRef, OWN_REFS, recordOwnRefs } from '#src/domain/repository/merge_request_refs.ts';
import { findPushedProject } from '#src/domain/repository/pushed_project.ts';
import { findPusher, record, refKey } from '#src/domain/repository/record.ts';
import type { RepositoryPlace, WithRepositories } from '#src/domain/repository/store.ts';
import { Damaged } from '#src/git/base/errors.ts';
import { isGone } from '#src/git/base/existence.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { RefReader } from '#src/git/refs/read.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Records pushes that a crash left unrecorded; enqueued at every start. */
    'repositories.reconcile': Record<string, never>;
  }
}

/** How many projects are loaded per statement. */
const BATCH_SIZE = 500;

/**
 * Records refs that git has and the database lacks, because of a crash in between: for every repository of a project. Those that are
 * being filled by a copy or an import are left to that.
 */
export async function reconcileAll(stores: WithRepositories & ChangeContext): Promise<void> {
  const each = new ErrorCollector();
  for (let last = 0; ; ) {
    const rows = await stores.db.$queryRaw<{ id: number; repositoryStorage: string; isRecorded: boolean }[]>`
      SELECT p.id, p.repository_storage AS "repositoryStorage",
        EXISTS (SELECT 1 FROM recorded_refs r WHERE r.project_id = p.id) AS "isRecorded"
      FROM projects p WHERE p.id > ${last} AND p.deleted_at IS NULL
        AND p.import_status IS DISTINCT FROM 'scheduled' AND p.import_status IS DISTINCT FROM 'started'
        AND NOT EXISTS (SELECT 1 FROM repository_copies c WHERE c.project_id = p.id)
      ORDER BY p.id LIMIT ${BATCH_SIZE}`;
    const there = rows.filter((place) => place.isRecorded || hasRepository(stores, place));
    await each.run(there, ({ id }) => reconcileRepository(stores, id).catch((error) => spare(stores, error)));
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH_SIZE) break;
  }
  each.end();
}

/** Whether there is a repository of which nothing was ever recorded: most projects without records have none. */
function hasRepository({ repositories }: WithRepositories, place: RepositoryPlace): boolean {
  return repositories.root(place.repositoryStorage) !== undefined && !isGone(repositories.directory(place));
}

/** "gantry fsck" reports unreadable repositories: a retry would not help. */
function spare({ repositories }: WithRepositories & ChangeContext, error: unknown): void {
  if (!(error instanceof Damaged)) throw error;
  repositories.reportDamage(error);
}

/** Like reconcileAll, for one project; unrecorded pushes are attributed to its creator, and get their pipelines. */
export async function reconcileRepository(stores: WithRepositories & ChangeContext, projectId: number): Promise<void> {
  const { db, repositories } = stores;
  const project = await findPushedProject(db, projectId);
  const reader = project && (await repositories.open(project));
  // A missing repository was lost rather than emptied: its records stay.
  if (!project || !reader || (await unrecordedChanges(db, reader, projectId)).length === 0) return;
  const settings = await currentSettings(db);
  const pusher = await findPusher(db, project.creatorId);
  await withRepositoryLock(db, projectId, async (tx) => {
    // A concurrent writer may have recorded it.
    const changes = await unrecordedChanges(tx, reader, projectId);
    const recorder = { reader, project, settings, pusher, described: new Map() };
    const pushed = changes.filter(({ name }) => !isOwnRef(name));
    const own = changes.filter(({ name }) => isOwnRef(name));
    if (pushed.length > 0) {
      await record(tx, recorder, pushed);
      const { described } = recorder;
      const push = { project, pusher, changes: pushed, reader, described, isRecovered: true };
      await recordChange(tx, stores, { type: 'refsPushed', ...push });
    }
    if (own.length > 0) await recordOwnRefs(tx, projectId, own);
  });
}

/** The changes of branches, tags and the server's own refs that are not in the database. */
export async function unrecordedChanges(
  db: Pick<Db, 'recordedRef'> | Transaction,
  reader: RepositoryReader,
  projectId: number,
): Promise<RefChange[]> {
  const rows = await db.recordedRef.findMany({ where: { projectId }, select: { name: true, oid: true } });
  const recorded = new Map(rows.map(({ name, oid }) => [name, oid]));
  const refs = new RefReader(reader.directory);
  const [branches, tags, ...own] = await Promise.all([
    reader.branches(),
    reader.tags(),
    ...OWN_REFS.map((prefix) => refs.list(prefix)),
  ]);
  const present = new Map<string, Oid>([
    ...branches.map(({ name, commit }) => [`refs/heads/${name}`, commit] as const),
    ...tags.map(({ name, target }) => [`refs/tags/${name}`, target] as const),
    ...own.flat().map(({ name, target }) => [name, target] as const),
  ]);
  const changes: RefChange[] = [];
  for (const [name, to] of present) {
    const from = recorded.get(refKey(name)) ?? null;
    recorded.delete(refKey(name));
    if (from !== to) changes.push({ name, from, to });
  }
  for (const [key, from] of recorded) {
    if (/^refs\/(heads|tags)\//.test(key) || isOwnRef(key)) changes.push({ name: key, from, to: null });
  }
  return changes;
}
