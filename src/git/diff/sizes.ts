import { MissingObject } from '../errors.ts';
import { type Oid, SUBMODULE } from '../model.ts';
import type { RepositoryReader } from '../reader.ts';
import { breathe } from '../turns.ts';
import type { Change } from './side.ts';

/** How many sizes are asked for at a time. */
const AT_ONCE = 200;

/** The sizes of all contents of some changes, in bytes. Throws MissingObject. */
export async function sizesOf(reader: RepositoryReader, changes: Change[]): Promise<Map<Oid, number>> {
  const sides = changes.flatMap(({ old, now }) => (old?.oid === now?.oid ? [] : [old, now]));
  const blobs = sides.flatMap((side) => (side === null || side.mode === SUBMODULE ? [] : [side.oid]));
  const sizes = new Map<Oid, number>();
  const waiting = [...new Set(blobs)];
  for (let at = 0; at < waiting.length; at += AT_ONCE) {
    await breathe();
    const measure = async (oid: Oid) => {
      const size = await reader.blobSize(oid);
      if (size === null) throw new MissingObject(oid, 'blob');
      sizes.set(oid, size);
    };
    await Promise.all(waiting.slice(at, at + AT_ONCE).map(measure));
  }
  return sizes;
}
