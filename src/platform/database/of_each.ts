import { originalOf } from './copies.ts';
import type { Db } from './db.ts';

/**
 * What is kept in memory about the records of a database, by their numbers: a process may come to work on another one, whose
 * records have the same numbers.
 *
 * @param make makes what a database has when it is asked for first
 */
export function ofEachDatabase<Kept>(make: () => Kept): (db: Db) => Kept {
  const known = new WeakMap<Db, Kept>();
  return (given) => {
    const db = originalOf(given);
    const kept = known.get(db) ?? make();
    known.set(db, kept);
    return kept;
  };
}
