import type { Mode, Oid } from './model.ts';

/** A file, link or submodule in one of two trees. */
export interface Side {
  path: string;
  mode: Mode;
  oid: Oid;
}

/** A path that is not the same in two trees; null on the side where it is not. */
export interface Change {
  path: string;
  old: Side | null;
  now: Side | null;
}
