import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isAbsent } from '../base/existence.ts';
import type { Oid } from '../base/model.ts';
import { encodeName } from '../base/names.ts';
import { LOCK_TIMEOUT, RefLock } from './lock.ts';

/** What a ref is to hold in `packed-refs`: null takes it out. */
export interface PackedEntry {
  name: string;
  to: Oid | null;
  /** The object that the annotation `to` leads to; absent if it is not an annotation. */
  peeled?: Oid | undefined;
}

/** Puts refs into `packed-refs` and takes others out, all at once: on disk when this returns. Throws RefLocked. */
export async function writePacked(
  directory: string,
  entries: readonly PackedEntry[],
  timeout = LOCK_TIMEOUT,
): Promise<void> {
  const lock = await RefLock.take(directory, 'packed-refs', timeout);
  try {
    const { traits, refs } = parse(await readPacked(directory));
    for (const { name, to, peeled } of entries) {
      const key = encodeName(name).toString('latin1');
      if (to === null) refs.delete(key);
      else refs.set(key, `${to} ${key}\n${peeled === undefined ? '' : `^${peeled}\n`}`);
    }
    // One character a byte: the order is that of the bytes.
    const sorted = [...refs.keys()].sort((left, right) => (left < right ? -1 : 1));
    const text = `# pack-refs with: ${traits}sorted \n${sorted.map((key) => refs.get(key)).join('')}`;
    await lock.commit(Buffer.from(text, 'latin1'));
  } finally {
    await lock.release();
  }
}

/** The names in `packed-refs`, one character a byte. */
export async function packedNames(directory: string): Promise<ReadonlySet<string>> {
  return new Set(parse(await readPacked(directory)).refs.keys());
}

interface Parsed {
  /** What the lines of the file say beyond names and values, such as `peeled fully-peeled `. */
  traits: string;
  /** The lines of each ref by its name, one character a byte. */
  refs: Map<string, string>;
}

function parse(text: string): Parsed {
  const refs = new Map<string, string>();
  let header = text === '' ? 'peeled fully-peeled' : '';
  let name = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) header = line;
    else if (line.startsWith('^')) refs.set(name, `${refs.get(name) ?? ''}${line}\n`);
    else if (line.length > 41) {
      name = line.slice(41);
      refs.set(name, `${line}\n`);
    }
  }
  const traits = header.split(' ').filter((word) => word === 'peeled' || word === 'fully-peeled');
  return { traits: traits.map((word) => `${word} `).join(''), refs };
}

async function readPacked(directory: string): Promise<string> {
  try {
    return await readFile(path.join(directory, 'packed-refs'), 'latin1');
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
}
