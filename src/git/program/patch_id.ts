import { ProgramFailed } from '../base/errors.ts';
import { isOid, type Oid } from '../base/model.ts';
import { KEEP_ATTRIBUTES_OUT } from './environment.ts';
import { runProgram } from './run.ts';

/** What a diff may take of which a patch ID is told. In milliseconds and bytes. */
const BOUNDS = { timeout: 5_000, memory: 128 * 1024 * 1024, limit: 4 * 1024 * 1024 };

/** The patch ID of the changes from one commit to another; null where there are none, or more than the bounds allow. */
export async function patchId(directory: string, from: Oid, to: Oid): Promise<string | null> {
  if (!isOid(from) || !isOid(to)) return null;
  try {
    // Binary files are told apart by their full hashes.
    const diff = [...KEEP_ATTRIBUTES_OUT, 'diff-tree', '-p', '-M', '--full-index', '--no-ext-diff', '--no-textconv'];
    const { output: input } = await runProgram(directory, [...diff, from, to], BOUNDS);
    if (input.length === 0) return null;
    const { output } = await runProgram(directory, ['patch-id', '--stable'], { ...BOUNDS, input });
    return /^[0-9a-f]+/.exec(output.toString('latin1'))?.[0] ?? null;
  } catch (error) {
    if (error instanceof ProgramFailed) return null;
    throw error;
  }
}
