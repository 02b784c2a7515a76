import type { Changes } from '../diff/comparison.ts';
import { parseRaw } from '../diff/raw.ts';
import { ProgramFailed } from '../errors.ts';
import { isOid, type Oid } from '../model.ts';
import { runProgram } from './run.ts';

/** Git keeps all paths before it names the first: it gets so much time, memory and text. In milliseconds and bytes. */
const BOUNDS = { timeout: 2_000, memory: 128 * 1024 * 1024, limit: 8 * 1024 * 1024 };

/** The first paths at which two trees differ, by the git program; null where it fails, or where there are very many. */
export async function nameChanges(directory: string, from: Oid, to: Oid, most: number): Promise<Changes | null> {
  if (!isOid(from) || !isOid(to)) return null;
  try {
    const command = ['diff-tree', '-r', '--raw', '--no-abbrev', '--no-renames', from, to];
    const { output } = await runProgram(directory, command, BOUNDS);
    return parseChanges(output, most);
  } catch (error) {
    if (error instanceof ProgramFailed) return null;
    throw error;
  }
}

function parseChanges(output: Buffer, most: number): Changes {
  const changes: Changes['changes'] = [];
  for (let at = 0; at < output.length; ) {
    if (changes.length >= most) return { changes, isComplete: false };
    const end = output.indexOf(10, at);
    const { old, now } = parseRaw(output.toString('latin1', at + 1, end));
    changes.push({ path: now?.path ?? old?.path ?? '', old, now });
    at = end + 1;
  }
  return { changes, isComplete: true };
}
