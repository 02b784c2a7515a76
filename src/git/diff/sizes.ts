import { MissingObject } from '../base/errors.ts';
import { type Oid, SUBMODULE } from '../base/model.ts';
import type { RepositoryReader } from '../base/reader.ts';
import type { Change } from '../base/side.ts';

/** The sizes of all contents of some changes, in bytes. Throws MissingObject. */
export async function sizesOf(reader: RepositoryReader, changes: Change[]): Promise<Map<Oid, number>> {
  const blobs = new Set<Oid>();
  for (const { old, now } of changes) {
    if (old?.oid === now?.oid) continue;
    for (const side of [old, now]) if (side !== null && side.mode !== SUBMODULE) blobs.add(side.oid);
  }
  const sizes = await reader.blobSizes([...blobs]);
  for (const oid of blobs) if (!sizes.has(oid)) throw new MissingObject(oid, 'blob');
  return sizes;
}
