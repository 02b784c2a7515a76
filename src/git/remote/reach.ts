import type { Oid } from '../model.ts';
import { readProgram } from '../program/run.ts';

/**
 * Whether one of the objects is reached from these revisions; `^` before one leaves out what that reaches. Throws ProgramFailed,
 * also where history is damaged.
 *
 * @param timeout milliseconds that looking may take
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
