import type { Oid } from './model.ts';

/** Changes that are wanted as a text. */
export interface PatchQuery {
  /** The commit before them; null for those of a first commit. */
  from: Oid | null;
  to: Oid;
  /** Whether each commit is a mail, as `git am` applies them, in place of one diff of all. Merges are left out then. */
  asMails: boolean;
}
