import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { GitError } from '../base/errors.ts';
import { isAbsent } from '../base/existence.ts';
import type { Oid } from '../base/model.ts';
import { syncDirectory } from '../base/sync.ts';
import { PackIndex } from '../objects/pack_index.ts';
import { reachAny } from './reach.ts';
import { removePackIndex } from './repack.ts';
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
  const oids = await objectsOf(pack, most);
  if (oids === null) return null;
  const seenFrom = await refValues(directory);
  return (await reachAny(directory, [...seenFrom], oids, timeout)) ? null : { pack, oids, seenFrom };
}

/**
 * Removes such a pack, if what was added to refs since does not lead to it either: for who keeps others from changing refs.
 * Returns whether it was removed. Throws ProgramFailed.
 */
export async function removeDeadPack(directory: string, { pack, oids, seenFrom }: DeadPack): Promise<boolean> {
  const now = [...(await refValues(directory))].filter((oid) => !seenFrom.has(oid));
  const since = [...now, ...[...seenFrom].map((oid) => `^${oid}`)];
  if (now.length > 0 && (await reachAny(directory, since, oids, 5_000))) return false;
  const folder = path.dirname(pack);
  const start = `${path.basename(pack)}.`;
  const names = (await readdir(folder)).filter((name) => name.startsWith(start));
  await removePackIndex(directory);
  // The index first: a pack without an index is ignored.
  names.sort((left, right) => Number(right.endsWith('.idx')) - Number(left.endsWith('.idx')));
  for (const name of names) await rm(path.join(folder, name), { force: true });
  await syncDirectory(folder);
  return true;
}

/** The objects of a pack; none if it has no index yet, null if there are too many or the index is damaged. */
async function objectsOf(pack: string, most: number): Promise<Set<Oid> | null> {
  let index: PackIndex;
  try {
    index = new PackIndex(`${pack}.idx`);
  } catch (error) {
    if (isAbsent(error)) return new Set();
    if (error instanceof GitError) return null;
    throw error;
  }
  try {
    if (index.count > most) return null;
    const oids = new Set<Oid>();
    for (let byte = 0; byte < 256; byte++) {
      await yieldToEventLoop();
      for (const oid of index.matching(byte.toString(16).padStart(2, '0'))) oids.add(oid);
    }
    return oids;
  } finally {
    index.close();
  }
}
