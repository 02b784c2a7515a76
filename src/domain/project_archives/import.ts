import { existsSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from '#src/access/permissions/actor.ts';
import { makeWorkDirectory } from '#src/base/work_directory.ts';
import { CHECKS } from '#src/domain/project_archives/checks.ts';
import type { ForeignFormat } from '#src/domain/project_archives/foreign.ts';
import { importDirectory, prepareDirectory, type Target } from '#src/domain/project_archives/import_directory.ts';
import { type ImportOverrides, WAITING } from '#src/domain/project_archives/import_request.ts';
import { KINDS } from '#src/domain/project_archives/kinds.ts';
import { ArchiveInvalid } from '#src/domain/project_archives/lines.ts';
import {
  ARCHIVE,
  AVATAR,
  FORMAT,
  PROJECT,
  REPOSITORY,
  treeFile,
  USERS,
  VERSION,
  WIKI,
} from '#src/domain/project_archives/place.ts';
import { explained, requireVersion } from '#src/domain/project_archives/read.ts';
import type { FailedRelation } from '#src/domain/project_archives/tree.ts';
import { holdRepositoryLock } from '#src/domain/repository/lock.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import { importsStore } from '#src/domain/uploads/archives.ts';
import { forgetLfsObjects } from '#src/domain/uploads/lfs/objects.ts';
import type { WithUploads } from '#src/domain/uploads/store.ts';
import { unpackFiles } from '#src/git/archive/files.ts';
import type { Prisma, Transaction } from '#src/platform/database/db.ts';
import { ofEachDatabase } from '#src/platform/database/of_each.ts';

/** How often an import is attempted: the process may have died of it. */
const MAX_ATTEMPTS = 5;
/** Files of an archive, most of which are attached ones. */
const MAX_FILES = 100_000;
/** How many things that were left out are remembered. */
const MAX_LEFT_OUT = 100;

/** What an import needs where its importer may be gone. */
export interface ImportOptions {
  /** Aborted when the server stops: the import begins anew at the next start. */
  stopping?: AbortSignal | undefined;
  /** What archives of other servers are read as well. */
  formats: readonly ForeignFormat[];
}

interface Begun {
  project: Target;
  secret: string;
  attempts: number;
  settings: ImportOverrides;
  overwrites: string | null;
}

/**
 * Fills a project from the archive that it waits for, whole or not at all; the outcome is recorded in the project. Does nothing unless
 * the project waits.
 */
export function importArchive(context: Context, projectId: number, options: ImportOptions): Promise<void> {
  const running = runningOn(context.db);
  const work = running.get(projectId) ?? perform(context, projectId, options).finally(() => running.delete(projectId));
  running.set(projectId, work);
  return work;
}

const runningOn = ofEachDatabase(() => new Map<number, Promise<void>>());

async function perform(context: Context, projectId: number, { stopping, formats }: ImportOptions): Promise<void> {
  const begun = await begin(context, projectId);
  if (begun === null) return;
  const { imports } = context;
  const late = AbortSignal.timeout(imports.timeout);
  const signal = AbortSignal.any([late, ...(stopping ? [stopping] : [])]);
  try {
    if (begun.attempts > MAX_ATTEMPTS) throw new ArchiveInvalid('The import was interrupted too often.');
    await fill(context, begun, { formats, signal });
  } catch (error) {
    if (stopping?.aborted) throw error;
    const message = late.aborted ? `The import took longer than ${imports.timeout / 1000} seconds.` : explained(error);
    // The database may have been away, or a program of git killed: the job runs again.
    if (message === null && begun.attempts < MAX_ATTEMPTS) throw error;
    await failImport(context, projectId, message ?? 'Something went wrong on the server.');
    if (message === null) throw error;
  }
}

/** Leaves an empty project with the error. Does nothing unless it waits for an import. */
export async function failImport(
  { db, repositories, uploads }: WithRepositories & WithUploads,
  projectId: number,
  message: string,
): Promise<void> {
  const waiting = await db.projectArchiveImport.findUnique({ where: { projectId }, include: { project: true } });
  if (!waiting?.secret) return;
  const { project, secret } = waiting;
  await db.$transaction(async (tx) => {
    await holdRepositoryLock(db, tx, projectId, async () => {
      await repositories.remove(project);
      await repositories.remove({ ...project, wiki: true });
    });
    await forgetLfsObjects(tx, projectId);
    await tx.project.update({ where: { id: projectId }, data: { importStatus: 'failed', importError: message } });
    await tx.projectArchiveImport.update({ where: { projectId }, data: { secret: null } });
  });
  await uploads.remove({ projectId });
  await importsStore({ uploads }).remove({ projectId: WAITING, secret });
}

/** Removes archives that no import waits for any more, a day after they came. */
export async function cleanUpImports({ db, uploads }: Pick<Context, 'db' | 'uploads'>): Promise<void> {
  const store = importsStore({ uploads });
  for await (const { projectId, secret, storedAt } of store.list()) {
    if (storedAt.getTime() > Date.now() - 24 * 60 * 60_000) continue;
    if ((await db.projectArchiveImport.count({ where: { secret } })) === 0) await store.remove({ projectId, secret });
  }
}

/** Marks the import as started; null if there is none, or the project is gone. */
async function begin({ db }: Context, projectId: number): Promise<Begun | null> {
  const row = await db.projectArchiveImport.findUnique({ where: { projectId }, include: { project: true } });
  if (!row?.secret || row.project.deletedAt !== null) return null;
  const [{ attempts }] = await db.$transaction([
    db.projectArchiveImport.update({
      where: { projectId },
      data: { attempts: { increment: 1 } },
      select: { attempts: true },
    }),
    db.project.update({ where: { id: projectId }, data: { importStatus: 'started' } }),
  ]);
  const { project, secret, overwrites } = row;
  return { project, secret, attempts, overwrites, settings: (row.settings ?? {}) as ImportOverrides };
}

interface FillOptions {
  formats: readonly ForeignFormat[];
  signal: AbortSignal;
}

async function fill(context: Context, begun: Begun, options: FillOptions): Promise<void> {
  const { project, secret } = begun;
  const directory = await makeWorkDirectory('import');
  const place = { projectId: WAITING, secret, fileName: ARCHIVE };
  const where = { projectId: project.id };
  try {
    const opened = await importsStore(context).open(place);
    if (!opened) throw new ArchiveInvalid('The archive no longer exists.');
    const leftOut = await unpack(opened.content, directory, context.imports.maxBytes, options);
    const finish = async (tx: Transaction, failed: readonly FailedRelation[]) => {
      const failedRelations = [...leftOut, ...failed].slice(0, MAX_LEFT_OUT) as unknown as Prisma.InputJsonArray;
      await tx.projectArchiveImport.update({ where, data: { secret: null, failedRelations } });
    };
    await importDirectory(context, { ...begun, finish }, directory, options.signal);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
  await importsStore(context).remove(place);
}

/** Unpacks an archive as files of our layout, which it may become first. Returns what of it does not come along. */
async function unpack(
  content: Parameters<typeof unpackFiles>[0],
  directory: string,
  bytes: number,
  { formats, signal }: FillOptions,
): Promise<readonly FailedRelation[]> {
  await prepareDirectory(directory);
  for (const format of formats) await format.prepare(directory);
  const plain = new Set([VERSION, PROJECT, AVATAR, REPOSITORY, WIKI, treeFile(USERS)]);
  for (const { name } of KINDS) plain.add(treeFile(name));
  /** Files that archives of ours do not have: of other formats, and of none. */
  const foreign: string[] = [];
  const unknown = { names: [] as string[], count: 0 };
  await unpackFiles(content, {
    bytes,
    files: MAX_FILES,
    signal,
    place(given) {
      // The program tar puts that before names where it packs a directory.
      const name = given.replace(/^\.\//, '');
      const own = ownPlace(plain, name);
      const other = own ?? formats.map((format) => format.placeOf(name)).find((one) => one !== null);
      if (own === null && foreign.length === 0) foreign.push(given);
      if (other != null) return inDirectory(directory, other);
      unknown.count += 1;
      if (unknown.names.length < MAX_LEFT_OUT) unknown.names.push(name);
      return undefined;
    },
  });
  const isOwn = existsSync(path.join(directory, VERSION));
  const format = isOwn ? undefined : formats.find((one) => one.isIn(directory));
  if (format) return format.translate(directory, unknown, signal);
  const [stranger] = foreign;
  if (stranger !== undefined) {
    throw new ArchiveInvalid(`The archive has ${JSON.stringify(stranger.slice(0, 200))}, which does not belong there.`);
  }
  await requireVersion(directory, FORMAT, 'project');
  return [];
}

/** Where a file of our layout is put in the directory; null for others. */
function ownPlace(plain: ReadonlySet<string>, name: string): string | null {
  if (plain.has(name) || /^snippets\/[1-9]\d{0,8}\.bundle$/.test(name) || /^lfs\/[0-9a-f]{64}$/.test(name)) return name;
  const [, secret, fileName = ''] = /^uploads\/([0-9a-f]{32})\/([^/]+)$/.exec(name) ?? [];
  return secret !== undefined && CHECKS.fileName(fileName) ? name : null;
}

/** A place in the directory, whose own directory is made if it is one of an attached file. */
function inDirectory(directory: string, place: string): string {
  const file = path.join(directory, place);
  if (place.startsWith('uploads/')) mkdirSync(path.dirname(file), { recursive: true });
  return file;
}
