import { type Actor, type Context, type CredentialKind, requireActor } from '#src/access/permissions/actor.ts';
import { Forbidden } from '#src/platform/errors.ts';

/** What an application is granted for two hours must not be turned into something that lasts. */
const MANAGING: readonly CredentialKind[] = ['session', 'private_token', 'personal_token'];

/**
 * The signed-in actor, if allowed to create, change and remove credentials: passwords, tokens, keys, e-mail addresses, second
 * factors, applications, sessions. OAuth tokens may not, whatever their scope, nor bots and service accounts. Throws Unauthenticated, InsufficientScope,
 * Forbidden.
 */
export function requireCredentialManager(context: Context): Actor {
  const actor = requireActor(context);
  refuseApplications(actor);
  return actor;
}

/** Like requireCredentialManager, but anonymous callers pass. Throws Forbidden. */
export function refuseApplications(actor: Actor | null): void {
  if (actor?.bot) throw new Forbidden(OF_BOT);
  if (actor && !MANAGING.includes(actor.credential)) throw new Forbidden(REASON);
}

/** What it made would outlive its token, unseen by those who administer its project or group. */
const OF_BOT = 'Credentials cannot be managed with an access token of a project or group, nor by a service account';

const REASON =
  'Credentials cannot be managed with an OAuth token. Use a session, a private token, or a personal access token with the scope api';
