import type { Actor } from '#src/access/permissions/actor.ts';
import { networkOf } from '#src/platform/limits/network.ts';

/** The key under which concurrency limits count a caller: the user, whatever the credential, or an anonymous caller's network. */
export function callerOf(actor: Pick<Actor, 'id'> | null, address: string | null): string {
  return actor ? `user ${actor.id}` : `network ${address === null ? 'unknown' : networkOf(address)}`;
}

/** The key of what a caller works with: an application, an access token, or any of the browser's tabs. */
export function programOf(actor: Actor | null, address: string | null): string {
  const { credential = 'none', applicationId, tokenId } = actor ?? {};
  return `${callerOf(actor, address)} ${credential} ${applicationId ?? tokenId ?? ''}`;
}
