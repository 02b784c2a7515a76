import type { Changes } from '../base/comparison.ts';
import { ProgramFailed } from '../base/errors.ts';
import { isOid, type Oid } from '../base/model.ts';
import { encodeName } from '../base/names.ts';
import type { Change } from '../base/side.ts';
import { runProgram } from '../program/run.ts';
import { parseRaw } from './raw.ts';

/** Git keeps all paths before it names the first: it gets so much time, memory and text. In milliseconds and bytes. */
const BOUNDS = { timeout: 2_000, memory: 128 * 1024 * 1024, limit: 8 * 1024 * 1024 };

/** The first paths at which two trees differ, by the git program; null where it fails, or where there are very many. */
export async function nameChanges(directory: string, from: Oid, to: Oid, most: number): Promise<Changes | null> {
  if (!isOid(from) || !isOid(to)) return null;
  try {
    const command = ['diff-tree', '-r', '--raw', '--no-abbrev', '--no-renames', from, to];
    const { output } = await runProgram(directory, command, BOUNDS);
    return changesIn(output, most);
  } catch (error) {
    if (error instanceof ProgramFailed) return null;
    throw error;
  }
}

/** The status of a rename; no path has a tab, which git puts in quotes as `\t`. */
const RENAME = / R\d{3}\t/;

/** The first changes of those that lines of `git diff-tree --raw` name, which may be among others. A rename is two changes. */
export function changesIn(lines: Buffer, most: number): Changes {
  const changes: Change[] = [];
  const text = lines.toString('latin1');
  // The old path of a rename may come before all others.
  const isOrdered = !RENAME.test(text);
  // One more than wanted tells that there are more; above them stands a line with the names of the trees.
  for (const { old, now, status } of parseRaw(text, isOrdered ? most + 2 : Infinity)) {
    if (status.startsWith('R') && old && now) {
      changes.push({ path: old.path, old, now: null }, { path: now.path, old: null, now });
    } else changes.push({ path: now?.path ?? old?.path ?? '', old, now });
  }
  const all = isOrdered ? changes : byPath(changes);
  return { changes: all.slice(0, most), isComplete: all.length <= most };
}

function byPath(changes: readonly Change[]): Change[] {
  const named = changes.map((change) => ({ change, name: encodeName(change.path) }));
  return named.sort((one, other) => Buffer.compare(one.name, other.name)).map(({ change }) => change);
}
