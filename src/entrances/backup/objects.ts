import type { FileHandle } from 'node:fs/promises';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { orIfAbsent } from './present.ts';

/** An open file of a repository's objects: it can be read even after a repack has removed it. */
export interface ObjectFile {
  /** Path below `objects`, with slashes. */
  name: string;
  /** In bytes. */
  size: number;
  /** The checksum at its end in hexadecimal, for pack files. */
  tag?: string;
  content(): AsyncIterable<Buffer>;
}

/** How often to retry while a repository is being repacked, and milliseconds to wait in between. */
const ATTEMPTS = 100;
const PAUSE = 50;
/** Bytes of the checksum that the files of a pack end with. */
const CHECKSUM = 20;

/**
 * All objects of a repository, loose ones and packs, as immutable files. The repository may be written to and repacked meanwhile:
 * every object that exists at the beginning and is not deleted is in one of the files. Throws an Error if the repository is
 * repacked all the time.
 */
export async function* objectFiles(directory: string): AsyncGenerator<ObjectFile> {
  const objects = path.join(directory, 'objects');
  const given = new Set<string>();
  for (let attempt = 1; ; attempt++) {
    const before = (await packNames(objects)).join();
    // Loose objects first: those packed meanwhile are then found in the pack.
    yield* looseFiles(objects, given);
    const packs = await openPacks(objects, given);
    try {
      for (const { file } of packs.files) yield file;
    } finally {
      for (const { handle } of packs.files) await handle.close();
    }
    // No packed objects were made loose in between either.
    if (packs.names === before) return;
    if (attempt === ATTEMPTS) throw new Error(`${directory} does not hold still: it is repacked all the time`);
    await sleep(PAUSE);
  }
}

async function* looseFiles(objects: string, given: Set<string>): AsyncGenerator<ObjectFile> {
  for (const fanOut of await names(objects)) {
    if (!/^[0-9a-f]{2}$/.test(fanOut)) continue;
    for (const rest of await names(path.join(objects, fanOut))) {
      const name = `${fanOut}/${rest}`;
      if (!/^[0-9a-f]{38}$/.test(rest) || given.has(name)) continue;
      const handle = await openIfThere(path.join(objects, name));
      if (!handle) continue;
      try {
        given.add(name);
        yield { name, size: (await handle.stat()).size, content: () => contentOf(handle) };
      } finally {
        await handle.close();
      }
    }
  }
}

interface Opened {
  handle: FileHandle;
  file: ObjectFile;
}

/** Opens the files of all packs not yielded yet; they stay readable even if removed. */
async function openPacks(objects: string, given: Set<string>): Promise<{ names: string; files: Opened[] }> {
  const files: Opened[] = [];
  try {
    for (let attempt = 1; ; attempt++) {
      const packs = await packNames(objects);
      const complete = await openAll(objects, packs, given, files);
      const after = (await packNames(objects)).join();
      if (complete && after === packs.join()) return { names: after, files };
      if (attempt === ATTEMPTS) throw new Error(`${objects} does not hold still: it is repacked all the time`);
      await sleep(PAUSE);
    }
  } catch (error) {
    for (const { handle } of files) await handle.close();
    throw error;
  }
}

/** Returns whether all of them existed. */
async function openAll(objects: string, packs: string[], given: Set<string>, files: Opened[]): Promise<boolean> {
  for (const pack of packs) {
    if (given.has(pack)) continue;
    const opened: Opened[] = [];
    // The index last, as a pack without one is ignored.
    for (const ending of ['pack', 'rev', 'idx']) {
      const name = `pack/${pack}.${ending}`;
      const handle = await openIfThere(path.join(objects, name));
      if (handle) opened.push({ handle, file: await packFile(name, handle) });
      else if (ending !== 'rev') {
        for (const { handle } of opened) await handle.close();
        return false;
      }
    }
    given.add(pack);
    files.push(...opened);
  }
  return true;
}

async function packFile(name: string, handle: FileHandle): Promise<ObjectFile> {
  const { size } = await handle.stat();
  const end = Buffer.alloc(Math.min(CHECKSUM, size));
  await handle.read(end, 0, end.length, size - end.length);
  return { name, size, tag: end.toString('hex'), content: () => contentOf(handle) };
}

function contentOf(handle: FileHandle): AsyncIterable<Buffer> {
  return handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 256 * 1024 });
}

/** Names of complete packs without file extensions: those with an index, except temporary ones. */
async function packNames(objects: string): Promise<string[]> {
  const found = await names(path.join(objects, 'pack'));
  return found.flatMap((name) => /^(pack-[0-9a-f]{40})\.idx$/.exec(name)?.[1] ?? []).sort();
}

async function names(directory: string): Promise<string[]> {
  return readdir(directory).catch(orIfAbsent<string[]>([]));
}

async function openIfThere(file: string): Promise<FileHandle | null> {
  return open(file, 'r').catch(orIfAbsent(null));
}
