import type { Db } from './db.ts';

/** The clients of databases by those of their copies. */
const originals = new WeakMap<object, Db>();

/** Notes that a client reads from a copy of a database. */
export function noteCopy(copy: Db, original: Db): void {
  originals.set(copy, original);
}

/** The client of the database itself, where one reads from a copy: what is kept in memory belongs to that. */
export function originalOf(db: Db): Db {
  return originals.get(db) ?? db;
}
