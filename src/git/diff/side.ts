import type { Mode, Oid } from '../model.ts';

/** A file, link or submodule in one of two trees. */
export interface Side {
  path: string;
  mode: Mode;
  oid: Oid;
}
