import crypto, { type JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import type { OAuthKeyPurpose } from '#src/generated/prisma/client.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';
import { decrypt, encrypt } from '#src/platform/secrets.ts';

/** The keys of the provider. The first key of each list is in use; the others remain valid for a while. */
export interface OAuthKeys {
  /** Changes with the keys. */
  version: string;
  /** Private keys as JSON Web Keys. */
  signing: JsonWebKey[];
  cookies: string[];
}

/** Seconds for which a retired key remains valid: longer than anything it signed lives. */
export const RETIRED_KEY_SECONDS = 2 * 60 * 60;

/**
 * The current keys, created on first use; `known` if they did not change.
 *
 * @throws Error when the secret is not the one that they were created with
 */
export async function currentKeys(db: Db, secret: string, known?: OAuthKeys): Promise<OAuthKeys> {
  const version = await readVersion(db);
  if (known && known.version === version) return known;
  await ensureKeys(db, secret);
  const rows = await db.$queryRaw<{ id: number; purpose: OAuthKeyPurpose; encrypted: Uint8Array }[]>`
    SELECT id, purpose::text AS purpose, encrypted FROM oauth_keys WHERE ${believed} ORDER BY id DESC`;
  const open = (purpose: OAuthKeyPurpose) => {
    const opened = rows.filter((row) => row.purpose === purpose).flatMap(({ encrypted }) => tryOpen(encrypted, secret));
    if (opened.length > 0) return opened;
    throw new Error(
      'The keys of OAuth were encrypted under another secret than the one of now. Run: gantry keys rotate',
    );
  };
  return {
    version: rows.map(({ id }) => id).join(' '),
    signing: open('signing').map((text) => JSON.parse(text) as JsonWebKey),
    cookies: open('cookies'),
  };
}

/** Creates missing keys; of several concurrent servers, one creates them. */
export async function ensureKeys(db: Db, secret: string): Promise<void> {
  const inUse = Prisma.sql`SELECT purpose::text AS purpose FROM oauth_keys WHERE retired_at IS NULL`;
  const present = await queryRows<{ purpose: OAuthKeyPurpose }>(db, inUse);
  for (const purpose of ['signing', 'cookies'] as const) {
    if (present.some((row) => row.purpose === purpose)) continue;
    const encrypted = encrypt(await makers[purpose](), secret);
    await db.$executeRaw`
      INSERT INTO oauth_keys (purpose, encrypted) VALUES (${purpose}::oauth_key_purpose, ${encrypted}) ON CONFLICT DO NOTHING`;
  }
}

/** Replaces the keys in use, which remain valid for two hours. Running servers pick the new ones up immediately. */
export async function rotateKeys(db: Db, secret: string): Promise<void> {
  const signing = encrypt(await makers.signing(), secret);
  const cookies = encrypt(await makers.cookies(), secret);
  await db.$transaction([
    db.$executeRaw`LOCK TABLE oauth_keys IN EXCLUSIVE MODE`,
    db.$executeRaw`UPDATE oauth_keys SET retired_at = now() WHERE retired_at IS NULL`,
    db.$executeRaw`INSERT INTO oauth_keys (purpose, encrypted) VALUES ('signing', ${signing}), ('cookies', ${cookies})`,
  ]);
}

/** Removes the keys that are no longer valid. */
export async function removeRetiredKeys(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM oauth_keys WHERE NOT ${believed}`;
}

const believed = Prisma.sql`(retired_at IS NULL OR retired_at > now() - make_interval(secs => ${RETIRED_KEY_SECONDS}))`;

/** Keys that were encrypted with an earlier secret are lost, which must not affect later ones. */
function tryOpen(encrypted: Uint8Array, secret: string): string[] {
  try {
    return [decrypt(encrypted, secret)];
  } catch {
    return [];
  }
}

async function readVersion(db: Db): Promise<string> {
  const rows = await db.$queryRaw<{ id: number }[]>`SELECT id FROM oauth_keys WHERE ${believed} ORDER BY id DESC`;
  return rows.map(({ id }) => id).join(' ');
}

const generateKeyPair = promisify(crypto.generateKeyPair);

const makers: Record<OAuthKeyPurpose, () => Promise<string>> = {
  async signing() {
    const { privateKey } = await generateKeyPair('rsa', { modulusLength: 2048 });
    return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' });
  },
  async cookies() {
    return crypto.randomBytes(32).toString('base64url');
  },
};
