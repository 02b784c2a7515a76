import crypto from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '#src/platform/config/config.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';
import { decrypt } from '#src/platform/secrets.ts';
import { createPrivateFile, readPrivateFile } from './private_file.ts';

export type SecretConfig = Pick<Config, 'secret' | 'dataDir'>;

/**
 * The server's key: the setting, or else the one in the file `secret` of the data directory, which is made at first use. The
 * database knows it by a digest from then on, so that no other one is used with it, by whatever server.
 *
 * @returns at least 32 characters
 * @throws Error if the file is damaged, if the key is not the one of the database, or if it is missing although the database
 *   was used with one
 */
export async function agreeOnSecret(db: Db, config: SecretConfig): Promise<string> {
  let given = givenSecret(config);
  if (given === undefined && (await isInUse(db))) {
    // Another server may be starting on the same directory: it writes the file before it tells the database.
    given = givenSecret(config);
    if (given === undefined) throw new Error(missing(config));
  }
  const secret = given ?? makeSecret(config);
  const digest = secretDigest(secret);
  let known = await knownDigest(db);
  if (!known) {
    await requireReadable(db, secret, config);
    // Of several servers that start at once one is first.
    await db.$executeRaw`INSERT INTO secret_check (digest) VALUES (${digest}) ON CONFLICT DO NOTHING`;
    known = await knownDigest(db);
  }
  if (known && crypto.timingSafeEqual(known, digest)) return secret;
  if (given === undefined) rmSync(secretFile(config), { force: true });
  throw new Error(wrong(config));
}

async function knownDigest(db: Db): Promise<Uint8Array | undefined> {
  const digest = Prisma.sql`SELECT encode(digest, 'hex') AS digest FROM secret_check WHERE id = 1`;
  const [row] = await queryRows<{ digest: string }>(db, digest);
  return row && Buffer.from(row.digest, 'hex');
}

/** Databases of earlier versions have no digest; every user has something encrypted. */
async function isInUse(db: Db): Promise<boolean> {
  return (await knownDigest(db)) !== undefined || (await db.user.count()) > 0;
}

async function requireReadable(db: Db, secret: string, config: SecretConfig): Promise<void> {
  const sample = await db.user.findFirst({ select: { privateTokenEncrypted: true }, orderBy: { id: 'asc' } });
  if (!sample) return;
  try {
    decrypt(sample.privateTokenEncrypted, secret);
  } catch (error) {
    throw new Error(wrong(config), { cause: error });
  }
}

/** By which a database knows its secret: 32 bytes in the table `secret_check`. */
export function secretDigest(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(crypto.createHmac('sha256', secret).update('gantry secret check').digest());
}

/** Path of the file that holds the secret where there is no setting for it. */
export function secretFile({ dataDir }: SecretConfig): string {
  return path.join(dataDir, 'secret');
}

/**
 * The server's key as far as it is given: the setting, or else the one in the file; undefined where neither is there.
 *
 * @throws Error if the file is damaged
 */
export function givenSecret(config: SecretConfig): string | undefined {
  if (config.secret !== undefined) return config.secret;
  const kept = readPrivateFile(secretFile(config))?.trim();
  if (kept !== undefined && kept.length < 32) {
    throw new Error(`${secretFile(config)} is damaged: a key of at least 32 characters was expected.`);
  }
  return kept;
}

/** Makes the file; where another server was faster, its secret counts. */
function makeSecret(config: SecretConfig): string {
  return createPrivateFile(secretFile(config), `${crypto.randomBytes(48).toString('base64url')}\n`).trim();
}

function missing(config: SecretConfig): string {
  return (
    `The secret of this database is missing: there is no GANTRY_SECRET and no file ${secretFile(config)}, and the database has ` +
    'been used with one. Set GANTRY_SECRET to it, or put the file back.'
  );
}

function wrong(config: SecretConfig): string {
  const source = config.secret === undefined ? `The file ${secretFile(config)}` : 'GANTRY_SECRET';
  return (
    `${source} does not hold the secret with which this database has been used: what is stored encrypted could not be ` +
    'read. Use that one, or another database.'
  );
}
