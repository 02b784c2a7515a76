import { readdir } from 'node:fs/promises';
import { isOid, type Oid } from '../base/model.ts';
import { decodeName } from '../base/names.ts';
import { absentObjects } from '../objects/presence.ts';
import { isValidRefName } from './name.ts';
import { RefReader, readSmall, refFile, symbolicTarget } from './read.ts';

/** A ref that cannot be followed. */
export interface BrokenRef {
  /** In full. */
  name: string;
  /** The missing object that it leads to; null if the file is not a ref. */
  target: Oid | null;
}

/** The broken refs: files that are not refs, and refs to missing objects. Ignores locks. */
export async function findBrokenRefs(directory: string): Promise<BrokenRef[]> {
  const broken: BrokenRef[] = [];
  await collectUnreadable(directory, 'refs/', broken);
  const refs = await new RefReader(directory).list('refs/');
  const absent = new Set(await absentObjects(directory, [...new Set(refs.map(({ target }) => target))]));
  return [...broken, ...refs.filter(({ target }) => absent.has(target))];
}

async function collectUnreadable(directory: string, prefix: string, into: BrokenRef[]): Promise<void> {
  const folder = refFile(directory, prefix);
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' }).catch(() => []);
  for (const entry of entries) {
    const name = prefix + decodeName(entry.name);
    if (entry.isDirectory()) await collectUnreadable(directory, `${name}/`, into);
    else if (!name.endsWith('.lock') && isValidRefName(name) && !(await isReadable(directory, name)))
      into.push({ name, target: null });
  }
}

async function isReadable(directory: string, name: string): Promise<boolean> {
  const content = await readSmall(refFile(directory, name));
  // Deleted meanwhile.
  if (content === null) return true;
  const next = symbolicTarget(content);
  return next === null ? isOid(content.slice(0, 40)) : (await new RefReader(directory).read(next)) !== null;
}
