import { type Db, Prisma } from '#src/platform/database/db.ts';

const sending = new WeakSet<object>();

/** Says that this process sends mail for the accounts of that database; called once, at the start. */
export function startSending(db: Db): void {
  sending.add(db);
}

/**
 * Whether mail is sent. If not, users are confirmed from the start, links are printed by the command line, and
 * no confirmations are needed.
 */
export function sendsMail(db: Db): boolean {
  return sending.has(db);
}

/** Whether a user, under the alias `u`, can sign in: if mail is sent, only with a confirmed address. */
export function canAuthenticateSql(db: Db): Prisma.Sql {
  return sendsMail(db) ? Prisma.sql`u.confirmed_at IS NOT NULL` : Prisma.sql`TRUE`;
}
