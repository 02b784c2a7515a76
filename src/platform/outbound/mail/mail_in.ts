import type { Db } from '#src/platform/database/db.ts';

/** What stands for the key in the address of incoming mail. */
export const KEY = '%{key}';

const patterns = new WeakMap<object, string>();

/** Says that mail to these addresses is received for the database; called once, at the start. */
export function startMailIn(db: Db, pattern: string): void {
  patterns.set(db, pattern);
}

/** The address of incoming mail with `%{key}` in it; null where no mail is received. */
export function mailInPattern(db: Db): string | null {
  return patterns.get(db) ?? null;
}
