import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { type AuditedSourceUser, auditedColumns, auditPlaceholder } from '#src/domain/placeholder_users/audited.ts';
import { managed } from '#src/domain/placeholder_users/find.ts';
import { mayRemind, mayTell, tellAsked } from '#src/domain/placeholder_users/tell.ts';
import type { ImportSourceUser } from '#src/generated/prisma/client.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, ValidationFailed, WrongState } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { currentSettings, type Settings } from '#src/platform/settings/current.ts';

const { sql } = Prisma;
const [source, user] = [alias('ImportSourceUser', 's'), alias('User', 'u')] as const;

/** The ID of a user of a source that was changed. */
export interface ChangedSourceUser {
  id: number;
}

/** An account, by its ID or its username. */
export interface WantedAccount {
  userId?: number | null | undefined;
  username?: string | null | undefined;
}

type Row = Pick<ImportSourceUser, 'status' | 'placeholderUserId' | 'reassignToUserId'> &
  AuditedSourceUser & { isAccepted: boolean };

interface Account {
  id: number;
  username: string;
  admin: boolean;
}

/** What else is written in the transaction of a change. */
type Beside = (tx: Transaction) => Promise<void>;

const NOBODY = { reassignToUserId: null, reassignedById: null, acceptedAt: null, confirmationSkipped: false } as const;

/**
 * Asks an account to take over a placeholder, for owners of the namespace. An account that has accepted before is not asked again: what
 * came since is given to it. Where the settings let them, administrators assign it to an account without asking that, which may be one
 * that is not active. Throws NotFound, WrongState, and ValidationFailed unless the account is that of a person who may be assigned.
 */
export async function reassign(
  context: Context,
  id: number,
  wanted: WantedAccount,
  beside: Beside = async () => undefined,
): Promise<ChangedSourceUser> {
  const actor = requireActor(context);
  const settings = await currentSettings(context.db);
  const skips = actor.admin && settings.allowBypassPlaceholderConfirmation;
  return change(context, id, async (tx, row) => {
    await beside(tx);
    requirePlaceholder(row);
    const account = await findAccount(tx, wanted, settings, skips);
    const hasAccepted = row.isAccepted && row.reassignToUserId === account.id;
    const assigned = { reassignToUserId: account.id, reassignedById: actor.id };
    if (!hasAccepted && !skips) {
      if (await mayTell(tx, account.id)) await tellAsked(tx, context, actor, { ...row, accountId: account.id });
      await auditPlaceholder(tx, context, row, 'placeholder_reassignment_requested', account.username);
      return { ...assigned, status: 'awaiting_approval', acceptedAt: null, confirmationSkipped: false };
    }
    await context.jobs.enqueue(tx, 'users.take_over_placeholders', { sourceUserId: id });
    await auditPlaceholder(tx, context, row, 'placeholder_reassigned', account.username);
    if (hasAccepted) return { status: 'reassignment_in_progress' };
    return { ...assigned, status: 'reassignment_in_progress', acceptedAt: null, confirmationSkipped: true };
  });
}

/** Sends the mail to an account that was asked once more. Throws NotFound, WrongState unless its answer is waited for, and RateLimited. */
export function remind(context: Context, id: number): Promise<ChangedSourceUser> {
  return change(context, id, async (tx, row, actor) => {
    const { status, reassignToUserId: accountId } = row;
    if (status !== 'awaiting_approval' || accountId === null) throw new WrongState('No answer is waited for');
    await mayRemind(tx, id, accountId);
    await tellAsked(tx, context, actor, { ...row, accountId });
    return {};
  });
}

/** Withdraws what was asked of an account. Throws NotFound, and WrongState unless its answer is waited for, or it has refused. */
export function cancelReassignment(context: Context, id: number): Promise<ChangedSourceUser> {
  return change(context, id, async (tx, row) => {
    if (row.status !== 'awaiting_approval' && row.status !== 'rejected') {
      throw new WrongState('No answer is waited for');
    }
    await auditPlaceholder(tx, context, row, 'placeholder_reassignment_cancelled', await usernameOf(tx, row));
    return { ...NOBODY, status: 'pending_reassignment' };
  });
}

/** Decides that a placeholder stays as it is. Nobody is asked any more. Throws NotFound, WrongState. */
export function keepAsPlaceholder(context: Context, id: number): Promise<ChangedSourceUser> {
  return change(context, id, async (tx, row) => {
    requirePlaceholder(row);
    await auditPlaceholder(tx, context, row, 'placeholder_kept');
    return { ...NOBODY, status: 'keep_as_placeholder' };
  });
}

/** Gives what a placeholder has to the ghost, for good. Throws NotFound, WrongState. */
export function giveToGhost(context: Context, id: number): Promise<ChangedSourceUser> {
  return change(context, id, async (tx, row) => {
    requirePlaceholder(row);
    await context.jobs.enqueue(tx, 'users.take_over_placeholders', { sourceUserId: id });
    await auditPlaceholder(tx, context, row, 'placeholder_deleted');
    return { status: 'reassignment_in_progress', toGhost: true };
  });
}

/** Requires a placeholder that nobody has taken over, and nobody is taking over. Throws WrongState. */
function requirePlaceholder({ status, placeholderUserId }: Row): void {
  if (status === 'reassignment_in_progress') throw new WrongState('The placeholder is being taken over');
  if (placeholderUserId === null) throw new WrongState('The placeholder has been taken over already');
}

/** Throws ValidationFailed. */
async function findAccount(
  tx: Transaction,
  { userId, username }: WantedAccount,
  { allowContributionMappingToAdmins: toAdmins }: Settings,
  isAnyState: boolean,
): Promise<Account> {
  const field = userId == null && username != null ? 'username' : 'userId';
  const isNamed =
    field === 'userId' ? sql`${user.id} = ${userId ?? 0}` : sql`lower(${user.username}) = lower(${username})`;
  const isUsable = isAnyState ? sql`${user.state} <> 'blocked_pending_approval'` : sql`${user.state} = 'active'`;
  const [found] = await queryRows<Account>(
    tx,
    sql`SELECT ${user.id}, ${user.username}, ${user.admin} FROM ${table(user)}
      WHERE ${isNamed} AND ${isUsable} AND NOT ${user.bot} AND NOT ${user.ghost} FOR KEY SHARE`,
  );
  if (!found) throw new ValidationFailed({ [field]: ['must be the account of an active user'] });
  if (found.admin && !toAdmins) {
    throw new ValidationFailed({ [field]: ['is an administrator, to whom nothing may be assigned here'] });
  }
  return found;
}

async function usernameOf(tx: Transaction, { reassignToUserId: id }: Row): Promise<string | null> {
  if (id === null) return null;
  return (await tx.user.findUnique({ where: { id }, select: { username: true } }))?.username ?? null;
}

/** Changes a user of a source for those who manage its namespace: for all others there is none. */
async function change(
  context: Context,
  id: number,
  decide: (tx: Transaction, row: Row, actor: Actor) => Promise<Prisma.ImportSourceUserUncheckedUpdateInput>,
): Promise<ChangedSourceUser> {
  const actor = requireActor(context);
  if (actor.bot) throw new Forbidden();
  await context.db.$transaction(async (tx) => {
    const [row] = await queryRows<Row>(
      tx,
      sql`SELECT ${source.id}, ${source.status}, ${source.placeholderUserId} AS "placeholderUserId",
          ${source.reassignToUserId} AS "reassignToUserId", ${source.acceptedAt} IS NOT NULL AS "isAccepted", ${auditedColumns(source)}
        FROM ${table(source)} WHERE ${source.id} = ${id} AND ${managed(actor)} FOR UPDATE OF s`,
    );
    if (!row) throw new NotFound('ImportSourceUser');
    await tx.importSourceUser.update({ where: { id }, data: await decide(tx, row, actor) });
  });
  return { id };
}
