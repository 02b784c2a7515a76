import type { FileHandle } from 'node:fs/promises';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { orIfAbsent } from './present.ts';

/** A file of the objects of a repository, open: it can be read even when a repack has removed it meanwhile. */
export interface ObjectFile {
  /** Below `objects`, with slashes. */
  name: string;
  /** In bytes. */
  size: number;
  /** The checksum at its end in hexadecimal, for files of packs. */
  tag?: string;
  content(): AsyncIterable<Buffer>;
}

/** How often to look again at a repository that is repacked meanwhile, and how long to wait before, in milliseconds. */
const ATTEMPTS = 100;
const PAUSE = 50;
/** Bytes of the checksum that the files of a pack end with. */
const CHECKSUM = 20;

/**
 * All objects of a repository, single ones and packs, as files that never change. It may be written to and repacked
 * meanwhile: every object that is there at the beginning, and that nobody removes, is in one of them. Throws an Error when
 * the repository is repacked all the time.
 */
export async function* objectFiles(directory: string): AsyncGenerator<ObjectFile> {
  const objects = path.join(directory, 'objects');
  const given = new Set<string>();
  for (let attempt = 1; ; attempt++) {
    const before = (await packNames(objects)).join();
    // What is packed meanwhile is found in the pack: single objects first.
    yield* looseFiles(objects, given);
    const packs = await openPacks(objects, given);
    try {
      for (const { file } of packs.files) yield file;
    } finally {
      for (const { handle } of packs.files) await handle.close();
    }
    // Between the two looks nobody has made single objects of packed ones either.
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

/** Opens the files of all packs that were not given yet; they stay whole although others remove them. */
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

/** Returns whether all of them were there. */
async function openAll(objects: string, packs: string[], given: Set<string>, files: Opened[]): Promise<boolean> {
  for (const pack of packs) {
    if (given.has(pack)) continue;
    const opened: Opened[] = [];
    // The index last, as nobody looks at a pack without one.
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

/** Names of packs without endings; those of which there is an index, and that are no drafts. */
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
