import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { Seer } from '#src/access/permissions/visibility.ts';
import { snakeCase } from '#src/base/text.ts';
import { archivedColumns, type Kind } from '#src/domain/project_archives/kinds.ts';
import { Prisma, queryJson, type Transaction } from '#src/platform/database/db.ts';
import { type Alias, table, whole } from '#src/platform/records/alias.ts';
import { factsOf, type ModelName } from '#src/platform/records/model.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import { Selection } from '#src/platform/records/selection.ts';

const { sql, join } = Prisma;

/** How many records are read at a time. */
const BATCH_SIZE = 500;

/**
 * The records of a kind of a project or group that somebody may read, in the order of their keys.
 *
 * @param within the condition for those that are wanted; all where absent
 */
export async function* recordsOf(
  tx: Transaction,
  kind: Kind,
  placeId: number,
  reader: Seer,
  within?: (row: Readonly<Record<string, Prisma.Sql>>) => Prisma.Sql,
): AsyncGenerator<Record<string, unknown>> {
  const { key } = factsOf(kind.model);
  const columns = archivedColumns(kind, key);
  const selection = new Selection(kind.model, new Map([...columns, ...key].map((name) => [name, null])));
  const { alias: row, where } = kind.rows(placeId, reader);
  const wanted = within ? sql`AND ${within(row as unknown as Record<string, Prisma.Sql>)}` : Prisma.empty;
  const keys = (of: Alias<ModelName>) => join(key.map((name) => (of as unknown as Record<string, Prisma.Sql>)[name]));
  for (let last: Record<string, unknown> | null = null; ; ) {
    const values: unknown[] = key.map((name) => last?.[name]);
    const beyond = last === null ? Prisma.empty : sql`AND (${keys(row)}) > (${join(values)})`;
    const from = sql`SELECT ${whole(row)} FROM ${table(row)} WHERE ${where} ${wanted} ${beyond} ORDER BY ${keys(row)} LIMIT ${BATCH_SIZE}`;
    const rows: Record<string, unknown>[] = await queryJson(tx, rowsJson(selection, { from, order: keys }));
    yield* rows;
    last = rows.at(-1) ?? null;
    if (rows.length < BATCH_SIZE) return;
  }
}

/** A record as a line; the names of its columns are those of the database. */
export function recordLine(row: Record<string, unknown>): string {
  return `${JSON.stringify(Object.fromEntries(Object.entries(row).map(([name, value]) => [snakeCase(name), value])))}\n`;
}

/** A user whom an archive names. */
export interface ArchivedUser {
  id: number;
  username: string;
  name: string;
  /** Null for one who shows none. */
  email: string | null;
}

/** The users with some IDs, in the order of those, with the addresses that the actor may see. */
export async function* usersOf(tx: Transaction, actor: Actor, ids: readonly number[]): AsyncGenerator<ArchivedUser> {
  const sorted = [...ids].sort((left, right) => left - right);
  for (let at = 0; at < sorted.length; at += BATCH_SIZE) {
    const where = { id: { in: sorted.slice(at, at + BATCH_SIZE) } };
    const select = { id: true, username: true, name: true, email: true, confirmedAt: true, publicEmail: true };
    for (const user of await tx.user.findMany({ where, select, orderBy: { id: 'asc' } })) {
      const { id, username, name } = user;
      // Others than administrators do not see more than what users show.
      const own = actor.admin && user.confirmedAt ? user.email : null;
      yield { id, username, name, email: own ?? user.publicEmail };
    }
  }
}

/**
 * Writes the users whom the records of an archive name, with the addresses that the actor may see.
 *
 * @param host of this server, by which an import tells its users from those of others
 */
export async function writeUsers(
  tx: Transaction,
  actor: Actor,
  ids: readonly number[],
  file: string,
  host?: string | undefined,
): Promise<void> {
  async function* userLines(): AsyncGenerator<string> {
    for await (const user of usersOf(tx, actor, ids)) yield recordLine({ ...user, ...(host && { host }) });
  }
  await pipeline(userLines(), createWriteStream(file));
}
