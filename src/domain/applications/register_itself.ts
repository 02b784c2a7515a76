import crypto from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';
import { countUses } from '#src/access/sign_in/attempts.ts';
import { type ApplicationValues, checkValues } from '#src/domain/applications/values.ts';
import { RateLimited, ValidationFailed } from '#src/platform/errors.ts';
import { networkOf } from '#src/platform/limits/network.ts';

/** How many applications may register themselves from one address (an IPv6 network of 64 bits) within an hour. */
export const REGISTRATIONS_PER_HOUR = 20;

/** How many applications that registered themselves there may be. Those that nobody authorizes go after a day (oauth/expire.ts). */
export const MAX_REGISTERED_APPLICATIONS = 10_000;

const HOUR = 3600;

/** Redirect addresses of one application, and characters of its name: less than of one that a user answers for. */
const MAX_REDIRECT_URIS = 10;
const MAX_NAME_LENGTH = 100;

/** An application that registered itself. */
export interface SelfRegistered extends ApplicationValues {
  uid: string;
  createdAt: Date;
}

/**
 * Registers an application of nobody, without a secret, for whoever asks (RFC 7591). Users are told on the page where they authorize
 * it. Throws ValidationFailed, and RateLimited where too many come from this address or there are too many in all.
 */
export async function registerItself(context: Context, values: ApplicationValues): Promise<SelfRegistered> {
  const address = context.clientAddress;
  if (address !== null) {
    await countUses(context.db, HOUR, { [`registrations ${networkOf(address)}`]: REGISTRATIONS_PER_HOUR });
  }
  const { name, redirectUris, scopes } = checkValues(values);
  if (name.length > MAX_NAME_LENGTH) {
    throw new ValidationFailed({ name: [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`] });
  }
  if (redirectUris.length > MAX_REDIRECT_URIS) {
    throw new ValidationFailed({ redirect_uri: [`has too many addresses (maximum is ${MAX_REDIRECT_URIS})`] });
  }
  if (!redirectUris.every(isOfOneReceiver)) {
    throw new ValidationFailed({ redirect_uri: ['is neither https nor http at 127.0.0.1, [::1] or localhost'] });
  }
  if ((await context.db.oAuthApplication.count({ where: { ownerId: null } })) >= MAX_REGISTERED_APPLICATIONS) {
    throw new RateLimited(HOUR, 'Too many applications have registered themselves. Try again later.');
  }
  const uid = crypto.randomBytes(32).toString('hex');
  const { createdAt } = await context.db.oAuthApplication.create({
    data: { uid, name, redirectUris: [...redirectUris], scopes: [...scopes] },
    select: { createdAt: true },
  });
  return { uid, name, redirectUris, scopes, createdAt };
}

/** Whether an address leads to the owner of a host name, or to this machine: any program can claim a scheme of its own. */
function isOfOneReceiver(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  if (protocol === 'https:') return !hostname.includes('*');
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}
