import type { Oid } from '../base/model.ts';
import { readProgram } from '../program/run.ts';

/**
 * Whether any of the objects is reachable from these revisions; a revision with `^` in front excludes what it reaches. Throws
 * ProgramFailed, for instance if the history is damaged.
 *
 * @param timeout in milliseconds
 */
export async function reachAny(
  directory: string,
  revisions: readonly string[],
  oids: ReadonlySet<Oid>,
  timeout: number,
): Promise<boolean> {
  if (revisions.length === 0 || oids.size === 0) return false;
  let found = false;
  let rest = '';
  const take = (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    found ||= lines.some((line) => oids.has(line));
  };
  const input = Buffer.from(`${revisions.join('\n')}\n`);
  const args = ['rev-list', '--objects', '--no-object-names', '--stdin'];
  await readProgram(directory, args, take, { input, timeout, limit: Number.POSITIVE_INFINITY });
  return found;
}
