import { buffer } from 'node:stream/consumers';
import {
  findZipEntry,
  listZipFolder,
  openZipEntry,
  UnreadableZip,
  type ZipSource,
} from '#src/domain/ci/artifacts/zip.ts';
import { findInTar, gunzipped } from '#src/domain/packages/archives/tar.ts';
import { BadRequest, ContentTooLarge } from '#src/platform/errors.ts';

/** Bytes of the longest metadata that is read, and how many fields it has at most. */
const MAX_METADATA_BYTES = 1024 * 1024;
const MAX_FIELDS = 1_000;

/** An archive in a store, which can be read whole and in part. */
type Archive = ZipSource & { name: string; stream(): AsyncIterable<Uint8Array> };

/**
 * The fields of the core metadata of a wheel or a source archive (`METADATA`, `PKG-INFO`) by their names in lower case, the first of each;
 * none for archives of other kinds. Throws BadRequest for an archive that cannot be read, or has none.
 */
export async function readPythonMetadata(archive: Archive): Promise<ReadonlyMap<string, string>> {
  const text = await metadataOf(archive);
  const fields = new Map<string, string>();
  if (text === null) return fields;
  // The description follows an empty line, and what belongs to a field before begins with a space.
  for (const line of text.split('\n', MAX_FIELDS)) {
    if (line.trim() === '') break;
    const mark = line.indexOf(':');
    const name = line.slice(0, mark).toLowerCase();
    if (mark > 0 && !/^\s/.test(line) && !fields.has(name)) fields.set(name, line.slice(mark + 1).trim());
  }
  return fields;
}

async function metadataOf(archive: Archive): Promise<string | null> {
  const { name } = archive;
  if (name.endsWith('.tar.gz')) {
    const found = await findInTar(gunzipped(archive.stream()), (path) => /^[^/]+\/PKG-INFO$/.test(path));
    if (!found) throw new BadRequest('The archive has no PKG-INFO', 'content');
    return found.content.toString('utf8');
  }
  return name.endsWith('.whl') ? metadataOfWheel(archive) : null;
}

async function metadataOfWheel(archive: Archive): Promise<string> {
  try {
    const folders = (await listZipFolder(archive, '')) ?? [];
    const folder = folders.find(({ name, isFolder }) => isFolder && name.replace(/\/$/, '').endsWith('.dist-info'));
    const entry = folder && (await findZipEntry(archive, `${folder.name.replace(/\/$/, '')}/METADATA`));
    if (!entry) throw new BadRequest('The wheel has no METADATA', 'content');
    if (entry.size > MAX_METADATA_BYTES) throw new BadRequest('METADATA of the wheel is too large', 'content');
    return (await buffer(await openZipEntry(archive, entry))).toString('utf8');
  } catch (error) {
    if (error instanceof UnreadableZip || error instanceof ContentTooLarge)
      throw new BadRequest(`The wheel cannot be read: ${error.message}`, 'content');
    throw error;
  }
}
