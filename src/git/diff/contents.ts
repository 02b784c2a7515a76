import { MissingObject } from '../errors.ts';
import { SUBMODULE } from '../model.ts';
import type { RepositoryReader } from '../reader.ts';
import type { Side } from './renames.ts';

/** How large what is compared for one side is, in bytes. */
export async function sizeOf(reader: RepositoryReader, side: Side | null): Promise<number> {
  if (side === null || side.mode === SUBMODULE) return 0;
  const size = await reader.blobSize(side.oid);
  if (size === null) throw new MissingObject(side.oid, 'blob');
  return size;
}

/** Nothing larger is compared, whatever the limits are; in bytes. */
const LARGEST = 64 * 1024 * 1024;

/** What is compared for one side, whose size was looked at: the content of a file, the target of a link, a line that names the commit of a submodule. Throws TooLarge. */
export async function contentOf(reader: RepositoryReader, side: Side | null): Promise<Buffer | null> {
  if (side === null) return null;
  if (side.mode === SUBMODULE) return Buffer.from(`Subproject commit ${side.oid}\n`);
  const content = await reader.blob(side.oid, LARGEST);
  if (content === null) throw new MissingObject(side.oid, 'blob');
  return content;
}
