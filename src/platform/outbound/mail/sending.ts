import { type Db, Prisma } from '#src/platform/database/db.ts';

const sending = new WeakSet<object>();

/** Says that this process sends mail for the accounts of that database; called once, at the start. */
export function startSending(db: Db): void {
  sending.add(db);
}

/**
 * Whether mail is sent. Where none is, users are confirmed from the start, links are printed by the command line, and
 * nobody is asked to confirm anything.
 */
export function sendsMail(db: Db): boolean {
  return sending.has(db);
}

/** Whether a user, under the alias `u`, may be somebody: where mail is sent, only one who has confirmed an address. */
export function canAuthenticateSql(db: Db): Prisma.Sql {
  return sendsMail(db) ? Prisma.sql`u.confirmed_at IS NOT NULL` : Prisma.sql`TRUE`;
}
