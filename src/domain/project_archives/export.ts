import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { makeWorkDirectory } from '#src/base/work_directory.ts';
import { ExportFailed, packArchive, writeRepository } from '#src/domain/project_archives/bundles.ts';
import { KEPT } from '#src/domain/project_archives/kept.ts';
import type { ArchiveLayout, ExportFormat } from '#src/domain/project_archives/layout.ts';
import { lfsObjectsOf } from '#src/domain/project_archives/lfs_objects.ts';
import { ARCHIVE } from '#src/domain/project_archives/place.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { snippetPlace } from '#src/domain/snippets/repository.ts';
import { exportsStore } from '#src/domain/uploads/archives.ts';
import { lfsStore, placeOf } from '#src/domain/uploads/lfs/place.ts';
import type { UploadLocation } from '#src/domain/uploads/store.ts';
import { fileOnDisk, type PackedFile } from '#src/git/archive/files.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import { DomainError } from '#src/platform/errors.ts';
import { allowedHosts } from '#src/platform/outbound/hook_url.ts';
import { SendingFailed, sendFile } from '#src/platform/outbound/send_file.ts';
import { decrypt } from '#src/platform/secrets.ts';

/** How often an export is attempted: the process may have died of it. */
const MAX_ATTEMPTS = 5;
/** Milliseconds that reading the records may take; the whole export is limited as imports are. */
const READING = 30 * 60_000;

export interface ExportOptions {
  /** Aborted when the server stops: the export is made at the next start. */
  stopping?: AbortSignal | undefined;
  /** What archives of each format are like. */
  layouts: Readonly<Record<ExportFormat, ArchiveLayout>>;
}

/** Makes the archive that a user asked for, and removes the one before it. Does nothing unless one is wanted. */
export async function exportProject(
  context: Context,
  projectId: number,
  { stopping, layouts }: ExportOptions,
): Promise<void> {
  const { db, actor, imports } = context;
  const userId = actor?.id ?? 0;
  const where = { projectId, userId };
  const [begun] = await db.$queryRaw<BegunExport[]>`
    UPDATE project_exports SET state = 'started', attempts = attempts + 1
    WHERE project_id = ${projectId} AND user_id = ${userId} AND state IN ('queued', 'started')
    RETURNING attempts, secret, description, format, upload_url_encrypted AS "uploadUrl", upload_method AS "uploadMethod"`;
  if (!begun) return;
  const late = AbortSignal.timeout(imports.timeout);
  const signal = AbortSignal.any([late, ...(stopping ? [stopping] : [])]);
  const secret = randomBytes(16).toString('hex');
  const place: UploadLocation = { projectId, secret, fileName: ARCHIVE };
  const directory = await makeWorkDirectory('export');
  try {
    if (begun.attempts > MAX_ATTEMPTS) throw new ExportFailed('The export was interrupted too often.');
    const project = await findProject(context, projectId);
    if (!can(actor, 'export_project', project)) throw new ExportFailed('You may no longer export the project.');
    const archive = path.join(directory, ARCHIVE);
    const { description } = begun;
    const files = await collect(context, project, layouts[begun.format], { directory, description, signal });
    await packArchive(context, files, archive, signal);
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
    // The job runs again, and does nothing if it is recorded that the archive is there.
    if (mayBeCommitted(error)) throw error;
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
  format: ExportFormat;
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
  layout: ArchiveLayout,
  { directory, description, signal }: { directory: string; description: string | null; signal: AbortSignal },
): Promise<AsyncIterable<PackedFile>> {
  const address = await context.address?.().catch(() => null);
  const host = address ? new URL(address.baseUrl).host : undefined;
  const { uploads, avatar, records } = await context.db.$transaction(
    async (tx) => {
      const actor = requireActor(context);
      return {
        records: await layout.writeRecords({ context, tx, actor, project, description, host, directory, signal }),
        avatar: await tx.projectAvatar.findUnique({
          where: { projectId: project.id },
          select: { content: true, type: true },
        }),
        uploads: await tx.upload.findMany({ where: { projectId: project.id }, orderBy: { id: 'asc' } }),
      };
    },
    // All that is read is of one moment.
    { isolationLevel: 'RepeatableRead', timeout: READING },
  );
  const places: (readonly [string, RepositoryPlace])[] = [
    [layout.repository, project],
    [layout.wiki, { ...project, wiki: true }],
    ...records.snippets.map((one) => [one.bundle, snippetPlace(one.id, one.repositoryStorage)] as const),
  ];
  for (const [name, place] of places) {
    const file = path.join(directory, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeRepository(context, place, file, signal, layout.bundlesHaveHead);
  }
  return (async function* () {
    yield* filesIn(directory, records.files);
    if (avatar) {
      const bytes = Buffer.from(avatar.content);
      const name = layout.avatar(avatar.type.replace(/^image\//, ''));
      yield { name, size: bytes.length, content: () => Readable.from([bytes], { objectMode: false }) };
    }
    const bundles = places.map(([name]) => name);
    yield* filesIn(directory, bundles);
    for (const { projectId, secret, fileName } of uploads) {
      signal.throwIfAborted();
      // A file that was lost, or deleted meanwhile, is left out.
      const opened = await context.uploads.open({ projectId, secret, fileName });
      if (opened) yield { name: `uploads/${secret}/${fileName}`, size: opened.size, content: () => opened.content };
    }
    for await (const object of lfsObjectsOf(context.db, project.id)) {
      signal.throwIfAborted();
      const opened = await lfsStore(context).open(placeOf(object));
      if (opened) yield { name: layout.lfsObject(object.oid), size: opened.size, content: () => opened.content };
    }
  })();
}

/** Those of the files that there are. */
async function* filesIn(directory: string, names: readonly string[]): AsyncGenerator<PackedFile> {
  for (const name of names) {
    const place = path.join(directory, name);
    const found = await stat(place).catch(() => null);
    if (found) yield fileOnDisk(name, place, found.size);
  }
}
