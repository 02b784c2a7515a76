import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Oid } from '../model.ts';
import { isAbsent } from '../refs/read.ts';
import { PackIndex } from './pack-index.ts';

/** How often to look again: objects move from files to packs, and from packs to packs, while they are looked for. */
const LOOKS = 3;

/** Those of the objects that are not in the repository, as it is on disk now: nothing that is remembered counts. */
export async function absentObjects(directory: string, oids: readonly Oid[]): Promise<Oid[]> {
  const objects = path.join(directory, 'objects');
  const absent = new Set(oids);
  for (let look = 0; look < LOOKS && absent.size > 0; look++) {
    await strikeOutPacked(path.join(objects, 'pack'), absent);
    for (const oid of absent) if (existsSync(path.join(objects, oid.slice(0, 2), oid.slice(2)))) absent.delete(oid);
  }
  return [...absent];
}

async function strikeOutPacked(folder: string, absent: Set<Oid>): Promise<void> {
  const names = await readdir(folder).catch((error) => {
    if (isAbsent(error)) return [];
    throw error;
  });
  for (const name of names) {
    if (absent.size === 0) return;
    if (name.endsWith('.idx')) strikeOut(path.join(folder, name), absent);
  }
}

function strikeOut(file: string, absent: Set<Oid>): void {
  try {
    const index = new PackIndex(file);
    try {
      const found = [...absent].filter((oid) => index.offset(oid) !== null);
      if (existsSync(file.replace(/\.idx$/, '.pack'))) for (const oid of found) absent.delete(oid);
    } finally {
      index.close();
    }
  } catch (error) {
    // A repack has just removed it.
    if (!isAbsent(error)) throw error;
  }
}
