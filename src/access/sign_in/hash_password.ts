import crypto from 'node:crypto';
import type { HashRequest } from '#src/access/sign_in/hashing_thread.ts';
import { Threads } from '#src/base/thread.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { networkOf } from '#src/platform/limits/network.ts';

/** What a new hash costs: scrypt's parameters. Tests that hash many passwords make `N` smaller. */
export const PASSWORD_COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

/** How many passwords are hashed at a time, in all and per network; how many wait, in all and per network. */
export const HASHING = { concurrency: 2, perCaller: 1, waitingPerCaller: 10, waiting: 40, patience: 10_000 };

/** The one queue of the process: each hash takes 32 MiB and most of a tenth of a second of a core. */
const queue = new CallerSemaphore(HASHING);

/** In a checkout the script is TypeScript, in the published package JavaScript. */
const SCRIPT = new URL(`./hashing_thread.${import.meta.filename.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
/** The heap does not include scrypt's memory. The time is many times what a hash takes on a slow machine. */
const LIMITS = { threads: HASHING.concurrency, memory: 64, milliseconds: 30_000, idle: 30_000 };
const threads = new Threads<HashRequest, Uint8Array>(SCRIPT, LIMITS);

/** More characters than a password can have; longer input is not hashed. */
const MAX_PASSWORD_LENGTH = 1024;

/**
 * Returns a memory-hard hash (scrypt, 32 MiB) with its parameters and salt in one string. `address` is the client's, for fair
 * queueing; null without one. Throws RateLimited, Unavailable.
 */
export async function hashPassword(password: string, address: string | null): Promise<string> {
  const salt = crypto.randomBytes(16);
  const hash = await scrypt({ password, salt, length: 32, options: PASSWORD_COST }, address);
  return [
    'scrypt',
    PASSWORD_COST.N,
    PASSWORD_COST.r,
    PASSWORD_COST.p,
    salt.toString('base64url'),
    hash.toString('base64url'),
  ].join('$');
}

/**
 * Whether the password matches the hash. Without a hash it takes as long and returns false, so that it does not reveal which
 * users exist. Callers must have passed the limits of attempts. Throws RateLimited, Unavailable.
 */
export async function verifyPassword(
  password: string,
  stored: string | undefined,
  address: string | null,
): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (stored ?? hashOfNobody()).split('$');
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: PASSWORD_COST.maxmem };
  const read = password.slice(0, MAX_PASSWORD_LENGTH);
  const actual = await scrypt({ password: read, salt: Buffer.from(salt, 'base64url'), length: 32, options }, address);
  const expected = Buffer.from(hash, 'base64url');
  return crypto.timingSafeEqual(actual, expected) && stored !== undefined && read === password;
}

/** A hash that no password has. */
export function hashOfNobody(): string {
  return `scrypt$${PASSWORD_COST.N}$${PASSWORD_COST.r}$${PASSWORD_COST.p}$AAAAAAAAAAAAAAAAAAAAAA$${'A'.repeat(43)}`;
}

async function scrypt(request: HashRequest, address: string | null): Promise<Buffer> {
  return Buffer.from(await queue.run(address === null ? 'nobody' : networkOf(address), () => threads.run(request)));
}
