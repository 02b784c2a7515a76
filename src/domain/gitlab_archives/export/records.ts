import { snakeCase } from '#src/base/text.ts';
import { KINDS } from '#src/domain/project_archives/kinds.ts';
import type { ExportSource } from '#src/domain/project_archives/layout.ts';
import { type ArchivedUser, recordsOf, usersOf } from '#src/domain/project_archives/records.ts';
import { Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** A record with its columns, by Prisma's names. */
export type Row = Readonly<Record<string, unknown>>;

const kinds = new Map(KINDS.map((kind) => [kind.name, kind]));

/** The records of a project as an archive of GitLab needs them: what belongs to something comes with it. */
export class Records {
  readonly source: ExportSource;
  /** Labels and milestones of the project, and those of its groups that it uses. */
  readonly labels = new Map<number, Row>();
  readonly milestones = new Map<number, Row>();
  readonly #users = new Map<number, ArchivedUser>();

  constructor(source: ExportSource) {
    this.source = source;
  }

  /** All records of a kind. */
  async *all(kind: string): AsyncGenerator<Row> {
    yield* this.#read(kind);
  }

  /** The records of a kind that a column connects with some others, by the IDs of those. */
  async of(kind: string, column: string, ids: readonly number[]): Promise<Map<number, Row[]>> {
    if (ids.length === 0) return new Map();
    return this.#grouped(kind, column, (row) => sql`${row[column]} = ANY(${[...ids]}::int[])`);
  }

  /** The records of a kind that are on some subjects of a type, by the IDs of those. */
  async on(kind: string, type: string, ids: readonly number[]): Promise<Map<number, Row[]>> {
    if (ids.length === 0) return new Map();
    const isOn = (row: Readonly<Record<string, Prisma.Sql>>) =>
      sql`${row.subjectType} = ${type} AND ${row.subjectId} = ANY(${[...ids]}::int[])`;
    return this.#grouped(kind, 'subjectId', isOn);
  }

  /** A user whom a record named that was read before; undefined for others. */
  user(id: unknown): ArchivedUser | undefined {
    return this.#users.get(id as number);
  }

  /** Everybody whom a record named so far. */
  users(): IterableIterator<ArchivedUser> {
    return this.#users.values();
  }

  async #grouped(kind: string, column: string, within: Parameters<typeof recordsOf>[4]): Promise<Map<number, Row[]>> {
    const found = new Map<number, Row[]>();
    for await (const row of this.#read(kind, within)) {
      const id = row[column] as number;
      const known = found.get(id);
      if (known) known.push(row);
      else found.set(id, [row]);
    }
    return found;
  }

  async *#read(name: string, within?: Parameters<typeof recordsOf>[4]): AsyncGenerator<Row> {
    const kind = kinds.get(name);
    if (!kind) throw new Error(`There is no kind ${name}`);
    const { tx, actor, project, signal } = this.source;
    const columns = Object.keys(kind.users);
    for await (const rows of batches(recordsOf(tx, kind, project.id, actor, within), 500)) {
      signal.throwIfAborted();
      await this.#remember(rows.flatMap((row) => columns.map((column) => row[column])));
      yield* rows;
    }
  }

  async #remember(ids: readonly unknown[]): Promise<void> {
    const unknown = new Set(ids.filter((id): id is number => typeof id === 'number' && !this.#users.has(id)));
    if (unknown.size === 0) return;
    for await (const user of usersOf(this.source.tx, this.source.actor, [...unknown])) this.#users.set(user.id, user);
  }
}

/** What comes one by one, several at a time. */
export async function* batches<T>(all: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const one of all) {
    if (batch.push(one) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Some columns of a record, by the names that they have in the database. */
export function columns(row: Row, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [snakeCase(name), row[name] ?? null]));
}

/** When a record was made and last changed. */
export function times(row: Row): Record<string, unknown> {
  return { created_at: row.createdAt, updated_at: row.updatedAt ?? row.createdAt };
}

/** The levels of visibility are numbers in archives of GitLab. */
export function visibilityLevel(visibility: unknown): number {
  return visibility === 'public' ? 20 : visibility === 'internal' ? 10 : 0;
}
