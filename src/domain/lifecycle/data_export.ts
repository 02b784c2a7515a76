import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { snakeCase } from '#src/base/text.ts';
import { makeWorkDirectory } from '#src/base/work_directory.ts';
import { PARTS, type Part } from '#src/domain/lifecycle/data_export_parts.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { openStored } from '#src/domain/uploads/content.ts';
import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';
import type { UserExport } from '#src/generated/prisma/client.ts';
import { ArchiveRefused, fileOnDisk, type PackedFile, packFiles } from '#src/git/archive/files.ts';
import { Prisma, queryJson, type Transaction } from '#src/platform/database/db.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';
import { type Alias, table, whole } from '#src/platform/records/alias.ts';
import { factsOf, type ModelName } from '#src/platform/records/model.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import { Selection } from '#src/platform/records/selection.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

const { sql, join } = Prisma;

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Makes the archive of what the server knows of a user, who asked for it. */
    'users.export': { userId: number };
  }
}

export type DataExportStatus = 'none' | 'queued' | 'started' | 'finished' | 'failed';

/** How far the export of the caller's data is. */
export interface DataExport {
  status: DataExportStatus;
  /** Why it failed. */
  error: string | null;
  /** When the archive was finished that can be downloaded, until when it is kept, and its size in bytes; null without one. */
  finishedAt: Date | null;
  expiresAt: Date | null;
  size: number | null;
}

/** The name of the archive in its store. */
const ARCHIVE = 'data.tar.gz';
/** Milliseconds for which an archive is kept. */
const KEPT = 24 * 60 * 60_000;
/** How often an export is attempted: the process may have died of it. */
const MAX_ATTEMPTS = 5;
/** How many records are read at a time. */
const BATCH_SIZE = 500;
/** Milliseconds that an export may take. */
const EXPORT_TIMEOUT_MS = 30 * 60_000;
const MEGABYTE = 1024 * 1024;

function storeOf({ uploads }: Pick<Context, 'uploads'>): UploadStore {
  return uploads.below('user_exports');
}

/** The caller in person: not an application, a bot or an administrator who acts as the user. Throws Unauthenticated, Forbidden. */
function requireOneself(context: Context): number {
  const { id, impersonator } = requireCredentialManager(context);
  if (impersonator !== undefined) throw new Forbidden('Only users themselves can export their data');
  return id;
}

/** Has an archive made of what the server knows of the caller. Nothing changes while one is being made. Throws Forbidden. */
export async function requestDataExport(context: Context): Promise<DataExport> {
  const userId = requireOneself(context);
  await context.db.$transaction(async (tx) => {
    const begun = await tx.$executeRaw`
      INSERT INTO user_exports (user_id) VALUES (${userId})
      ON CONFLICT (user_id) DO UPDATE SET state = 'queued', attempts = 0, error = NULL, created_at = now()
        WHERE user_exports.state NOT IN ('queued', 'started')`;
    if (begun > 0) await context.jobs.enqueue(tx, 'users.export', { userId });
  });
  return findDataExport(context);
}

/** How far the export of the caller's data is. Throws Unauthenticated, Forbidden. */
export async function findDataExport(context: Context): Promise<DataExport> {
  const userId = requireOneself(context);
  const row = await context.db.userExport.findUnique({ where: { userId } });
  const there = row && isThere(row) ? row : null;
  const finishedAt = there?.finishedAt ?? null;
  return {
    status: row === null || (row.state === 'finished' && there === null) ? 'none' : row.state,
    error: row?.error ?? null,
    finishedAt,
    expiresAt: finishedAt && new Date(finishedAt.getTime() + KEPT),
    size: there === null ? null : Number(there.size),
  };
}

/** The archive of the caller's data, for their browser alone. Throws NotFound, Forbidden. */
export async function readDataExport(context: Context): Promise<RawContent> {
  if (requireActor(context).credential !== 'session') throw new NotFound('Export');
  const userId = requireOneself(context);
  const row = await context.db.userExport.findUnique({ where: { userId } });
  if (!row || !isThere(row)) throw new NotFound('Export');
  const { secret } = row;
  const place = { projectId: userId, secret: secret ?? '', fileName: ARCHIVE };
  const facts = { resource: 'Export', size: Number(row.size), fileName: ARCHIVE, etag: `"${secret}"` };
  return { ...(await openStored(storeOf(context), place, facts)), type: 'application/gzip' };
}

function isThere({ secret, finishedAt }: UserExport): boolean {
  return secret !== null && finishedAt !== null && finishedAt.getTime() > Date.now() - KEPT;
}

/** Makes the archive that the actor asked for, and removes the one before it. Does nothing unless one is wanted. */
export async function exportData(
  context: Context,
  { stopping }: { stopping?: AbortSignal | undefined },
): Promise<void> {
  const { db } = context;
  const { id: userId } = requireActor(context);
  const [begun] = await db.$queryRaw<{ attempts: number; secret: string | null }[]>`
    UPDATE user_exports SET state = 'started', attempts = attempts + 1
    WHERE user_id = ${userId} AND state IN ('queued', 'started') RETURNING attempts, secret`;
  if (!begun) return;
  const where = { userId };
  const late = AbortSignal.timeout(EXPORT_TIMEOUT_MS);
  const signal = AbortSignal.any([late, ...(stopping ? [stopping] : [])]);
  const secret = randomBytes(16).toString('hex');
  const place: UploadLocation = { projectId: userId, secret, fileName: ARCHIVE };
  const directory = await makeWorkDirectory('data');
  const refused = begun.attempts > MAX_ATTEMPTS ? 'The export was interrupted too often.' : null;
  try {
    if (refused) throw new ArchiveRefused(refused);
    const archive = path.join(directory, ARCHIVE);
    const { maxExportSize } = await currentSettings(db);
    const most = maxExportSize === 0 ? Number.POSITIVE_INFINITY : maxExportSize * MEGABYTE;
    await packFiles(await collect(context, userId, directory, signal), archive, { most, signal });
    const { size } = await stat(archive);
    await storeOf(context).write(place, createReadStream(archive), size);
    const done = { state: 'finished' as const, error: null, secret, size, finishedAt: new Date() };
    const { count } = await db.userExport.updateMany({ where, data: done });
    // The account was deleted meanwhile.
    if (count === 0) await storeOf(context).remove(place);
    else if (begun.secret !== null) await storeOf(context).remove({ projectId: userId, secret: begun.secret });
  } catch (error) {
    // The job runs again, and does nothing if it is recorded that the archive is there.
    if (mayBeCommitted(error)) throw error;
    await storeOf(context).remove(place);
    if (stopping?.aborted) throw error;
    const isTooLarge = error instanceof ArchiveRefused;
    const reason = isTooLarge
      ? 'The archive is larger than the settings allow (max_export_size).'
      : 'Something went wrong on the server.';
    const message = late.aborted ? 'The export took too long.' : (refused ?? reason);
    await db.userExport.updateMany({ where, data: { state: 'failed', error: message } });
    if (!isTooLarge && !late.aborted) throw error;
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Writes the records to files of a directory, all of one moment. Returns the files of the archive in order. */
async function collect(
  { db }: Context,
  userId: number,
  directory: string,
  signal: AbortSignal,
): Promise<AsyncIterable<PackedFile>> {
  const avatar = await db.$transaction(
    async (tx) => {
      for (const part of PARTS) {
        const lines = arrayOf(recordsOf(tx, part, userId), signal);
        await pipeline(lines, createWriteStream(path.join(directory, `${part.file}.json`)));
      }
      return tx.avatar.findUnique({ where: { userId }, select: { content: true } });
    },
    { isolationLevel: 'RepeatableRead', timeout: EXPORT_TIMEOUT_MS },
  );
  return (async function* () {
    for (const { file } of PARTS) {
      const name = `${file}.json`;
      const place = path.join(directory, name);
      yield fileOnDisk(name, place, (await stat(place)).size);
    }
    if (avatar) {
      const bytes = Buffer.from(avatar.content);
      yield { name: 'avatar', size: bytes.length, content: () => Readable.from([bytes], { objectMode: false }) };
    }
  })();
}

/** The text of a list in JSON, a record on each line. */
async function* arrayOf(rows: AsyncIterable<Record<string, unknown>>, signal: AbortSignal): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const row of rows) {
    signal.throwIfAborted();
    yield `${separator}${JSON.stringify(Object.fromEntries(Object.entries(row).map(([name, value]) => [snakeCase(name), value])))}`;
    separator = ',\n';
  }
  yield separator === ',\n' ? '\n]\n' : '[]\n';
}

/** The records of a part in the order of their keys. */
async function* recordsOf(tx: Transaction, part: Part, userId: number): AsyncGenerator<Record<string, unknown>> {
  const { key } = factsOf(part.model);
  const selection = new Selection(part.model, new Map([...part.columns, ...key].map((name) => [name, null])));
  const { alias: row, where } = part.rows(userId);
  const keys = (of: Alias<ModelName>) => join(key.map((name) => (of as unknown as Record<string, Prisma.Sql>)[name]));
  const told = new Set(part.columns);
  for (let last: Record<string, unknown> | null = null; ; ) {
    const values: unknown[] = key.map((name) => last?.[name]);
    const beyond = last === null ? Prisma.empty : sql`AND (${keys(row)}) > (${join(values)})`;
    const from = sql`SELECT ${whole(row)} FROM ${table(row)} WHERE ${where} ${beyond} ORDER BY ${keys(row)} LIMIT ${BATCH_SIZE}`;
    const rows: Record<string, unknown>[] = await queryJson(tx, rowsJson(selection, { from, order: keys }));
    for (const found of rows) yield Object.fromEntries(Object.entries(found).filter(([name]) => told.has(name)));
    last = rows.at(-1) ?? null;
    if (rows.length < BATCH_SIZE) return;
  }
}

/** Removes archives a day after they were finished, and files that no export leads to, as of deleted accounts. */
export async function expireDataExports({ db, uploads }: Pick<Context, 'db' | 'uploads'>): Promise<void> {
  const store = storeOf({ uploads });
  const before = new Date(Date.now() - KEPT);
  const old = { secret: { not: null }, finishedAt: { lt: before } };
  for (const { userId, secret } of await db.userExport.findMany({ where: old })) {
    await store.remove({ projectId: userId, secret: secret ?? '' });
    await db.userExport.updateMany({ where: { userId, secret }, data: { secret: null } });
  }
  for await (const { projectId: userId, secret, storedAt } of store.list()) {
    if ((await db.userExport.count({ where: { userId, secret } })) > 0) continue;
    // One that is being made is not recorded yet.
    const isGone = (await db.user.count({ where: { id: userId } })) === 0;
    if (isGone || storedAt < before) await store.remove({ projectId: userId, secret });
  }
}
