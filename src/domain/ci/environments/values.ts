import { createHash } from 'node:crypto';
import { trimEnds } from '#src/base/text.ts';

/** Valid names of environments. */
export const ENVIRONMENT_NAME = /^[a-zA-Z0-9_\-/${}. ]+$/;
export const NAME_RULE = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces";

const MAX_SLUG_LENGTH = 24;
/** Characters of the digest that distinguishes names with the same slug. */
const DIGEST = 6;

/** The name for use in host names: lower-case letters, digits and `-`, beginning with a letter, at most 24 characters. */
export function slugOf(name: string): string {
  const plain = trimEnds(name.toLowerCase().replace(/[^a-z0-9]+/g, '-'), '-');
  const slug = /^[a-z]/.test(plain) ? plain : trimEnds(`env-${plain}`, '-');
  if (slug === name && slug.length <= MAX_SLUG_LENGTH) return slug;
  const digest = createHash('sha256').update(name).digest('hex');
  const suffix = BigInt(`0x${digest}`).toString(36).slice(-DIGEST);
  return `${slug.slice(0, MAX_SLUG_LENGTH - DIGEST - 1).replace(/(?<!-)-+$/, '')}-${suffix}`;
}
