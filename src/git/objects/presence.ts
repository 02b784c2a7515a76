import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { GitError } from '../base/errors.ts';
import { isAbsent } from '../base/existence.ts';
import type { Oid } from '../base/model.ts';
import { PackIndex } from './pack_index.ts';

/** How often to look again: objects move from files to packs, and from packs to packs, while they are looked for. */
const LOOKS = 3;

/** How many objects are looked for without a pause. */
const LOOKUPS_PER_YIELD = 500;

/** Those of the objects that are not in the repository, as it is on disk now: nothing that is remembered counts. */
export async function absentObjects(directory: string, oids: readonly Oid[]): Promise<Oid[]> {
  const objects = path.join(directory, 'objects');
  const absent = new Set(oids);
  for (let look = 0; look < LOOKS && absent.size > 0; look++) {
    await strikeOutPacked(path.join(objects, 'pack'), absent);
    await strikeOut(absent, (oid) => existsSync(path.join(objects, oid.slice(0, 2), oid.slice(2))));
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
    if (name.endsWith('.idx')) await strikeOutOf(path.join(folder, name), absent);
  }
}

async function strikeOutOf(file: string, absent: Set<Oid>): Promise<void> {
  // An index that stays behind alone is of no use.
  if (!existsSync(file.replace(/\.idx$/, '.pack'))) return;
  try {
    const index = new PackIndex(file);
    await strikeOut(absent, (oid) => index.offset(oid) !== null).finally(() => index.close());
  } catch (error) {
    // A repack has just removed it, or it is damaged: nothing that is only in there can be read.
    if (!isAbsent(error) && !(error instanceof GitError)) throw error;
  }
}

/** Files are looked at at once: others are to be served in between. */
async function strikeOut(absent: Set<Oid>, isThere: (oid: Oid) => boolean): Promise<void> {
  let looks = 0;
  for (const oid of absent) {
    if (isThere(oid)) absent.delete(oid);
    if (++looks % LOOKUPS_PER_YIELD === 0) await setImmediate();
  }
}
