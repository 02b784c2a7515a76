import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Oid } from '../model.ts';
import { readProgram, runProgram } from '../program/run.ts';
import { syncDirectory } from '../write/sync.ts';
import { refValues } from './secure.ts';

/** A pack that a process held which died, and to whose objects no ref leads. */
export interface DeadPack {
  /** Path without an ending. */
  pack: string;
  oids: ReadonlySet<Oid>;
  /** The values of refs from which that was seen. */
  seenFrom: ReadonlySet<Oid>;
}

export interface DeadPackOptions {
  /** Milliseconds that looking may take. */
  timeout: number;
  /** Packs with more objects are not looked at: their names would fill the memory. */
  most: number;
}

/**
 * Whether no ref leads to any object of a pack; null if some does, or where that cannot be told. A broken-off push leaves
 * such packs. Throws ProgramFailed.
 */
export async function findDeadPack(
  directory: string,
  pack: string,
  { timeout, most }: DeadPackOptions,
): Promise<DeadPack | null> {
  const oids = await objectsOf(directory, pack, most);
  if (oids === null) return null;
  const seenFrom = await refValues(directory);
  return (await reach(directory, [...seenFrom], oids, timeout)) ? null : { pack, oids, seenFrom };
}

/**
 * Removes such a pack, if what was added to refs since does not lead to it either: for who keeps others from changing refs.
 * Returns whether it was removed. Throws ProgramFailed.
 */
export async function removeDeadPack(directory: string, { pack, oids, seenFrom }: DeadPack): Promise<boolean> {
  const now = [...(await refValues(directory))].filter((oid) => !seenFrom.has(oid));
  const since = [...now, ...[...seenFrom].map((oid) => `^${oid}`)];
  if (now.length > 0 && (await reach(directory, since, oids, 5_000))) return false;
  const folder = path.dirname(pack);
  const start = `${path.basename(pack)}.`;
  const names = (await readdir(folder)).filter((name) => name.startsWith(start));
  // The index first: without it nobody looks at the pack.
  names.sort((left, right) => Number(right.endsWith('.idx')) - Number(left.endsWith('.idx')));
  for (const name of names) await rm(path.join(folder, name), { force: true });
  await syncDirectory(folder);
  return true;
}

/** The objects of a pack; null where there are too many, or no index yet. */
async function objectsOf(directory: string, pack: string, most: number): Promise<Set<Oid> | null> {
  const index = `${path.join('objects', 'pack', path.basename(pack))}.idx`;
  const names = await readdir(path.dirname(pack));
  if (!names.includes(path.basename(index))) return new Set();
  const { output } = await runProgram(directory, ['verify-pack', '-s', '--', path.join(directory, index)]);
  const count = [...output.toString('latin1').matchAll(/: (\d+) objects?/g)].reduce((sum, [, n]) => sum + Number(n), 0);
  if (count > most) return null;
  const listed = await runProgram(directory, ['verify-pack', '-v', '--', path.join(directory, index)], {
    limit: 512 * 1024 * 1024,
  });
  const lines = listed.output.toString('latin1').split('\n');
  return new Set(lines.flatMap((line) => /^([0-9a-f]{40}) [a-z]/.exec(line)?.[1] ?? []));
}

/** Whether one of the objects is reached from these revisions. */
async function reach(
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
