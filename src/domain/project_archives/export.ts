import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { Seer } from '#src/access/permissions/visibility.ts';
import { snakeCase } from '#src/base/text.ts';
import { archivedColumns, KINDS, type Kind } from '#src/domain/project_archives/kinds.ts';
import {
  ARCHIVE,
  AVATAR,
  FORMAT,
  MEGABYTE,
  PROJECT,
  REPOSITORY,
  SETTINGS,
  SNIPPETS,
  treeFile,
  USERS,
  VERSION,
  WIKI,
} from '#src/domain/project_archives/place.ts';
import { KEPT } from '#src/domain/project_archives/request.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { lockOwner, whileObjectsStay } from '#src/domain/repository/lock.ts';
import { OWN_REFS } from '#src/domain/repository/merge_request_refs.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { snippetPlace } from '#src/domain/snippets/repository.ts';
import { exportsStore } from '#src/domain/uploads/archives.ts';
import { lfsStore, placeOf } from '#src/domain/uploads/lfs/place.ts';
import type { UploadLocation } from '#src/domain/uploads/store.ts';
import { ArchiveRefused, fileOnDisk, type PackedFile, packFiles, textFile } from '#src/git/archive/files.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { type Ref, RefReader } from '#src/git/refs/read.ts';
import { writeBundle } from '#src/git/remote/bundle.ts';
import { Prisma, queryJson, type Transaction } from '#src/platform/database/db.ts';
import { DomainError } from '#src/platform/errors.ts';
import { allowedHosts } from '#src/platform/outbound/hook_url.ts';
import { SendingFailed, sendFile } from '#src/platform/outbound/send_file.ts';
import { type Alias, table, whole } from '#src/platform/records/alias.ts';
import { factsOf, type ModelName } from '#src/platform/records/model.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import { Selection } from '#src/platform/records/selection.ts';
import { decrypt } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

const { sql, join } = Prisma;

/** What keeps an archive from being made, in words for whoever asked for it. */
class ExportFailed extends Error {
  override name = 'ExportFailed';
}

/** How often an export is attempted: the process may have died of it. */
const MAX_ATTEMPTS = 5;
/** How many records are read at a time. */
const BATCH_SIZE = 500;
/** Milliseconds that reading the records may take; the whole export is limited as imports are. */
const READING = 30 * 60_000;

export interface ExportOptions {
  /** Aborted when the server stops: the export is made at the next start. */
  stopping?: AbortSignal | undefined;
}

/** Makes the archive that a user asked for, and removes the one before it. Does nothing unless one is wanted. */
export async function exportProject(context: Context, projectId: number, { stopping }: ExportOptions): Promise<void> {
  const { db, actor, imports } = context;
  const userId = actor?.id ?? 0;
  const where = { projectId, userId };
  const [begun] = await db.$queryRaw<BegunExport[]>`
    UPDATE project_exports SET state = 'started', attempts = attempts + 1
    WHERE project_id = ${projectId} AND user_id = ${userId} AND state IN ('queued', 'started')
    RETURNING attempts, secret, description, upload_url_encrypted AS "uploadUrl", upload_method AS "uploadMethod"`;
  if (!begun) return;
  const late = AbortSignal.timeout(imports.timeout);
  const signal = AbortSignal.any([late, ...(stopping ? [stopping] : [])]);
  const secret = randomBytes(16).toString('hex');
  const place: UploadLocation = { projectId, secret, fileName: ARCHIVE };
  const directory = await mkdtemp(path.join(tmpdir(), 'gantry-export-'));
  try {
    if (begun.attempts > MAX_ATTEMPTS) throw new ExportFailed('The export was interrupted too often.');
    const project = await findProject(context, projectId);
    if (!can(actor, 'export_project', project)) throw new ExportFailed('You may no longer export the project.');
    const archive = path.join(directory, ARCHIVE);
    const files = await collect(context, project, directory, begun.description, signal);
    const { maxExportSize } = await currentSettings(db);
    const most = maxExportSize === 0 ? Number.POSITIVE_INFINITY : maxExportSize * MEGABYTE;
    await packFiles(files, archive, { most, signal }).catch((error) => {
      throw error instanceof ArchiveRefused
        ? new ExportFailed(`The archive has more than ${maxExportSize} megabytes (max_export_size).`)
        : error;
    });
    const { size } = await stat(archive);
    await exportsStore(context).write(place, createReadStream(archive), size);
    const fileName = `${new Date().toISOString().slice(0, 10)}_${project.path}_export.tar.gz`;
    const notSent = await upload(context, begun, archive, signal);
    const done = {
      ...{ state: notSent === null ? ('finished' as const) : ('failed' as const), error: notSent },
      ...{ secret, fileName, size, finishedAt: new Date(), uploadUrlEncrypted: null },
    };
    const { count } = await db.projectExport.updateMany({ where, data: done });
    // The project was deleted meanwhile.
    if (count === 0) await exportsStore(context).remove(place);
    else if (begun.secret !== null) await exportsStore(context).remove({ projectId, secret: begun.secret });
  } catch (error) {
    await exportsStore(context).remove(place);
    if (stopping?.aborted) throw error;
    const isExplained = error instanceof ExportFailed || error instanceof DomainError;
    const tooLong = `The export took longer than ${imports.timeout / 1000} seconds.`;
    const message = late.aborted ? tooLong : isExplained ? error.message : 'Something went wrong on the server.';
    await db.projectExport.updateMany({ where, data: { state: 'failed', error: message, uploadUrlEncrypted: null } });
    if (!isExplained && !late.aborted) throw error;
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface BegunExport {
  attempts: number;
  /** In the place of the archive before. */
  secret: string | null;
  description: string | null;
  /** Where the archive is sent, under the server's key. */
  uploadUrl: Uint8Array | null;
  uploadMethod: string | null;
}

/** Milliseconds between attempts to send an archive. */
const SEND_AGAIN_AFTER = [1_000, 10_000];

/** Sends an archive where it was wanted. Returns why it was not sent; null if it was, or is wanted nowhere. */
async function upload(
  context: Context,
  { uploadUrl, uploadMethod }: BegunExport,
  file: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (uploadUrl === null) return null;
  const url = new URL(decrypt(uploadUrl, context.secret));
  const method = uploadMethod === 'POST' ? 'POST' : 'PUT';
  const { lookup } = context.imports;
  for (const pause of [...SEND_AGAIN_AFTER, null]) {
    try {
      const hosts = await allowedHosts(context);
      await sendFile({ url, method, file, type: 'application/gzip', hosts, lookup, signal });
      return null;
    } catch (error) {
      if (!(error instanceof SendingFailed)) throw error;
      if (pause === null || !error.isPassing) return `The archive could not be sent to ${url.host}: ${error.message}.`;
      await setTimeout(pause, undefined, { signal });
    }
  }
  return null;
}

/** Removes archives a day after they were finished, and files that no export leads to. */
export async function expireExports({ db, uploads }: Pick<Context, 'db' | 'uploads'>): Promise<void> {
  const store = exportsStore({ uploads });
  const old = { secret: { not: null }, finishedAt: { lt: new Date(Date.now() - KEPT) } };
  const expired = await db.projectExport.findMany({
    where: old,
    select: { projectId: true, userId: true, secret: true },
  });
  for (const { projectId, userId, secret } of expired) {
    await store.remove({ projectId, secret: secret ?? '' });
    await db.projectExport.updateMany({ where: { projectId, userId, secret }, data: { secret: null } });
  }
  for await (const { projectId, secret, storedAt } of store.list()) {
    if (storedAt.getTime() > Date.now() - KEPT) continue;
    if ((await db.projectExport.count({ where: { projectId, secret } })) === 0)
      await store.remove({ projectId, secret });
  }
}

/** Writes what an archive has to a directory. Returns its files in order. */
async function collect(
  context: Context,
  project: ProjectRow,
  directory: string,
  description: string | null,
  signal: AbortSignal,
): Promise<AsyncIterable<PackedFile>> {
  await mkdir(path.join(directory, 'tree'));
  await mkdir(path.join(directory, SNIPPETS));
  const { uploads, avatar, settings, snippets } = await context.db.$transaction(
    async (tx) => {
      const ids = await writeTree(tx, requireActor(context), project, directory, signal);
      return {
        snippets: await tx.snippet.findMany({
          where: { id: { in: ids }, repositoryStorage: { not: null } },
          select: { id: true, repositoryStorage: true },
        }),
        settings: await settingsOf(tx, project.id),
        avatar: await tx.projectAvatar.findUnique({ where: { projectId: project.id }, select: { content: true } }),
        uploads: await tx.upload.findMany({ where: { projectId: project.id }, orderBy: { id: 'asc' } }),
      };
    },
    // All that is read is of one moment.
    { isolationLevel: 'RepeatableRead', timeout: READING },
  );
  for (const [name, wiki] of [
    [REPOSITORY, false],
    [WIKI, true],
  ] as const) {
    await bundle(context, { ...project, wiki }, path.join(directory, name), signal);
  }
  const histories = snippets.map(({ id }) => `${SNIPPETS}/${id}.bundle`);
  for (const [at, { id, repositoryStorage }] of snippets.entries()) {
    const place = snippetPlace(id, repositoryStorage ?? '');
    await bundle(context, place, path.join(directory, histories[at] ?? ''), signal);
  }
  const { id, name, path: own } = project;
  const head = { id, name, path: own, ...settings, ...(description !== null && { description }) };
  const names = [treeFile(USERS), ...KINDS.map((kind) => treeFile(kind.name)), REPOSITORY, WIKI, ...histories];
  return (async function* () {
    yield textFile(VERSION, `${JSON.stringify(FORMAT)}\n`);
    yield textFile(PROJECT, `${JSON.stringify(head)}\n`);
    if (avatar) {
      const bytes = Buffer.from(avatar.content);
      yield { name: AVATAR, size: bytes.length, content: () => Readable.from([bytes], { objectMode: false }) };
    }
    for (const file of names) {
      const place = path.join(directory, file);
      const found = await stat(place).catch(() => null);
      if (found) yield fileOnDisk(file, place, found.size);
    }
    for (const { projectId, secret, fileName } of uploads) {
      signal.throwIfAborted();
      // A file that was lost, or deleted meanwhile, is left out.
      const opened = await context.uploads.open({ projectId, secret, fileName });
      if (opened) yield { name: `uploads/${secret}/${fileName}`, size: opened.size, content: () => opened.content };
    }
    for await (const object of objectsOf(context, project.id)) {
      signal.throwIfAborted();
      const opened = await lfsStore(context).open(placeOf(object));
      if (opened) yield { name: `lfs/${object.oid}`, size: opened.size, content: () => opened.content };
    }
  })();
}

/** Writes the records of all kinds that the actor may read, and the users whom they name. Returns the IDs of the snippets. */
async function writeTree(
  tx: Transaction,
  actor: Actor,
  project: ProjectRow,
  directory: string,
  signal: AbortSignal,
): Promise<number[]> {
  const users = new Set<number>();
  const snippets: number[] = [];
  for (const kind of KINDS) {
    async function* lines(): AsyncGenerator<string> {
      for await (const row of recordsOf(tx, kind, project.id, actor)) {
        signal.throwIfAborted();
        if (kind.name === 'snippets') snippets.push(row.id as number);
        for (const column of Object.keys(kind.users)) if (row[column] != null) users.add(row[column] as number);
        yield line(row);
      }
    }
    await pipeline(lines(), createWriteStream(path.join(directory, treeFile(kind.name))));
  }
  const ids = [...users];
  async function* userLines(): AsyncGenerator<string> {
    for (let at = 0; at < ids.length; at += BATCH_SIZE) {
      const where = { id: { in: ids.slice(at, at + BATCH_SIZE) } };
      const select = { id: true, username: true, name: true, email: true, confirmedAt: true, publicEmail: true };
      for (const user of await tx.user.findMany({ where, select, orderBy: { id: 'asc' } })) {
        const { id, username, name } = user;
        // Others than administrators do not see more than what users show.
        const own = actor.admin && user.confirmedAt ? user.email : null;
        yield line({ id, username, name, email: own ?? user.publicEmail });
      }
    }
  }
  await pipeline(userLines(), createWriteStream(path.join(directory, treeFile(USERS))));
  return snippets;
}

/** The records of a kind that somebody may read, in the order of their keys. */
async function* recordsOf(
  tx: Transaction,
  kind: Kind,
  projectId: number,
  reader: Seer,
): AsyncGenerator<Record<string, unknown>> {
  const { key } = factsOf(kind.model);
  const columns = archivedColumns(kind, key);
  const selection = new Selection(kind.model, new Map([...columns, ...key].map((name) => [name, null])));
  const { alias: row, where } = kind.rows(projectId, reader);
  const keys = (of: Alias<ModelName>) => join(key.map((name) => (of as unknown as Record<string, Prisma.Sql>)[name]));
  for (let last: Record<string, unknown> | null = null; ; ) {
    const values: unknown[] = key.map((name) => last?.[name]);
    const beyond = last === null ? Prisma.empty : sql`AND (${keys(row)}) > (${join(values)})`;
    const from = sql`SELECT ${whole(row)} FROM ${table(row)} WHERE ${where} ${beyond} ORDER BY ${keys(row)} LIMIT ${BATCH_SIZE}`;
    const rows: Record<string, unknown>[] = await queryJson(tx, rowsJson(selection, { from, order: keys }));
    yield* rows;
    last = rows.at(-1) ?? null;
    if (rows.length < BATCH_SIZE) return;
  }
}

/** A record as a line; the names of its columns are those of the database. */
function line(row: Record<string, unknown>): string {
  return `${JSON.stringify(Object.fromEntries(Object.entries(row).map(([name, value]) => [snakeCase(name), value])))}\n`;
}

/** The objects of Git LFS of a project. */
async function* objectsOf({ db }: Pick<Context, 'db'>, projectId: number): AsyncGenerator<LfsObject> {
  for (let last = 0; ; ) {
    const rows = await db.$queryRaw<LfsObject[]>`
      SELECT o.id, o.oid, o.secret FROM lfs_objects o WHERE o.id > ${last} AND o.id IN (
        SELECT p.lfs_object_id FROM lfs_object_projects p WHERE p.project_id = ${projectId})
      ORDER BY o.id LIMIT ${BATCH_SIZE}`;
    yield* rows;
    if (rows.length < BATCH_SIZE) return;
    last = rows.at(-1)?.id ?? last;
  }
}

interface LfsObject {
  id: number;
  oid: string;
  secret: string;
}

async function settingsOf(tx: Transaction, id: number): Promise<Record<string, unknown>> {
  const select = Object.fromEntries(SETTINGS.map((name) => [name, true])) as Record<(typeof SETTINGS)[number], true>;
  const found = await tx.project.findUniqueOrThrow({ where: { id }, select });
  return Object.fromEntries(SETTINGS.map((name) => [snakeCase(name), found[name]]));
}

/** Writes a bundle of a repository with the refs of its merge requests; none if there is no repository, or nothing in it. */
async function bundle(
  { db, repositories }: Context,
  place: RepositoryPlace,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  if ((await repositories.open(place)) === null) return;
  if ((await programVersion()) === null) {
    throw new ExportFailed('This server has no git program of version 2.38 or later, which exports need.');
  }
  const directory = repositories.directory(place);
  await whileObjectsStay(db, lockOwner(place), async () => {
    const refs = await archivedRefs(directory);
    if (refs.length > 0) await writeBundle(directory, refs, file, signal);
  });
}

async function archivedRefs(directory: string): Promise<Ref[]> {
  const reader = new RefReader(directory);
  const lists = await Promise.all(['refs/heads/', 'refs/tags/', ...OWN_REFS].map((prefix) => reader.list(prefix)));
  return lists.flat();
}
