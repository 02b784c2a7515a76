import { takenErrors } from '#src/domain/users/attributes.ts';
import type { Db } from '#src/platform/database/db.ts';

/** How many names are tried before one gets random digits. */
const TRIED = 20;
const MAX_USERNAME_LENGTH = 60;

/** A free username like what somebody has elsewhere, which may be an e-mail address or have characters that ours cannot. */
export async function freeUsername(db: Db, wanted: string): Promise<string> {
  const base = usernameFrom(wanted);
  for (let n = 0; n < TRIED; n += 1) {
    const username = n === 0 ? base : `${base}${n}`;
    if (Object.keys(await takenErrors(db, { username })).length === 0) return username;
  }
  return `${base}-${Math.random().toString(36).slice(2, 10)}`;
}

/** What a username can be made from, in the characters that usernames have. */
export function usernameFrom(wanted: string): string {
  const local = wanted.replace(/@.*$/s, '');
  const plain = local.normalize('NFKD').replace(/\p{M}/gu, '');
  const cleaned = plain
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^[^A-Za-z0-9]+/, '')
    .replace(/([._-])[._-]+/g, '$1')
    .slice(0, MAX_USERNAME_LENGTH)
    .replace(/[._-]$/, '')
    .replace(/\.(git|atom)$/i, '');
  return cleaned === '' ? 'user' : cleaned;
}
