import type { ObjectType } from './model.ts';

/** The largest commit or annotation that is read, and taken of a push; in bytes. */
export const LARGEST_TEXT = 256 * 1024;

/** The largest directory that is read, and taken of a push, in bytes: some 400,000 entries. */
export const LARGEST_TREE = 16 * 1024 * 1024;

/** The largest blob that is read in one piece; larger ones come as streams. In bytes. */
export const LARGEST_PIECE = 1024 * 1024;

/** How many differences an object may be built of: git makes chains of 50. */
export const LONGEST_CHAIN = 1_000;

/** How large an object may be that is to come into memory whole, in bytes. */
export function largestOf(type: ObjectType): number {
  if (type === 'tree') return LARGEST_TREE;
  return type === 'blob' ? LARGEST_PIECE : LARGEST_TEXT;
}

/** What one request may look at in trees. */
export const WALK = {
  /** Entries, each directory once however often it occurs. */
  entries: 500_000,
  /** The paths that are made, together; in bytes. */
  pathBytes: 32 * 1024 * 1024,
};
