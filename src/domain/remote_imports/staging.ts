import { existsSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { linesOf } from '#src/domain/project_archives/lines.ts';
import type { LeftOut, Page, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { syncDirectory } from '#src/git/base/sync.ts';
import { makeDurableDirectories } from '#src/git/write/make_directories.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** Pages of one import. */
const MAX_PAGES = 200_000;
/** Records of a source that are staged: half of what an archive may have, as a record may become two. */
const MAX_RECORDS = 1_000_000;
/** How many things that were left out are remembered. */
const MAX_LEFT_OUT = 1_000;
const FILE = /^\d{8}\.ndjson$/;

/** What a page of the staging begins with. */
interface PageHead {
  phase: string;
  next: string | null;
  seen: number;
  total: number | null;
  records: number;
  fileBytes: number;
  leftOut: readonly LeftOut[];
}

/** How far a phase is. */
export interface PhaseProgress {
  fetched: number;
  total: number | null;
  /** The cursor that follows; null at the end. */
  next: string | null;
}

/**
 * What an import has fetched so far, in a directory: each page is a file, which is there as a whole or not at all, together with the
 * cursor of the page that follows. An import that ended in the middle goes on behind the last page.
 */
export class Staging {
  readonly directory: string;
  /** How much may be fetched in all, in bytes. */
  readonly maxBytes: number;
  readonly #phases = new Map<string, PhaseProgress>();
  readonly #leftOut: LeftOut[] = [];
  #pages = 0;
  #records = 0;
  #bytes = 0;

  private constructor(directory: string, maxBytes: number) {
    this.directory = directory;
    this.maxBytes = maxBytes;
  }

  /** Opens the staging, or begins it. */
  static async open(directory: string, maxBytes: number): Promise<Staging> {
    const staging = new Staging(directory, maxBytes);
    await makeDurableDirectories(staging.#folder);
    for (const name of (await readdir(staging.#folder)).sort()) {
      const file = path.join(staging.#folder, name);
      // A page that was being written when the process ended.
      if (!FILE.test(name)) await rm(file, { force: true });
      else await staging.#read(file);
    }
    return staging;
  }

  get #folder(): string {
    return path.join(this.directory, 'pages');
  }

  /** How far the phases are that were begun, by their names. */
  get phases(): ReadonlyMap<string, PhaseProgress> {
    return this.#phases;
  }

  get leftOut(): readonly LeftOut[] {
    return this.#leftOut;
  }

  /** How much more may be fetched, in bytes. */
  get bytesLeft(): number {
    return Math.max(0, this.maxBytes - this.#bytes);
  }

  /** Adds a page of a phase. It is on disk when this returns. Throws RemoteRefused for more than an import may have. */
  async add(phase: string, page: Page): Promise<void> {
    const head: PageHead = {
      phase,
      next: page.next,
      seen: page.seen,
      total: page.total ?? null,
      records: page.records.length,
      fileBytes: page.fileBytes ?? 0,
      leftOut: page.leftOut ?? [],
    };
    const text = [head, ...page.records].map((one) => `${JSON.stringify(one)}\n`).join('');
    this.#count(head, Buffer.byteLength(text));
    const file = path.join(this.#folder, `${String(this.#pages).padStart(8, '0')}.ndjson`);
    const handle = await open(`${file}.new`, 'w');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${file}.new`, file);
    await syncDirectory(this.#folder);
  }

  /** All records, or those of some kinds, in the order in which they came. */
  async *records(kinds: ReadonlySet<string> | null = null): AsyncGenerator<StagedRecord> {
    for (let page = 1; page <= this.#pages; page++) {
      const name = `${String(page).padStart(8, '0')}.ndjson`;
      for await (const { number, record } of linesOf(path.join(this.#folder, name), name)) {
        const { kind, record: inner } = record as unknown as StagedRecord;
        if (number > 1 && (kinds === null || kinds.has(kind))) yield { kind, record: inner };
      }
    }
  }

  /** Whether a step that leaves files besides pages was finished. */
  isDone(step: string): boolean {
    return existsSync(path.join(this.directory, `${step}.done`));
  }

  /** Remembers that a step is finished. */
  async markDone(step: string): Promise<void> {
    const handle = await open(path.join(this.directory, `${step}.done`), 'w');
    await handle.sync().finally(() => handle.close());
    await syncDirectory(this.directory);
  }

  async #read(file: string): Promise<void> {
    for await (const { record } of linesOf(file, path.basename(file))) {
      const handle = await open(file);
      const { size } = await handle.stat().finally(() => handle.close());
      this.#count(record as unknown as PageHead, size);
      break;
    }
  }

  #count({ phase, next, seen, total, records, fileBytes, leftOut }: PageHead, bytes: number): void {
    const before = this.#phases.get(phase);
    this.#pages += 1;
    this.#records += records;
    this.#bytes += bytes + fileBytes;
    if (this.#pages > MAX_PAGES) throw new RemoteRefused(`The source has more than ${MAX_PAGES} pages of records.`);
    if (this.#records > MAX_RECORDS) throw new RemoteRefused(`The source has more than ${MAX_RECORDS} records.`);
    if (this.#bytes > this.maxBytes) {
      throw new RemoteRefused(`The source has more than the ${this.maxBytes} bytes that may be imported.`);
    }
    if (before?.next === null || (next !== null && before?.next === next)) {
      throw new RemoteRefused('The source gives the same page again and again.');
    }
    this.#phases.set(phase, { fetched: (before?.fetched ?? 0) + seen, total: total ?? before?.total ?? null, next });
    this.#leftOut.push(...leftOut.slice(0, MAX_LEFT_OUT - this.#leftOut.length));
  }
}
