import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { Db } from '#src/platform/database/db.ts';
import { LeakyBucket } from '#src/platform/limits/leaky_bucket.ts';
import { currentSettings, type Settings } from '#src/platform/settings/current.ts';

/** What is limited by the settings: each of these by caller. */
export type Throttled =
  | 'unauthenticated_api'
  | 'unauthenticated_web'
  | 'authenticated_api'
  | 'authenticated_web'
  | 'unauthenticated_protected_paths';

/** How many requests in how many seconds. */
interface Quota {
  enabled: boolean;
  requests: number;
  seconds: number;
}

const QUOTAS: Record<Throttled, (settings: Settings) => Quota> = {
  unauthenticated_api: (settings) => ({
    enabled: settings.throttleUnauthenticatedApiEnabled,
    requests: settings.throttleUnauthenticatedApiRequestsPerPeriod,
    seconds: settings.throttleUnauthenticatedApiPeriodInSeconds,
  }),
  unauthenticated_web: (settings) => ({
    enabled: settings.throttleUnauthenticatedEnabled,
    requests: settings.throttleUnauthenticatedRequestsPerPeriod,
    seconds: settings.throttleUnauthenticatedPeriodInSeconds,
  }),
  authenticated_api: (settings) => ({
    enabled: settings.throttleAuthenticatedApiEnabled,
    requests: settings.throttleAuthenticatedApiRequestsPerPeriod,
    seconds: settings.throttleAuthenticatedApiPeriodInSeconds,
  }),
  authenticated_web: (settings) => ({
    enabled: settings.throttleAuthenticatedWebEnabled,
    requests: settings.throttleAuthenticatedWebRequestsPerPeriod,
    seconds: settings.throttleAuthenticatedWebPeriodInSeconds,
  }),
  unauthenticated_protected_paths: (settings) => ({
    enabled: settings.throttleProtectedPathsEnabled,
    requests: settings.throttleProtectedPathsRequestsPerPeriod,
    seconds: settings.throttleProtectedPathsPeriodInSeconds,
  }),
};

/** Callers that are remembered: those who asked last. */
const REMEMBERED = 50_000;

/** What is sent to who asks too often. */
interface Refusal {
  readonly type: string;
  readonly body: string;
}

/** As v4 says it. */
const REFUSAL: Refusal = { type: 'text/plain; charset=utf-8', body: 'Retry later' };

/** A request with the address of the client. */
type Asking = IncomingMessage & { ip?: string | undefined };

/**
 * Limits how often callers ask, as the settings say: users by their number, whatever the credential and the address; others by
 * their network. Requests that were let through leak away at an even rate, so that nobody waits for the end of a period. Each
 * process counts by itself.
 */
export class RequestThrottle {
  readonly #db: Db;
  readonly #buckets = new Map<Throttled, { requests: number; seconds: number; bucket: LeakyBucket }>();
  readonly #counted = new WeakMap<IncomingMessage, Map<Throttled, boolean>>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Counts a request to the API, as `count`. */
  api(actor: Pick<Actor, 'id'> | null, request: Asking, response: ServerResponse, refusal?: Refusal): Promise<boolean> {
    return this.count(actor ? 'authenticated_api' : 'unauthenticated_api', actor, request, response, refusal);
  }

  /** Counts a request for a page, as `count`. */
  web(actor: Pick<Actor, 'id'> | null, request: Asking, response: ServerResponse): Promise<boolean> {
    return this.count(actor ? 'authenticated_web' : 'unauthenticated_web', actor, request, response);
  }

  /**
   * Counts a request, once, and says in headers what is left. Returns whether it goes on: otherwise it is answered, with 429.
   */
  async count(
    what: Throttled,
    actor: Pick<Actor, 'id'> | null,
    request: Asking,
    response: ServerResponse,
    refusal: Refusal = REFUSAL,
  ): Promise<boolean> {
    const earlier = this.#counted.get(request) ?? new Map<Throttled, boolean>();
    const known = earlier.get(what);
    if (known !== undefined) return known;
    // While the database is away, whoever answers says so in their own form.
    const settings = await currentSettings(this.#db).catch(() => null);
    const quota = settings && QUOTAS[what](settings);
    if (!quota?.enabled) return true;
    const bucket = this.#bucketFor(what, quota);
    const caller = callerOf(actor, request.ip ?? null);
    const goesOn = bucket.tryTake(caller);
    this.#counted.set(request, earlier.set(what, goesOn));
    const headers = headersOf(what, quota, bucket.taken(caller));
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (!goesOn) refuse(request, response, Math.ceil(bucket.wait(caller) / 1_000), refusal);
    return goesOn;
  }

  /** A new quota begins with an empty bucket. */
  #bucketFor(what: Throttled, { requests, seconds }: Quota): LeakyBucket {
    const known = this.#buckets.get(what);
    if (known?.requests === requests && known.seconds === seconds) return known.bucket;
    const bucket = new LeakyBucket({ perSecond: requests / seconds, atOnce: requests }, REMEMBERED);
    this.#buckets.set(what, { requests, seconds, bucket });
    return bucket;
  }
}

/** The names of the headers that say what is left, for browsers. */
export const THROTTLE_HEADERS = ['Limit', 'Name', 'Observed', 'Remaining', 'Reset', 'ResetTime'].map(
  (name) => `RateLimit-${name}`,
);

/** `Limit` is the quota of a minute, by which clients adapt their speed; `Reset` is when all of it is there again. */
function headersOf(what: Throttled, { requests, seconds }: Quota, taken: number): Record<string, string> {
  const reset = Math.ceil(Date.now() / 1_000 + (taken * seconds) / requests);
  return {
    'RateLimit-Limit': String(Math.ceil((requests * 60) / seconds)),
    'RateLimit-Name': `throttle_${what}`,
    'RateLimit-Observed': String(taken),
    'RateLimit-Remaining': String(Math.max(0, requests - taken)),
    'RateLimit-Reset': String(reset),
    'RateLimit-ResetTime': new Date(reset * 1_000).toUTCString(),
  };
}

function refuse(request: IncomingMessage, response: ServerResponse, seconds: number, { type, body }: Refusal): void {
  response.setHeader('Retry-After', String(Math.max(1, seconds)));
  response.writeHead(429, { 'Content-Type': type, 'Content-Length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** The paths to which people send passwords, or addresses for mail, each with POST. */
const PROTECTED = new Set([
  '/users/sign_in',
  '/users/sign_up',
  '/users/two_factor',
  '/users/password',
  '/users/password/renew',
  '/users/confirmation/new',
  '/api/v4/session',
  '/oauth/token',
]);

/** Whether a request is one by which people sign in, sign up, or get a mail to reset a password. */
export function isProtected(method: string | undefined, path: string): boolean {
  const plain = path.toLowerCase();
  return method === 'POST' && PROTECTED.has(plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain);
}
