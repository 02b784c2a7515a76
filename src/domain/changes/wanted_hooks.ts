import type { Db, Transaction } from '#src/platform/database/db.ts';
import type { Listener } from '#src/platform/database/listener.ts';

/** What commands tell hooks of themselves; triggers of the database tell of the rest. */
export interface Wanted {
  issue: boolean;
  mergeRequest: boolean;
  note: boolean;
}

/** The channel on which a trigger of the database says that hooks changed. */
const CHANNEL = 'gantry_hook_kinds';

const known = new WeakMap<object, Promise<Wanted>>();

/**
 * Whether any hook of the server wants to hear of such changes: as long as none does, a change costs no statement for hooks.
 * It is read once and kept until forgetWanted says that it may have changed.
 *
 * @param reader what reads it: the transaction that asks, so that it waits for no second connection
 */
export function hooksWant(db: Db, reader: Pick<Transaction, '$queryRaw'> = db): Promise<Wanted> {
  const kept = known.get(db);
  if (kept) return kept;
  const reading = read(reader);
  known.set(db, reading);
  reading.catch(() => {
    if (known.get(db) === reading) known.delete(db);
  });
  return reading;
}

/** Has it read anew by whoever asks next. */
export function forgetWanted(db: Db): void {
  known.delete(db);
}

/**
 * Forgets it whenever any process changes a hook, and whenever a change may have been missed.
 *
 * @returns the function that ends the watch
 */
export function watchHooks(db: Db, listener: Listener): Promise<() => Promise<void>> {
  const forget = () => forgetWanted(db);
  return listener.subscribe(CHANNEL, forget, forget);
}

async function read(reader: Pick<Transaction, '$queryRaw'>): Promise<Wanted> {
  const [found] = await reader.$queryRaw<[Wanted]>`
    SELECT COALESCE(bool_or(issues_events OR confidential_issues_events), false) AS issue,
      COALESCE(bool_or(merge_requests_events), false) AS "mergeRequest", COALESCE(bool_or(note_events), false) AS note
    FROM hooks WHERE disabled_at IS NULL`;
  return found;
}
