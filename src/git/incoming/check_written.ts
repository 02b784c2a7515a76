import { Readable } from 'node:stream';
import type { Oid } from '../base/model.ts';
import type { GitObject } from '../objects/store.ts';
import { programVersion } from '../program/detect.ts';
import { ByteReader } from './byte_reader.ts';
import { assemblePack } from './pack.ts';
import { Quarantine } from './quarantine.ts';

/** How long checking may take, in milliseconds. */
const TIMEOUT = 20_000;

/**
 * Checks objects before they are written, as those of a push are checked. Throws RefusedObjects. Checks nothing without a git
 * program, as pushes need it, too.
 */
export async function checkWritten(directory: string, objects: ReadonlyMap<Oid, GitObject>): Promise<void> {
  if ((await programVersion()) === null) return;
  const quarantine = await Quarantine.open(directory, AbortSignal.timeout(TIMEOUT));
  try {
    const { bytes } = await assemblePack(objects);
    const unlimited = { packBytes: Number.POSITIVE_INFINITY, objectBytes: Number.POSITIVE_INFINITY };
    await quarantine.takePack(new ByteReader(Readable.from([bytes], { objectMode: false })), unlimited);
  } finally {
    await quarantine.discard();
  }
}
