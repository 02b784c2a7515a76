import type { ObjectType } from './model.ts';

/** The largest commit or annotation that is read, and taken of a push; in bytes. */
export const MAX_TEXT_BYTES = 256 * 1024;

/** The largest directory that is read, and taken of a push, in bytes: some 400,000 entries. */
export const MAX_TREE_BYTES = 16 * 1024 * 1024;

/** The largest blob that is read in one piece; larger ones come as streams. In bytes. */
export const MAX_WHOLE_BLOB_BYTES = 1024 * 1024;

/** How many differences an object may be built of: git makes chains of 50. */
export const MAX_DELTA_CHAIN_LENGTH = 1_000;

/** How large an object may be that is to come into memory whole, in bytes. */
export function largestOf(type: ObjectType): number {
  if (type === 'tree') return MAX_TREE_BYTES;
  return type === 'blob' ? MAX_WHOLE_BLOB_BYTES : MAX_TEXT_BYTES;
}

/** What one request may look at in trees. */
export const WALK = {
  /** Entries, each directory once however often it occurs. */
  entries: 500_000,
  /** The paths that are made, together; in bytes. */
  pathBytes: 32 * 1024 * 1024,
};
