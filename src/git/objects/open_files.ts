import { closeSync, openSync, readSync } from 'node:fs';

/** How many files of packs are held open at most, of all repositories together. */
const MAX_OPEN_FILES = 256;

/** Descriptors by reader, the one that was used least recently first. */
const open = new Map<FileReader, number>();

/** Reads pieces of a file that may be one of very many: it is closed when others need the place, and opened again. */
export class FileReader {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Bytes from a position on, fewer if the file ends before. They can be put into a buffer that is there already. */
  read(position: number, length: number, bytes: Buffer = Buffer.allocUnsafe(length)): Buffer {
    const file = this.#descriptor();
    let read = 0;
    while (read < length) {
      const count = readSync(file, bytes, read, length - read, position + read);
      if (count === 0) break;
      read += count;
    }
    return bytes.subarray(0, read);
  }

  close(): void {
    const file = open.get(this);
    open.delete(this);
    if (file !== undefined) closeSync(file);
  }

  #descriptor(): number {
    const file = open.get(this) ?? openSync(this.path, 'r');
    open.delete(this);
    open.set(this, file);
    for (const [oldest] of open) {
      if (open.size <= MAX_OPEN_FILES) break;
      oldest.close();
    }
    return file;
  }
}
