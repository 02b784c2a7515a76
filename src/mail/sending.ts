import type { Db } from '#src/db.ts';

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
