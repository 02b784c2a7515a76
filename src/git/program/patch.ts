import type { Readable } from 'node:stream';
import type { PatchQuery } from '../base/patch.ts';
import { RENAMES } from './diff_tree.ts';
import { KEEP_ATTRIBUTES_OUT } from './environment.ts';
import { streamProgram } from './store.ts';

/** From this size on files are told like binary ones, which takes no comparison of lines. */
const BIG_FILES = ['-c', 'core.bigFileThreshold=8m'];

const USUAL = ['-p', ...RENAMES, '--full-index', '--no-ext-diff', '--no-textconv'];

/** What `git diff-tree -p` or `git format-patch` says of commits, as a stream. The names are those of commits that are there. */
export function patchByProgram(directory: string, { from, to, asMails }: PatchQuery): Readable {
  const settings = [...KEEP_ATTRIBUTES_OUT, ...BIG_FILES];
  if (asMails) {
    // A first commit is the only one of which no other is taken away; it is never a merge, which are left out.
    const range = from === null ? ['-1', to] : [`${from}..${to}`];
    return streamProgram(directory, ['format-patch', '--stdout', '--no-signature', ...USUAL, ...range], settings);
  }
  const trees = from === null ? ['--root', '--no-commit-id', to] : [from, to];
  return streamProgram(directory, ['diff-tree', ...USUAL, ...trees], settings);
}
