import crypto from 'node:crypto';
import type { Db } from '#src/platform/database/db.ts';
import { RateLimited } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { networkOf } from '#src/platform/limits/network.ts';

/** How many wrong passwords an account may get in a window before further attempts are rejected unread. */
export const ACCOUNT_LIMIT = 10;
/** Like ACCOUNT_LIMIT, but per client address (an IPv6 network of 64 bits), whatever the accounts. */
export const ADDRESS_LIMIT = 30;
/** Length of a window in seconds; it begins with its first wrong password. */
export const WINDOW = 60;

/** How many attempts run at a time, in all and per network; how many wait, in all and per network. */
export const SPACING = { concurrency: 8, perCaller: 1, waitingPerCaller: 10, waiting: 50, patience: 20_000 };

const queue = new CallerSemaphore(SPACING);

/** Seconds for which a row may count. */
const MAX_AGE_SECONDS = 60 * 60;

/** The account whose password is tried, and the client address. */
export interface Attempt {
  /** The ID of the user, or the login if it matches no user. */
  account: number | string;
  address: string | null;
}

/**
 * Counts an attempt before its password is checked, so that concurrent attempts cannot pass the limit together. Throws
 * RateLimited. `succeeded` takes the attempt back when the password was right.
 */
export async function beginAttempt(db: Db, attempt: Attempt): Promise<void> {
  const [account, address] = keysOf(attempt);
  // The address first: while it is over its limit it counts against no account, and leaves no rows for made-up names.
  if (address !== undefined) await countUses(db, WINDOW, { [address]: ADDRESS_LIMIT });
  await countUses(db, WINDOW, { [account]: ACCOUNT_LIMIT });
}

/**
 * Runs an attempt when no other of the same network (an IPv4 address, an IPv6 network of 64 bits) is running, so that one client
 * takes neither the whole hashing queue nor all connections to the database. Throws RateLimited when too many attempts of that
 * network are waiting, Unavailable when too many are waiting in all.
 */
export function spaced<Result>(address: string | null, work: () => Promise<Result>): Promise<Result> {
  return address === null ? work() : queue.run(networkOf(address), work);
}

/**
 * Counts one use of each key, or as many as given, in a window of so many seconds that begins with its first use. `limits` maps each
 * key to its maximum. Throws RateLimited, but still counts.
 */
export async function countUses(
  db: Pick<Db, '$queryRaw'>,
  window: number,
  limits: Record<string, number>,
  uses = 1,
): Promise<void> {
  const counted = await db.$queryRaw<{ key: string; count: number; left: number }[]>`
    INSERT INTO sign_in_failures AS f (key, count, since)
    SELECT key, ${uses}::int, now() FROM unnest(${Object.keys(limits)}::text[]) key ORDER BY key
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN f.since <= now() - make_interval(secs => ${window}) THEN ${uses}::int ELSE f.count + ${uses}::int END,
      since = CASE WHEN f.since <= now() - make_interval(secs => ${window}) THEN now() ELSE f.since END
    RETURNING key, count, ceil(extract(epoch FROM since - now()) + ${window})::int AS left`;
  const over = counted.filter(({ key, count }) => count > (limits[key] ?? 0));
  if (over.length > 0) throw new RateLimited(Math.max(1, ...over.map(({ left }) => left)));
}

/** Clears the failures of the account, and takes this attempt back from those of the address. */
export async function succeeded(db: Db, attempt: Attempt): Promise<void> {
  const [account, address = ''] = keysOf(attempt);
  await db.$executeRaw`DELETE FROM sign_in_failures WHERE key = ${account}`;
  await db.$executeRaw`UPDATE sign_in_failures SET count = count - 1 WHERE key = ${address} AND count > 0`;
}

/** Takes the attempt back but clears nothing: the password was right, and a second factor is still to come. */
export async function halfway(db: Db, attempt: Attempt): Promise<void> {
  await db.$executeRaw`UPDATE sign_in_failures SET count = count - 1 WHERE key = ANY(${keysOf(attempt)}::text[]) AND count > 0`;
}

/** Removes expired rows; called after failures, which are what creates rows. No window is longer. */
export async function pruneAttempts(db: Db): Promise<void> {
  await db.$executeRaw`
    DELETE FROM sign_in_failures WHERE key IN (
      SELECT key FROM sign_in_failures WHERE since < now() - make_interval(secs => ${MAX_AGE_SECONDS}) FOR UPDATE SKIP LOCKED)`;
}

function keysOf({ account, address }: Attempt): [string, string?] {
  const named = typeof account === 'number' ? `#${account}` : digest(account.toLowerCase());
  return address === null ? [`account ${named}`] : [`account ${named}`, `address ${networkOf(address)}`];
}

/** Hashes names of any length into keys of one length. */
export function digest(text: string): string {
  return crypto.createHash('sha256').update(text).digest('base64url');
}
