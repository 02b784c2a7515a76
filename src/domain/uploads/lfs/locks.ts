import { can } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { BadRequest, Forbidden, NotFound } from '#src/platform/errors.ts';

/** A lock on a file, as clients of Git LFS get it. */
export interface LfsLockRecord {
  id: string;
  path: string;
  locked_at: string;
  owner: { name: string };
}

/** Locks of one answer, characters of the longest path, and locks of one project. */
const MAX_LISTED_LOCKS = 100;
const MAX_PATH_LENGTH = 4_096;
const MAX_LOCKS = 10_000;

interface Row {
  id: number;
  path: string;
  lockedAt: Date;
  userId: number;
  user: { username: string };
}

const SELECT = { id: true, path: true, lockedAt: true, userId: true, user: { select: { username: true } } } as const;

function recordOf({ id, path, lockedAt, user }: Row): LfsLockRecord {
  return { id: String(id), path, locked_at: lockedAt.toISOString(), owner: { name: user.username } };
}

/** Locks a file for a user. Returns the lock, and whether it is that of an earlier call or another user. Throws BadRequest. */
export async function lockFile(
  { db }: Context,
  actor: Actor,
  { id: projectId }: ProjectRow,
  path: unknown,
): Promise<{ lock: LfsLockRecord; isTaken: boolean }> {
  if (typeof path !== 'string' || path === '' || path.length > MAX_PATH_LENGTH || path.includes('\0')) {
    throw new BadRequest('path is missing or too long');
  }
  if (!path.isWellFormed()) throw new BadRequest('path is invalid');
  const made = await db.$queryRaw<{ id: number }[]>`
    INSERT INTO lfs_locks (project_id, path, user_id) SELECT ${projectId}::int, ${path}, ${actor.id}::int
    WHERE (SELECT count(*) FROM lfs_locks WHERE project_id = ${projectId}) < ${MAX_LOCKS}
    ON CONFLICT (project_id, path) DO NOTHING RETURNING id`;
  const lock = await db.lfsLock.findUnique({ where: { projectId_path: { projectId, path } }, select: SELECT });
  if (!lock) throw new BadRequest(`A project can have at most ${MAX_LOCKS} locks`).as('limitReached');
  return { lock: recordOf(lock), isTaken: made.length === 0 };
}

/** What locks are asked for, as clients send it. */
export interface LockQuery {
  path?: unknown;
  id?: unknown;
  cursor?: unknown;
  limit?: unknown;
}

/** A page of the locks of a project, by ID; the cursor of the next page if there is one. */
export async function listLocks(
  { db }: Context,
  { id: projectId }: ProjectRow,
  { path, id, cursor, limit }: LockQuery,
): Promise<{ locks: (LfsLockRecord & { userId: number })[]; next: string | undefined }> {
  const most = Math.min(numberIn(limit) ?? MAX_LISTED_LOCKS, MAX_LISTED_LOCKS) || MAX_LISTED_LOCKS;
  const rows = await db.lfsLock.findMany({
    where: {
      projectId,
      ...(typeof path === 'string' && path !== '' ? { path: path.replaceAll('\0', '') } : {}),
      id: { gte: numberIn(cursor) ?? 0, ...(numberIn(id) === null ? {} : { equals: numberIn(id) ?? 0 }) },
    },
    select: SELECT,
    orderBy: { id: 'asc' },
    take: most + 1,
  });
  const locks = rows.slice(0, most).map((row) => ({ ...recordOf(row), userId: row.userId }));
  return { locks, next: rows[most] && String(rows[most].id) };
}

function numberIn(text: unknown): number | null {
  const isScalar = typeof text === 'string' || typeof text === 'number';
  return isScalar && /^\d{1,9}$/.test(String(text)) ? Number(text) : null;
}

/** Removes a lock: that of the user, or with `force`, for masters, that of another. Throws NotFound, Forbidden. */
export async function unlockFile(
  { db }: Context,
  actor: Actor,
  project: ProjectRow,
  { id, force }: { id: string; force: boolean },
): Promise<LfsLockRecord> {
  const lock = await db.lfsLock.findFirst({ where: { id: numberIn(id) ?? 0, projectId: project.id }, select: SELECT });
  if (!lock) throw new NotFound('Lock');
  if (lock.userId !== actor.id) {
    if (!force) throw new Forbidden(`The file is locked by ${lock.user.username}`).asWrongState();
    if (!can(actor, 'unlock_file', project)) throw new Forbidden('Only masters can remove the locks of others');
  }
  await db.lfsLock.deleteMany({ where: { id: lock.id } });
  return recordOf(lock);
}
