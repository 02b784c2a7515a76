import { parentPort } from 'node:worker_threads';
import zlib from 'node:zlib';
import { findInTar } from '#src/domain/packages/archives/tar.ts';
import { BadXz, unpackXz } from '#src/domain/packages/archives/xz.ts';
import { BadRequest } from '#src/platform/errors.ts';

/* The thread that unpacks the control archives of Debian packages, one after another. */

/** The member of a package that holds its control file, with the name that tells how it is packed. */
export interface ControlArchive {
  name: string;
  packed: Uint8Array;
}

/** The control file as text, or why it cannot be read. */
export type UnpackedControl = { control: string } | { refused: string };

/** Bytes of the largest control archive, unpacked, and of the largest control file. */
const MAX_ARCHIVE_BYTES = 16 * 1024 * 1024;
const MAX_CONTROL_BYTES = 64 * 1024;

parentPort?.on('message', async (archive: ControlArchive) => {
  parentPort?.postMessage(await controlIn(archive));
});
parentPort?.postMessage('ready');

async function controlIn({ name, packed }: ControlArchive): Promise<UnpackedControl> {
  try {
    const archive = unpack(name, Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength));
    const found = await findInTar(
      (async function* whole() {
        yield archive;
      })(),
      (entry) => entry === 'control',
    );
    if (!found) return { refused: 'The package has no control file' };
    if (found.content.length > MAX_CONTROL_BYTES) return { refused: 'The control file of the package is too large' };
    return { control: found.content.toString('utf8') };
  } catch (error) {
    if (error instanceof BadRequest) return { refused: error.message };
    const isUnpacking = error instanceof BadXz || typeof (error as NodeJS.ErrnoException).code === 'string';
    if (!isUnpacking) throw error;
    return { refused: `${name} of the package cannot be unpacked, or is too large` };
  }
}

function unpack(name: string, packed: Buffer): Buffer {
  const limit = { maxOutputLength: MAX_ARCHIVE_BYTES };
  if (name === 'control.tar') return packed;
  if (name === 'control.tar.gz') return zlib.gunzipSync(packed, limit);
  if (name === 'control.tar.xz') return unpackXz(packed, MAX_ARCHIVE_BYTES);
  if (name !== 'control.tar.zst') throw new BadRequest(`${name} of the package is packed in a way that is not known`);
  // Node.js has it since 22.15.
  if (typeof zlib.zstdDecompressSync !== 'function')
    throw new BadRequest('This server cannot unpack zstd: build the package with dpkg-deb -Zxz');
  return zlib.zstdDecompressSync(packed, limit);
}
