import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { treeFile } from '#src/domain/project_archives/place.ts';

/** Characters of a file that are kept until they are written. */
const MAX_BUFFERED_LENGTH = 256 * 1024;

/** Writes the records of an archive (docs/project-archives.md), each once. */
export class TreeWriter {
  readonly #directory: string;
  readonly #buffers = new Map<string, string[]>();
  readonly #lengths = new Map<string, number>();
  readonly #seen = new Map<string, Set<number | string>>();
  readonly #next = new Map<string, number>();

  /** @param directory of the archive, in which there is `tree` */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes a record unless one of the kind with that key was written before; returns whether it was not. */
  async once(kind: string, key: number | string, record: Readonly<Record<string, unknown>>): Promise<boolean> {
    const seen = this.#seen.get(kind) ?? new Set();
    this.#seen.set(kind, seen);
    if (seen.has(key)) return false;
    seen.add(key);
    await this.write(kind, { ...record, source_key: String(key) });
    return true;
  }

  /** Whether `once` has written a record of a kind with that key. */
  has(kind: string, key: number | string): boolean {
    return this.#seen.get(kind)?.has(key) ?? false;
  }

  /** Writes a record with an ID of its own; the key is what names it at the source, for as long as it is there. */
  async add(kind: string, key: number | string, record: Readonly<Record<string, unknown>>): Promise<number> {
    const id = (this.#next.get(kind) ?? 0) + 1;
    this.#next.set(kind, id);
    await this.write(kind, { id, ...record, source_key: String(key) });
    return id;
  }

  /** Writes what is not written yet. */
  async end(): Promise<void> {
    for (const kind of this.#buffers.keys()) await this.#flush(kind);
  }

  /** Writes a record. */
  async write(kind: string, record: Readonly<Record<string, unknown>>): Promise<void> {
    const line = `${JSON.stringify(record)}\n`;
    const buffer = this.#buffers.get(kind) ?? [];
    buffer.push(line);
    this.#buffers.set(kind, buffer);
    const length = (this.#lengths.get(kind) ?? 0) + line.length;
    this.#lengths.set(kind, length);
    if (length > MAX_BUFFERED_LENGTH) await this.#flush(kind);
  }

  async #flush(kind: string): Promise<void> {
    const text = (this.#buffers.get(kind) ?? []).join('');
    this.#buffers.set(kind, []);
    this.#lengths.set(kind, 0);
    await appendFile(path.join(this.#directory, treeFile(kind)), text);
  }
}
