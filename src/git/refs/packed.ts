import { createHash } from 'node:crypto';
import { type BigIntStats, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Oid } from '../base/model.ts';
import { decodeName } from '../base/names.ts';
import { isYoung } from '../base/young.ts';

/** The refs that `git pack-refs` gathered in one file, read again whenever the file is another one. */
export class PackedRefs {
  readonly #file: string;
  #stamp = '';
  #refs = new Map<string, Oid>();
  /** Of what was read while the file was young. */
  #digest: string | null = null;

  constructor(directory: string) {
    this.#file = path.join(directory, 'packed-refs');
  }

  /** Full names and what the refs hold; not to be changed. */
  async read(): Promise<ReadonlyMap<string, Oid>> {
    const stats = statSync(this.#file, { bigint: true, throwIfNoEntry: false });
    const stamp = stampOf(stats);
    if (stamp === this.#stamp && this.#digest === null) return this.#refs;
    const bytes = stats === undefined ? Buffer.alloc(0) : await readIfThere(this.#file);
    const digest = stats !== undefined && isYoung(stats) ? createHash('sha1').update(bytes).digest('hex') : null;
    // A young file that looks the same is read again, but not taken apart again.
    if (digest === null || digest !== this.#digest) this.#refs = parsePackedRefs(bytes);
    this.#digest = digest;
    this.#stamp = stamp;
    return this.#refs;
  }
}

/** The lines `<oid> <name>`; comments and peeled values are left out. */
export function parsePackedRefs(bytes: Buffer): Map<string, Oid> {
  const refs = new Map<string, Oid>();
  for (let at = 0; at < bytes.length; ) {
    let end = bytes.indexOf(10, at);
    if (end < 0) end = bytes.length;
    const mark = bytes[at];
    if (mark !== 35 && mark !== 94 && end - at > 41) {
      refs.set(decodeName(bytes.subarray(at + 41, end)), bytes.toString('latin1', at, at + 40));
    }
    at = end + 1;
  }
  return refs;
}

function stampOf(stats: BigIntStats | undefined): string {
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}

async function readIfThere(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
