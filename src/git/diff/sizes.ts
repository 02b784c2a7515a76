import { MissingObject } from '../errors.ts';
import { type Oid, SUBMODULE } from '../model.ts';
import type { RepositoryReader } from '../reader.ts';
import type { Change } from './side.ts';

/** The sizes of all contents of some changes, in bytes. Throws MissingObject. */
export async function sizesOf(reader: RepositoryReader, changes: Change[]): Promise<Map<Oid, number>> {
  const sides = changes.flatMap(({ old, now }) => (old?.oid === now?.oid ? [] : [old, now]));
  const blobs = new Set(sides.flatMap((side) => (side === null || side.mode === SUBMODULE ? [] : [side.oid])));
  const sizes = await reader.blobSizes([...blobs]);
  for (const oid of blobs) if (!sizes.has(oid)) throw new MissingObject(oid, 'blob');
  return sizes;
}
