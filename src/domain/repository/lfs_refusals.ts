import type { Context } from '#src/access/permissions/actor.ts';
import { presentObjects } from '#src/domain/repository/lfs_objects.ts';
import { POINTER_BYTES, parsePointer } from '#src/domain/repository/lfs_pointer.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { Quarantine } from '#src/git/incoming/quarantine.ts';
import type { PushCommand } from '#src/git/remote/push_request.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

/** Small new files of a push that are looked through for pointers; those of larger pushes are not. */
const MAX_SMALL_FILES = 100_000;

/** Branches of a push that are told apart by the locked files that they change. */
const MAX_BRANCHES = 50;

/** A push, as far as large files of it are checked. */
export interface LfsCheck {
  projectId: number;
  /** Who pushes. */
  userId: number;
  commands: readonly PushCommand[];
  quarantine: Quarantine;
  /** Values of refs before the push. */
  bounds: ReadonlySet<Oid>;
}

/**
 * Why changes of refs are not allowed in a project with Git LFS: new commits change a file that another user has locked, or new
 * files point to objects that the server does not have.
 */
export async function lfsRefusals({ db }: Pick<Context, 'db'>, check: LfsCheck): Promise<Map<PushCommand, string>> {
  const refused = new Map<PushCommand, string>();
  const commands = check.commands.filter(({ to }) => to !== null && !check.bounds.has(to));
  if (commands.length === 0) return refused;
  const project = await db.project.findUnique({ where: { id: check.projectId }, select: { lfsEnabled: true } });
  if (!project?.lfsEnabled) return refused;
  const missing = await missingObject(db, check, commands);
  if (missing !== null) {
    for (const command of commands) refused.set(command, missing);
    return refused;
  }
  const locks = await foreignLocks(db, check.projectId, check.userId);
  if (locks.size === 0) return refused;
  const branches = commands.filter(({ name }) => name.startsWith('refs/heads/'));
  const lockedIn = async (some: readonly PushCommand[]) => {
    const tips = some.flatMap(({ to }) => to ?? []);
    const [path] = await check.quarantine.changedAmong([...locks.keys()], tips, check.bounds);
    return path === undefined ? null : lockedBy(path, locks.get(path) ?? '');
  };
  const any = branches.length === 0 ? null : await lockedIn(branches);
  if (any === null) return refused;
  for (const branch of branches) {
    const reason = branches.length > MAX_BRANCHES ? any : await lockedIn([branch]);
    if (reason !== null) refused.set(branch, reason);
  }
  return refused;
}

/** The message for a change of a file that somebody else has locked. */
function lockedBy(path: string, owner: string): string {
  return `${path.toWellFormed()} is locked by ${owner} (Git LFS)`;
}

/** Why files that a commit of the API changes must not be changed; null if they may. */
export async function lockRefusal(
  db: Db | Transaction,
  { projectId, userId, paths }: { projectId: number; userId: number; paths: readonly string[] },
): Promise<string | null> {
  const wanted = paths.filter((path) => path.isWellFormed() && !path.includes('\0'));
  const lock = await db.lfsLock.findFirst({
    where: { projectId, userId: { not: userId }, path: { in: wanted }, project: { lfsEnabled: true } },
    select: { path: true, user: { select: { username: true } } },
    orderBy: { id: 'asc' },
  });
  return lock && lockedBy(lock.path, lock.user.username);
}

/** The files that other users have locked, with who has. */
async function foreignLocks(db: Db, projectId: number, userId: number): Promise<Map<string, string>> {
  const locks = await db.lfsLock.findMany({
    where: { projectId, userId: { not: userId } },
    select: { path: true, user: { select: { username: true } } },
  });
  return new Map(locks.map(({ path, user }) => [path, user.username]));
}

/** The refusal of new files that point to an object which the project lacks; null if it has all of them. */
async function missingObject(db: Db, check: LfsCheck, commands: readonly PushCommand[]): Promise<string | null> {
  const { quarantine, bounds, projectId } = check;
  const tips = commands.flatMap(({ to }) => to ?? []);
  const known = quarantine.knownFiles(tips, bounds, POINTER_BYTES.most);
  // One that seems to be missing may be of a file that was there before.
  if (known !== null && (await missingAmong(db, projectId, known)) === null) return null;
  const limits = { ...POINTER_BYTES, count: MAX_SMALL_FILES };
  const missing = await missingAmong(db, projectId, quarantine.newFiles(tips, bounds, limits));
  return missing === null ? null : `objects of Git LFS are missing, such as ${missing}: run git lfs push --all first`;
}

/** An object that one of these files points to and the project lacks; null if it has all of them. */
async function missingAmong(
  db: Db,
  projectId: number,
  contents: Iterable<string> | AsyncIterable<string>,
): Promise<string | null> {
  const wanted = new Set<string>();
  for await (const content of contents) {
    const pointer = parsePointer(content);
    // What is empty is no object.
    if (pointer !== null && pointer.size > 0) wanted.add(pointer.oid);
  }
  if (wanted.size === 0) return null;
  const present = await presentObjects(db, projectId, [...wanted]);
  return [...wanted].find((oid) => !present.has(oid)) ?? null;
}
