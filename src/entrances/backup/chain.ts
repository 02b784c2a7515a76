import path from 'node:path';
import { BadBackup, type ReadBackup, type Receiver, readBackup, readHead } from './input.ts';
import type { Head, Link } from './manifest.ts';
import { STANDARD } from './output.ts';
import { isThere } from './present.ts';

/**
 * Reads a backup, and from the earlier ones that it builds on the files that it needs. The earlier backups are the given ones, or
 * files next to it under their original names.
 *
 * @param onEarlier makes a receiver for the needed members of an earlier backup
 * @param signal aborts reading; its reason is thrown
 * @throws BadBackup that names what is damaged or missing
 */
export async function readChain(
  file: string,
  given: readonly string[],
  receiver: Receiver,
  onEarlier: (needed: ReadonlySet<string>) => Receiver = () => ({}),
  signal?: AbortSignal,
): Promise<ReadBackup> {
  let files = new Map<string, string>();
  const onHead = async (head: Head) => {
    files = await findEarlier(file, head, given);
    await receiver.onHead?.(head);
  };
  const latest = await readBackup(file, { ...receiver, onHead }, signal);
  const { elsewhere } = latest.manifest;
  for (const { id } of latest.head.earlier) {
    const needed = new Map(elsewhere.filter((sum) => sum.in === id).map((sum) => [sum.path, sum.sha256]));
    const earlier = files.get(id);
    if (needed.size === 0 || earlier === undefined) continue;
    const { manifest } = await readBackup(earlier, onEarlier(new Set(needed.keys())), signal);
    for (const { path, sha256 } of manifest.sums) if (needed.get(path) === sha256) needed.delete(path);
    const [absent] = needed.keys();
    if (absent !== undefined) throw new BadBackup(`${earlier} does not hold ${absent} as it was backed up`);
  }
  return latest;
}

/** Finds the files of the earlier backups by their IDs. Throws BadBackup that names a missing one. */
async function findEarlier(file: string, head: Head, given: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const candidate of given) found.set((await readHead(candidate)).id, candidate);
  for (const link of head.earlier) if (!found.has(link.id)) found.set(link.id, await besides(file, link));
  return found;
}

async function besides(file: string, { id, name, createdAt }: Link): Promise<string> {
  const beside = path.join(path.dirname(file), name);
  if (file !== STANDARD && (await isThere(beside)) && (await readHead(beside)).id === id) return beside;
  const label = file === STANDARD ? 'The backup' : file;
  throw new BadBackup(
    `${label} builds on an earlier backup that is missing: "${name}" of ${createdAt} (ID ${id}). ` +
      'Put it beside the file, or name it behind the file.',
  );
}
