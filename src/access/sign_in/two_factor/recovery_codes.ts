import crypto from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

/** How many codes a user gets at a time. */
export const RECOVERY_CODES = 10;

/** Letters and digits that are easy to distinguish: 5 bits each. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const LENGTH = 16;

/** Replaces the user's recovery codes. They are shown once: only hashes are stored. */
export async function replaceRecoveryCodes(tx: Transaction, secret: string, userId: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode);
  await tx.recoveryCode.deleteMany({ where: { userId } });
  await tx.recoveryCode.createMany({ data: codes.map((code) => ({ userId, codeHash: hash(secret, userId, code) })) });
  return codes;
}

/** Uses a recovery code up; false if it is wrong or was used before. */
export async function takeRecoveryCode(
  { db, secret }: Pick<Context, 'db' | 'secret'>,
  userId: number,
  code: string,
): Promise<boolean> {
  const { count } = await db.recoveryCode.deleteMany({ where: { userId, codeHash: hash(secret, userId, code) } });
  return count > 0;
}

/** How many codes the user has left. */
export async function countRecoveryCodes(db: Db, userId: number): Promise<number> {
  return db.recoveryCode.count({ where: { userId } });
}

function newCode(): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET[crypto.randomInt(ALPHABET.length)]).join('');
  return letters.replace(/.{4}(?=.)/g, '$&-');
}

/** Hashes with a key, so that a reader of the database alone cannot try codes; ignores how the user typed it. */
function hash(secret: string, userId: number, code: string): Uint8Array<ArrayBuffer> {
  const letters = code.toLowerCase().replace(/[\s-]/g, '');
  const digest = crypto.createHmac('sha256', secret).update(`recovery code ${userId} ${letters}`).digest();
  return new Uint8Array(digest);
}
