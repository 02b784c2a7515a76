import type { Actor } from '#src/access/permissions/actor.ts';
import { networkOf } from '#src/platform/limits/network.ts';

/** The key under which concurrency limits count a caller: the user, whatever the credential, or an anonymous caller's network. */
export function callerOf(actor: Pick<Actor, 'id'> | null, address: string | null): string {
  return actor ? `user ${actor.id}` : `network ${address === null ? 'unknown' : networkOf(address)}`;
}
