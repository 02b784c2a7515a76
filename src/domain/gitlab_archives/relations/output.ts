import type { WriteStream } from 'node:fs';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { openFile, writeTo } from '#src/domain/gitlab_archives/relations/files.ts';
import { type Columns, keepUsable } from '#src/domain/gitlab_archives/relations/usable.ts';
import type { Kind } from '#src/domain/project_archives/kinds.ts';
import { ArchiveInvalid } from '#src/domain/project_archives/lines.ts';
import { treeFile, USERS } from '#src/domain/project_archives/place.ts';
import { recordLine } from '#src/domain/project_archives/records.ts';
import type { FailedRelation } from '#src/domain/project_archives/tree.ts';

/** Records that an archive may become, users that it may name, and different things that are remembered as left out. */
const MAX_RECORDS = 2_000_000;
const MAX_USERS = 100_000;
const MAX_LEFT_OUT = 100;

/** Where something is in an archive of GitLab. */
export interface At {
  /** The name of its relation, such as `issues`. */
  relation: string;
  line: number;
}

/** A user as an archive of GitLab names one. */
export interface ArchivedUser {
  username?: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
}

/** Writes the records of an archive of GitLab in the layout of Gantry's own archives, and remembers what is left out. */
export class Output {
  readonly #directory: string;
  readonly #signal: AbortSignal;
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #files = new Map<string, WriteStream>();
  readonly #ids = new Map<string, number>();
  readonly #users = new Map<number, ArchivedUser>();
  readonly #leftOut = new Map<string, { at: At; count: number; why: string }>();
  #left = MAX_RECORDS;

  /** @param directory that of the unpacked archive, with a directory `tree` */
  constructor(directory: string, kinds: readonly Kind[], signal: AbortSignal) {
    this.#directory = directory;
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.#signal = signal;
  }

  /** An ID that no record of a kind has yet. */
  id(kind: string): number {
    const id = (this.#ids.get(kind) ?? 0) + 1;
    this.#ids.set(kind, id);
    return id;
  }

  /**
   * Writes a record. Values that its columns may not have are left out; so is the record, if it cannot do without one of them. Throws
   * ArchiveInvalid beyond the number of records that an archive may have.
   *
   * @returns whether it was written
   */
  async add(kindName: string, row: Columns, at: At): Promise<boolean> {
    this.#signal.throwIfAborted();
    const kind = this.#kinds.get(kindName);
    if (!kind) throw new Error(`There is no kind ${kindName}`);
    if (!(await keepUsable(kind, row, (why) => this.leaveOut(at, why)))) return false;
    await this.line(kindName, row);
    return true;
  }

  /** Writes a line to a file that has other records than those of a kind, or records that were looked at. */
  async line(fileName: string, row: Columns): Promise<void> {
    if (--this.#left < 0) throw new ArchiveInvalid(`The archive has more than ${MAX_RECORDS} records.`);
    await this.#write(fileName, recordLine(row));
  }

  /** The ID of a user whom a record names, or null for none; what is known of the user is remembered. */
  user(id: unknown, known: ArchivedUser = {}): number | null {
    if (!Number.isSafeInteger(id) || (id as number) < 1 || (id as number) >= 2 ** 31) return null;
    const before = this.#users.get(id as number);
    if (before === undefined && this.#users.size >= MAX_USERS) return id as number;
    const { username = before?.username, name = before?.name, email = before?.email } = known;
    this.#users.set(id as number, { username, name, email });
    return id as number;
  }

  /** Remembers that something does not come along, and why; it is counted. */
  leaveOut(at: At, why: string, count = 1): void {
    const key = `${at.relation} ${why}`;
    const found = this.#leftOut.get(key);
    if (found) found.count += count;
    else if (this.#leftOut.size < MAX_LEFT_OUT) this.#leftOut.set(key, { at, count, why });
  }

  /** What was left out, so far. */
  leftOut(): FailedRelation[] {
    const now = new Date().toISOString();
    return [...this.#leftOut.values()].map(({ at: { relation, line }, count, why }) => ({
      ...{ relation, line, at: now },
      message: count === 1 ? why : `${why} (${count} times)`,
    }));
  }

  /** Writes who the users are, and ends the files. */
  async end(): Promise<void> {
    for (const [id, { username, name, email }] of this.#users) {
      await this.#write(USERS, recordLine({ id, username, name: name ?? username, email: email ?? null }));
    }
    await this.close();
  }

  /** Ends the files, whatever they hold. */
  async close(): Promise<void> {
    for (const file of this.#files.values()) {
      file.end();
      await finished(file);
    }
    this.#files.clear();
  }

  async #write(kindName: string, line: string): Promise<void> {
    const place = path.join(this.#directory, treeFile(kindName));
    const file = this.#files.get(kindName) ?? openFile(place);
    this.#files.set(kindName, file);
    await writeTo(file, line);
  }
}
