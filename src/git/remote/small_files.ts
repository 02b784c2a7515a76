import type { Oid } from '../base/model.ts';
import { readProgram } from '../program/run.ts';

/** Bytes of a line of the list. */
const LINE_BYTES = 41;

/**
 * The files of at most so many bytes that all refs of a repository lead to, each once. Throws ProgramFailed, for instance for more than
 * `count` of them.
 *
 * @param timeout in milliseconds
 */
export async function smallFiles(
  directory: string,
  { most, count, timeout, signal }: { most: number; count: number; timeout: number; signal: AbortSignal },
): Promise<Oid[]> {
  const filter = `--filter=combine:object:type=blob+blob:limit=${most + 1}`;
  const args = ['rev-list', '--objects', '--no-object-names', filter, '--filter-provided-objects', '--all'];
  const found: Oid[] = [];
  let rest = '';
  const take = (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    found.push(...lines);
  };
  await readProgram(directory, args, take, { timeout, limit: count * LINE_BYTES, signal });
  return found;
}
