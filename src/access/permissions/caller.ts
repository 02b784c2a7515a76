import type { Actor } from '#src/access/permissions/actor.ts';
import { networkOf } from '#src/platform/limits/network.ts';

/** Who is one caller where turns are taken: a user, whatever the credential; or the network of somebody unknown. */
export function callerOf(actor: Pick<Actor, 'id'> | null, address: string | null): string {
  return actor ? `user ${actor.id}` : `network ${address === null ? 'unknown' : networkOf(address)}`;
}
