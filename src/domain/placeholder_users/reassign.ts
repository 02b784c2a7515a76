import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { managed } from '#src/domain/placeholder_users/find.ts';
import { isActivePerson } from '#src/domain/users/matching.ts';
import type { ImportSourceUser } from '#src/generated/prisma/client.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, ValidationFailed, WrongState } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const [source, user] = [alias('ImportSourceUser', 's'), alias('User', 'u')] as const;

/** The ID of a user of a source that was changed. */
export interface ChangedSourceUser {
  id: number;
}

type Row = Pick<ImportSourceUser, 'id' | 'status' | 'placeholderUserId' | 'reassignToUserId'> & { isAccepted: boolean };

/**
 * Asks an account to take over a placeholder, for owners of the namespace. An account that has accepted before is not asked again: what
 * came since is given to it. Throws NotFound, WrongState, and ValidationFailed unless the account is that of an active person.
 */
export function reassign(context: Context, id: number, userId: number): Promise<ChangedSourceUser> {
  return change(context, id, async (tx, row) => {
    requirePlaceholder(row);
    const people = await queryRows(
      tx,
      sql`SELECT 1 FROM ${table(user)} WHERE ${user.id} = ${userId} AND ${isActivePerson(user)} FOR KEY SHARE`,
    );
    if (people.length === 0) throw new ValidationFailed({ userId: ['must be the account of an active user'] });
    const hasAccepted = row.isAccepted && row.reassignToUserId === userId;
    const reassignedById = requireActor(context).id;
    if (!hasAccepted) {
      return { status: 'awaiting_approval', reassignToUserId: userId, reassignedById, acceptedAt: null };
    }
    await context.jobs.enqueue(tx, 'users.take_over_placeholders', { sourceUserId: id });
    return { status: 'reassignment_in_progress' };
  });
}

/** Withdraws what was asked of an account. Throws NotFound, and WrongState unless its answer is waited for, or it has refused. */
export function cancelReassignment(context: Context, id: number): Promise<ChangedSourceUser> {
  return change(context, id, async (_tx, row) => {
    if (row.status !== 'awaiting_approval' && row.status !== 'rejected') {
      throw new WrongState('No answer is waited for');
    }
    return { status: 'pending_reassignment', reassignToUserId: null, reassignedById: null, acceptedAt: null };
  });
}

/** Decides that a placeholder stays as it is. Nobody is asked any more. Throws NotFound, WrongState. */
export function keepAsPlaceholder(context: Context, id: number): Promise<ChangedSourceUser> {
  return change(context, id, async (_tx, row) => {
    requirePlaceholder(row);
    return { status: 'keep_as_placeholder', reassignToUserId: null, reassignedById: null, acceptedAt: null };
  });
}

/** Gives what a placeholder has to the ghost, for good. Throws NotFound, WrongState. */
export function giveToGhost(context: Context, id: number): Promise<ChangedSourceUser> {
  return change(context, id, async (tx, row) => {
    requirePlaceholder(row);
    await context.jobs.enqueue(tx, 'users.take_over_placeholders', { sourceUserId: id });
    return { status: 'reassignment_in_progress', toGhost: true };
  });
}

/** Requires a placeholder that nobody has taken over, and nobody is taking over. Throws WrongState. */
function requirePlaceholder({ status, placeholderUserId }: Row): void {
  if (status === 'reassignment_in_progress') throw new WrongState('The placeholder is being taken over');
  if (placeholderUserId === null) throw new WrongState('The placeholder has been taken over already');
}

/** Changes a user of a source for those who manage its namespace: for all others there is none. */
async function change(
  context: Context,
  id: number,
  decide: (tx: Transaction, row: Row) => Promise<Prisma.ImportSourceUserUncheckedUpdateInput>,
): Promise<ChangedSourceUser> {
  const actor = requireActor(context);
  if (actor.bot) throw new Forbidden();
  await context.db.$transaction(async (tx) => {
    const [row] = await queryRows<Row>(
      tx,
      sql`SELECT ${source.id}, ${source.status}, ${source.placeholderUserId} AS "placeholderUserId",
          ${source.reassignToUserId} AS "reassignToUserId", ${source.acceptedAt} IS NOT NULL AS "isAccepted"
        FROM ${table(source)} WHERE ${source.id} = ${id} AND ${managed(actor)} FOR UPDATE OF s`,
    );
    if (!row) throw new NotFound('ImportSourceUser');
    await tx.importSourceUser.update({ where: { id }, data: await decide(tx, row) });
  });
  return { id };
}
