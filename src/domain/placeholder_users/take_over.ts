import type { Context } from '#src/access/permissions/actor.ts';
import { removeUser } from '#src/domain/lifecycle/delete_user.ts';
import { mayTake, OWN_ONCE, USER_COLUMNS, type UserColumn } from '#src/domain/placeholder_users/columns.ts';
import { giveMemberships } from '#src/domain/placeholder_users/memberships.ts';
import { tellAssigned } from '#src/domain/placeholder_users/tell.ts';
import { ghostId } from '#src/domain/users/ghost.ts';
import { type Db, Prisma, type Transaction } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { factsOf } from '#src/platform/records/model.ts';
import { select } from '#src/platform/records/selection.ts';

const { sql, raw, join } = Prisma;

/** Records that one statement gives to the account. */
const BATCH_SIZE = 1_000;
/** Placeholders that one run takes over: it comes again. */
const MAX_PER_RUN = 100;
/** Milliseconds for the end of a takeover: an import that names the placeholder is waited for, and else the next run does it. */
const END_TIMEOUT_MS = 60_000;

/** What jobs have. */
type Background = Omit<Context, 'actor'>;

/** From whom, and to whom. */
interface Takeover {
  from: number;
  to: number;
}

/** Goes on with every takeover that is under way: the process that was at it may be gone. */
export async function takeOverAll(context: Background): Promise<void> {
  const rows = await context.db.importSourceUser.findMany({
    where: { status: 'reassignment_in_progress' },
    select: { id: true },
    orderBy: { updatedAt: 'asc' },
    take: MAX_PER_RUN,
  });
  for (const { id } of rows) await takeOver(context, id);
}

/**
 * Gives everything that a placeholder has to the account that accepted it, or that an administrator assigned it to, or to the ghost, and
 * removes the placeholder. What would let the account see more than it may stays with the placeholder. Does nothing unless that is under
 * way; stopped in the middle, it goes on.
 */
export async function takeOver(context: Background, sourceUserId: number): Promise<void> {
  const { db } = context;
  const row = await db.importSourceUser.findFirst({
    where: { id: sourceUserId, status: 'reassignment_in_progress' },
    include: { reassignToUser: { select: { id: true, state: true } } },
  });
  if (!row) return;
  const { id, placeholderUserId: from, toGhost, reassignToUser: account, acceptedAt, confirmationSkipped } = row;
  const isGiven = account !== null && (confirmationSkipped || (account.state === 'active' && acceptedAt !== null));
  if (toGhost && from !== null) await giveToGhost(context, from);
  if (toGhost) {
    await db.importSourceUser.deleteMany({ where: { id, status: 'reassignment_in_progress' } });
  } else if (!isGiven) {
    const nobody = { status: 'pending_reassignment', reassignToUserId: null, acceptedAt: null } as const;
    await db.importSourceUser.updateMany({
      where: { id, status: 'reassignment_in_progress' },
      data: { ...nobody, confirmationSkipped: false },
    });
  } else {
    // Before the rest, which the account may see by them.
    await giveMemberships(context, id, { accountId: account.id, assignedById: row.reassignedById });
    if (from !== null) await give(db, { from, to: account.id });
    await complete(context, { ...row, accountId: account.id });
  }
}

interface Done {
  id: number;
  namespaceId: number;
  accountId: number;
  confirmationSkipped: boolean;
}

/** An account that was not asked has agreed to nothing that comes later, and learns of it. */
async function complete(context: Background, done: Done): Promise<void> {
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.importSourceUser.updateMany({
      where: { id: done.id, status: 'reassignment_in_progress' },
      data: { status: 'completed', confirmationSkipped: false },
    });
    if (count > 0 && done.confirmationSkipped) await tellAssigned(tx, context, done);
  });
}

async function giveToGhost(context: Background, id: number): Promise<void> {
  const ghost = await ghostId(context.db, context.secret);
  await removeUser({ ...context, actor: null }, { id, ghost }, select('User', { id: true }));
}

async function give(db: Db, takeover: Takeover): Promise<void> {
  for (const column of USER_COLUMNS) {
    await dropDoubles(db, column, takeover);
    while ((await giveSome(db, column, takeover)) > 0);
  }
  await db.$transaction(
    async (tx) => {
      // From here on nothing new can name it.
      await tx.$queryRaw`SELECT id FROM users WHERE id = ${takeover.from} AND placeholder_source IS NOT NULL FOR UPDATE`;
      for (const column of USER_COLUMNS) {
        await dropDoubles(tx, column, takeover);
        while ((await giveSome(tx, column, takeover)) > 0);
      }
      if (await isNamed(tx, takeover.from)) return;
      await tx.$executeRaw`DELETE FROM users WHERE id = ${takeover.from} AND placeholder_source IS NOT NULL`;
    },
    { timeout: END_TIMEOUT_MS, maxWait: 10_000 },
  );
}

/** Whether anything names a user in a column that imports set. */
async function isNamed(tx: Pick<Transaction, '$queryRaw'>, id: number): Promise<boolean> {
  const [found] = await tx.$queryRaw<{ isNamed: boolean }[]>`SELECT ${named(sql`${id}`)} AS "isNamed"`;
  return found?.isNamed ?? false;
}

/** SQL for whether memberships are kept for whoever takes over the placeholder with an ID. */
export function hasMemberships(id: Prisma.Sql): Prisma.Sql {
  return sql`EXISTS (SELECT 1 FROM import_source_users ms JOIN import_source_memberships mk ON mk.source_user_id = ms.id
    WHERE ms.placeholder_user_id = ${id})`;
}

/** SQL for whether anything names a user in a column that imports set. */
export function named(id: Prisma.Sql): Prisma.Sql {
  const parts = USER_COLUMNS.map(({ model, column }) => {
    const row = alias(model, 'r');
    return sql`EXISTS (SELECT 1 FROM ${table(row)} WHERE ${Reflect.get(row, column)} = ${id})`;
  });
  return sql`(${join(parts, ' OR ')})`;
}

/** Gives some of the records of a column to the account; how many. */
function giveSome(db: Pick<Db, '$executeRaw'>, of: UserColumn, { from, to }: Takeover): Promise<number> {
  const { table: name, columns } = factsOf(of.model);
  const row = alias(of.model, 'r');
  const column = raw(`"${columns[of.column]?.name}"`);
  const some = sql`SELECT r.ctid FROM ${table(row)} WHERE ${Reflect.get(row, of.column)} = ${from}
    AND ${mayTake(of, row, to)} LIMIT ${BATCH_SIZE}`;
  return db.$executeRaw`UPDATE ${raw(`"${name}"`)} SET ${column} = ${to} WHERE ctid = ANY(ARRAY(${some})) AND ${column} = ${from}`;
}

/**
 * Removes what both users have and each may have once, and approvals of what is not merged: whoever takes over has not seen it. Of the
 * assignees that are the same, the first one stays.
 */
async function dropDoubles(db: Pick<Db, '$executeRaw'>, of: UserColumn, { from, to }: Takeover): Promise<void> {
  if (of.model === 'MergeRequestApproval') {
    await db.$executeRaw`DELETE FROM merge_request_approvals a USING merge_requests m
      WHERE a.user_id = ${from} AND m.id = a.merge_request_id AND m.state <> 'merged'`;
  }
  const keys = OWN_ONCE[of.model];
  if (keys === undefined) return;
  const { table: name } = factsOf(of.model);
  const [one, other] = [alias(of.model, 'one'), alias(of.model, 'other')] as const;
  const same = join(
    keys.map((key) => sql`${Reflect.get(one, key)} = ${Reflect.get(other, key)}`),
    ' AND ',
  );
  const drop = (gone: number, kept: number, only = sql`TRUE`) => db.$executeRaw`
    DELETE FROM ${raw(`"${name}"`)} one USING ${table(other)} WHERE ${same} AND ${Reflect.get(one, of.column)} = ${gone}
      AND ${Reflect.get(other, of.column)} = ${kept} AND ${only}`;
  const isList = of.model === 'IssueAssignee' || of.model === 'MergeRequestAssignee';
  if (isList) await drop(to, from, sql`one.position > other.position`);
  await drop(from, to);
}
