import type { Db, Transaction } from '#src/platform/database/db.ts';
import type { Listener } from '#src/platform/database/listener.ts';

/** Events for which commands notify webhooks; database triggers cover the others. */
export interface Wanted {
  issue: boolean;
  mergeRequest: boolean;
  note: boolean;
  release: boolean;
  wikiPage: boolean;
  featureFlag: boolean;
}

/** The channel on which a database trigger announces that webhooks changed. */
const CHANNEL = 'gantry_hook_kinds';

const known = new WeakMap<object, Promise<Wanted>>();

/**
 * Whether any webhook of the server receives such events: if none does, a change costs no statement for webhooks. Cached until
 * clearHookCache is called.
 *
 * @param reader where to read it: the transaction of the caller, so that it does not wait for a second connection
 */
export function hookSubscriptions(db: Db, reader: Pick<Transaction, '$queryRaw'> = db): Promise<Wanted> {
  const kept = known.get(db);
  if (kept) return kept;
  const reading = read(reader);
  known.set(db, reading);
  reading.catch(() => {
    if (known.get(db) === reading) known.delete(db);
  });
  return reading;
}

/** Clears the cache of hookSubscriptions. */
export function clearHookCache(db: Db): void {
  known.delete(db);
}

/**
 * Clears the cache whenever any process changes a webhook, and whenever a change may have been missed.
 *
 * @returns a function that stops watching
 */
export function watchHooks(db: Db, listener: Listener): Promise<() => Promise<void>> {
  const forget = () => clearHookCache(db);
  return listener.subscribe(CHANNEL, forget, forget);
}

async function read(reader: Pick<Transaction, '$queryRaw'>): Promise<Wanted> {
  const [found] = await reader.$queryRaw<[Wanted]>`
    SELECT COALESCE(bool_or(issues_events OR confidential_issues_events), false) AS issue,
      COALESCE(bool_or(merge_requests_events), false) AS "mergeRequest",
      COALESCE(bool_or(note_events OR confidential_note_events), false) AS note,
      COALESCE(bool_or(releases_events), false) AS release,
      COALESCE(bool_or(wiki_page_events), false) AS "wikiPage",
      COALESCE(bool_or(feature_flag_events), false) AS "featureFlag"
    FROM hooks WHERE disabled_at IS NULL`;
  return found;
}
