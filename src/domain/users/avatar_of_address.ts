import { createHash } from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';
import { avatarPath } from '#src/domain/users/avatar.ts';
import { Forbidden, ValidationFailed } from '#src/platform/errors.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** Characters of the longest address that is looked up. */
const MAX_ADDRESS_LENGTH = 254;
const SIZES = { least: 1, most: 2048, usual: 80 };

/**
 * URL of the picture for an address: that of the user whose public address it is, else what the avatar service has for it; null
 * if there is neither. Throws ValidationFailed, and Forbidden for anonymous callers where public visibility is restricted.
 */
export async function avatarOfAddress(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  baseUrl: string,
  address: string,
  size: number = SIZES.usual,
): Promise<string | null> {
  const { restrictedVisibilityLevels, avatarServiceEnabled } = await currentSettings(db);
  if (!actor && restrictedVisibilityLevels?.includes('public')) throw new Forbidden();
  if (size < SIZES.least || size > SIZES.most) {
    throw new ValidationFailed({ size: [`must be between ${SIZES.least} and ${SIZES.most}`] });
  }
  const email = address.trim().toLowerCase();
  const isAddress = email.includes('@') && email.length <= MAX_ADDRESS_LENGTH && !email.includes('\0');
  const user =
    isAddress && (await db.user.findFirst({ where: { publicEmail: email, state: 'active' }, select: PICTURE }));
  if (user && user.avatarKey !== null) return baseUrl + avatarPath(user.id, user.avatarKey);
  if (!avatarServiceEnabled || !isAddress) return null;
  // The service knows a user by the primary address.
  const hash = createHash('md5')
    .update(user ? user.email.toLowerCase() : email)
    .digest('hex');
  return `https://www.gravatar.com/avatar/${hash}?s=${size}&d=identicon`;
}

const PICTURE = { id: true, email: true, avatarKey: true } as const;
