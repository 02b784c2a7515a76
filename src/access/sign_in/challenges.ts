import type { Context } from '#src/access/permissions/actor.ts';
import type { Db } from '#src/platform/database/db.ts';
import { decrypt, encrypt, tokenHash } from '#src/platform/secrets.ts';

type Keeper = Pick<Context, 'db' | 'secret'>;

/**
 * Remembers something until a browser comes back with the key, once, within so many seconds. The key should hold what is known of
 * the browser besides what it sends.
 */
export async function keepChallenge(
  { db, secret }: Keeper,
  key: string,
  content: object,
  seconds: number,
): Promise<void> {
  const contentEncrypted = encrypt(JSON.stringify(content), secret);
  // The database's clock says when it is too old: it has to say when that will be, too.
  await db.$executeRaw`
    INSERT INTO sign_in_challenges (key_hash, content_encrypted, expires_at)
    VALUES (${tokenHash(key)}, ${contentEncrypted}, now() + make_interval(secs => ${seconds}))`;
}

/** What was remembered under the key, which is forgotten with that; null if there is nothing, or it is too old. */
export async function takeChallenge<Content extends object>(
  { db, secret }: Keeper,
  key: string,
): Promise<Content | null> {
  const [found] = await db.$queryRaw<{ content: Uint8Array; alive: boolean }[]>`
    DELETE FROM sign_in_challenges WHERE key_hash = ${tokenHash(key)}
    RETURNING content_encrypted AS content, expires_at > now() AS alive`;
  return found?.alive ? (JSON.parse(decrypt(found.content, secret)) as Content) : null;
}

/** Removes what nobody came back for. */
export async function expireChallenges(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM sign_in_challenges WHERE expires_at <= now()`;
}
