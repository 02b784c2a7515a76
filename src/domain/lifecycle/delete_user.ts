import { type Auditing, audit } from '#src/access/audit/record.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { type ChangeContext, recordChange } from '#src/domain/changes/record.ts';
import { userById } from '#src/domain/users/find.ts';
import { ghostId } from '#src/domain/users/ghost.ts';
import { deadlocked, Prisma, type Transaction } from '#src/platform/database/db.ts';
import { ADMINISTRATORS_LOCK } from '#src/platform/database/lock_names.ts';
import { Forbidden } from '#src/platform/errors.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/** Milliseconds that a deletion may take: the user may have written a lot. */
const TRANSACTION_TIMEOUT_MS = 120_000;
const ATTEMPTS = 5;

/**
 * Deletes a user, for administrators: what others depend on (issues, merge requests, notes, projects of groups) is reassigned to
 * the ghost user, the personal namespace is marked and removed by a job, the rest is deleted immediately. Null if there is no
 * such user. Throws Forbidden for the actor's own account.
 */
export async function deleteUser<R>(context: Context, id: number, selection: Selection<'User', R>): Promise<R | null> {
  const actor = requireAdmin(context);
  if ((await context.db.user.count({ where: { id, ghost: false } })) === 0) return null;
  if ([actor.id, actor.impersonator].includes(id)) throw new Forbidden('Administrators cannot delete themselves');
  const ghost = await ghostId(context.db, context.secret);
  return removeUser(context, { id, ghost }, selection);
}

/** What removing a user needs; without an actor, the server does it. */
type Remover = Pick<Context, 'db' | 'jobs' | 'actor'> & ChangeContext & Auditing;

/** Whom to remove. */
interface Doomed {
  id: number;
  ghost: number;
  /** Refuses what must not be, in the transaction; when absent, the actor must still be an administrator. */
  check?: (tx: Transaction) => Promise<void>;
}

/** Removes a user, as deleteUser does. Null if there is no such user. Throws Forbidden if the actor is no administrator any more. */
export async function removeUser<R>(
  context: Remover,
  doomed: Doomed,
  selection: Selection<'User', R>,
): Promise<R | null> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await remove(context, doomed, selection);
    } catch (error) {
      // A concurrent action of the user may hold a row that is needed here, and wait for the user's own.
      if (!deadlocked(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function remove<R>(
  context: Remover,
  { id, ghost, check }: Doomed,
  selection: Selection<'User', R>,
): Promise<R | null> {
  const { db, jobs, actor } = context;
  return db.$transaction(
    async (tx) => {
      if (check) await check(tx);
      else if (actor) await requireStillAdmin(tx, actor.id, id);
      await tx.$queryRaw`SELECT id FROM users WHERE id = ${id} FOR NO KEY UPDATE`;
      const user = await userById(tx, id, selection);
      if (!user) return null;
      await bequeath(tx, id, ghost);
      const namespace = await abandonNamespace(tx, id);
      // From here on, nothing of the user's can be added. Taking this lock from the start could deadlock with concurrent
      // additions.
      await tx.$queryRaw`SELECT id FROM users WHERE id = ${id} FOR UPDATE`;
      await bequeath(tx, id, ghost);
      const event = { action: 'user_deleted', place: { userId: id }, target: { type: 'User', id } } as const;
      if (actor) await audit(tx, context, event);
      await tx.$executeRaw`DELETE FROM users WHERE id = ${id}`;
      if (namespace !== undefined) {
        await jobs.enqueue(tx, 'namespaces.remove', { namespaceId: namespace });
        // The server removes none that have projects.
        if (actor) {
          await recordChange(tx, context, { type: 'namespaceDeleted', namespace: { id: namespace }, actor });
        }
      }
      return user;
    },
    { timeout: TRANSACTION_TIMEOUT_MS, maxWait: 10_000 },
  );
}

/** Two administrators who delete each other at once would leave none: they are serialized, and the later one no longer exists. */
async function requireStillAdmin(tx: Transaction, actorId: number, targetId: number): Promise<void> {
  await tx.$queryRaw`
    SELECT pg_advisory_xact_lock(hashtextextended(${ADMINISTRATORS_LOCK}, 0))::text FROM users WHERE id = ${targetId} AND admin`;
  const actor = await tx.user.count({ where: { id: actorId, admin: true, state: 'active' } });
  if (actor === 0) throw new Forbidden();
}

async function bequeath(tx: Transaction, id: number, ghost: number): Promise<void> {
  await tx.$executeRaw`UPDATE issues SET author_id = ${ghost} WHERE author_id = ${id}`;
  await tx.$executeRaw`UPDATE merge_requests SET author_id = ${ghost} WHERE author_id = ${id}`;
  await unassign(tx, id, { records: sql`issues`, people: sql`issue_assignees`, subjectId: sql`issue_id` });
  await unassign(tx, id, {
    records: sql`merge_requests`,
    people: sql`merge_request_assignees`,
    subjectId: sql`merge_request_id`,
  });
  await tx.$executeRaw`UPDATE commit_comments SET author_id = ${ghost} WHERE author_id = ${id}`;
  await tx.$executeRaw`UPDATE snippets SET author_id = ${ghost} WHERE author_id = ${id} AND project_id IS NOT NULL`;
  await tx.$executeRaw`UPDATE notes SET author_id = ${ghost} WHERE author_id = ${id}`;
  await tx.$executeRaw`UPDATE discussions SET resolved_by_id = ${ghost} WHERE resolved_by_id = ${id}`;
  await tx.$executeRaw`UPDATE timelogs SET user_id = ${ghost} WHERE user_id = ${id}`;
  await tx.$executeRaw`UPDATE todos SET author_id = ${ghost} WHERE author_id = ${id} AND user_id <> ${id}`;
  await tx.$executeRaw`UPDATE pipelines SET user_id = ${ghost} WHERE user_id = ${id}`;
  await tx.$executeRaw`UPDATE jobs SET user_id = ${ghost} WHERE user_id = ${id}`;
  await tx.$executeRaw`UPDATE deployments SET user_id = ${ghost} WHERE user_id = ${id}`;
  await tx.$executeRaw`UPDATE projects SET creator_id = ${ghost} WHERE creator_id = ${id}`;
  await tx.$executeRaw`UPDATE import_source_users SET status = 'pending_reassignment', reassign_to_user_id = NULL, accepted_at = NULL
    WHERE reassign_to_user_id = ${id}`;
  // Other records are deleted with the user; these update counters of projects, for which many wait.
  await tx.$executeRaw`DELETE FROM snippets WHERE author_id = ${id} AND project_id IS NULL`;
  await tx.$executeRaw`DELETE FROM project_stars WHERE user_id = ${id}`;
}

/** Removes a user from the assignees of records: where the user is the first, the next one is from now on. */
async function unassign(
  tx: Transaction,
  id: number,
  { records, people, subjectId }: Record<'records' | 'people' | 'subjectId', Prisma.Sql>,
): Promise<void> {
  await tx.$executeRaw`DELETE FROM ${people} WHERE user_id = ${id}`;
  await tx.$executeRaw`UPDATE ${people} a SET position = 0 FROM ${records} r
    WHERE r.assignee_id = ${id} AND a.${subjectId} = r.id
      AND a.position = (SELECT min(o.position) FROM ${people} o WHERE o.${subjectId} = r.id)`;
  await tx.$executeRaw`UPDATE ${records} r SET assignee_id = (
    SELECT a.user_id FROM ${people} a WHERE a.${subjectId} = r.id AND a.position = 0) WHERE r.assignee_id = ${id}`;
}

/** Marks the personal namespace with its projects as deleted; returns its ID. */
async function abandonNamespace(tx: Transaction, ownerId: number): Promise<number | undefined> {
  const [namespace] = await tx.$queryRaw<{ id: number }[]>`
    UPDATE namespaces SET deleted_at = now(), owner_id = NULL WHERE owner_id = ${ownerId} RETURNING id`;
  if (!namespace) return undefined;
  await tx.$executeRaw`UPDATE projects SET deleted_at = now() WHERE namespace_id = ${namespace.id} AND deleted_at IS NULL`;
  return namespace.id;
}
