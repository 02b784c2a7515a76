import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { type EndingStores, failBulkImport, finishBulkImport, holdBulkImport } from '#src/domain/bulk_imports/end.ts';
import { findHome } from '#src/domain/project_archives/import_request.ts';
import { explained } from '#src/domain/project_archives/read.ts';
import { textErrors } from '#src/domain/projects/values.ts';
import { PARTS, SourceInvalid } from '#src/domain/remote_imports/base/source.ts';
import { GITLAB } from '#src/domain/remote_imports/gitlab/provider.ts';
import { createImported } from '#src/domain/remote_imports/request.ts';
import type { BulkImport, BulkImportEntity } from '#src/generated/prisma/client.ts';
import type { Prisma } from '#src/platform/database/db.ts';
import { RemoteRateLimited, RemoteRefused, RemoteUnavailable } from '#src/platform/outbound/remote_client.ts';
import { decrypt } from '#src/platform/secrets.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Begins the next groups and projects of an import, and looks what became of those before. */
    'bulk_imports.advance': { bulkImportId: number; userId: number };
  }
}

/** How many groups and projects of an import are under way at once. */
const AT_ONCE = 4;
/** Seconds between two looks: at least, at most, and as a part of the time that the import has taken. */
const PAUSE = { least: 1, most: 30, part: 1 / 20 } as const;
/** Milliseconds that the source has to say what a project is. */
const TIMEOUT_MS = 60_000;

/** The import was canceled. */
class Canceled extends Error {}

/** Takes an import further: what is under way, what comes next, and its end. Does nothing if it has ended. */
export async function advanceBulkImport(context: Context, bulkImportId: number): Promise<void> {
  const { db, secret } = context;
  const row = await db.bulkImport.findUnique({ where: { id: bulkImportId } });
  if (!row?.token) return;
  // Another job goes on then.
  if (row.continuesAt !== null && row.continuesAt.getTime() > Date.now() + 900) return;
  await db.bulkImport.updateMany({ where: { id: row.id, status: 'created' }, data: { status: 'started' } });
  await settleProjects(context, row.id);
  let until: Date | null = null;
  const running = await db.bulkImportEntity.count({ where: { bulkImportId, status: 'started' } });
  const next = await db.bulkImportEntity.findMany({
    where: { bulkImportId, status: 'created' },
    orderBy: { id: 'asc' },
    take: Math.max(0, AT_ONCE - running),
  });
  const token = decrypt(row.token, secret);
  for (const entity of next) {
    try {
      await (entity.kind === 'group' ? beginGroup(context, entity) : beginProject(context, entity, row, token));
    } catch (error) {
      if (error instanceof Canceled) return;
      if (error instanceof RemoteRateLimited) {
        until = error.until;
        break;
      }
      await failToBegin(context, entity, error);
    }
  }
  const left = await db.bulkImportEntity.count({ where: { bulkImportId, status: { in: ['created', 'started'] } } });
  if (left === 0) return finishBulkImport(db, row.id);
  await later(context, row, until);
}

/** Fails an import whose owner is no longer active. */
export async function failOfNobody(stores: EndingStores, bulkImportId: number): Promise<void> {
  await failBulkImport(stores, bulkImportId, 'The user who asked for the import is no longer active.');
}

async function later(context: Context, { id, createdAt }: BulkImport, until: Date | null): Promise<void> {
  const age = (Date.now() - createdAt.getTime()) / 1_000;
  const pause = Math.min(PAUSE.most, Math.max(PAUSE.least, age * PAUSE.part));
  const after = Math.ceil(Math.max(pause, ((until?.getTime() ?? 0) - Date.now()) / 1_000));
  const userId = requireActor(context).id;
  await context.db.$transaction(async (tx) => {
    if (!(await holdBulkImport(tx, id))) return;
    await tx.bulkImport.update({ where: { id }, data: { continuesAt: new Date(Date.now() + after * 1_000) } });
    await context.jobs.enqueue(tx, 'bulk_imports.advance', { bulkImportId: id, userId }, { after });
  });
}

/** Records what became of the projects that are under way. */
async function settleProjects({ db }: Context, bulkImportId: number): Promise<void> {
  const rows = await db.bulkImportEntity.findMany({
    where: { bulkImportId, kind: 'project', status: 'started' },
    select: {
      id: true,
      project: {
        select: {
          deletedAt: true,
          importStatus: true,
          importError: true,
          remoteImport: { select: { counts: true, leftOut: true } },
        },
      },
    },
  });
  for (const { id, project } of rows) {
    const ended = endOf(project);
    const facts = project?.remoteImport ?? { counts: [], leftOut: [] };
    const data = { counts: facts.counts as Prisma.InputJsonValue, leftOut: facts.leftOut as Prisma.InputJsonValue };
    await db.bulkImportEntity.updateMany({ where: { id, status: 'started' }, data: { ...data, ...ended } });
  }
}

type Outcome = Partial<Pick<BulkImportEntity, 'status' | 'error'>>;

/** How a project ended; nothing if it has not. */
function endOf(
  project: { deletedAt: Date | null; importStatus: string | null; importError: string | null } | null,
): Outcome {
  if (project === null || project.deletedAt !== null) return { status: 'failed', error: 'The project was deleted.' };
  const { importStatus, importError } = project;
  if (importStatus === 'finished' || importStatus === 'canceled') return { status: importStatus };
  return importStatus === 'failed' ? { status: 'failed', error: importError ?? 'The import failed.' } : {};
}

/** Has a job import a group. */
async function beginGroup(context: Context, { id, bulkImportId }: BulkImportEntity): Promise<void> {
  const userId = requireActor(context).id;
  await context.db.$transaction(async (tx) => {
    if (!(await holdBulkImport(tx, bulkImportId))) throw new Canceled();
    const { count } = await tx.bulkImportEntity.updateMany({
      where: { id, status: 'created' },
      data: { status: 'started' },
    });
    if (count > 0) await context.jobs.enqueue(tx, 'groups.import_remote', { entityId: id, userId });
  });
}

/** Creates a project that is filled as one that is imported by itself. */
async function beginProject(
  context: Context,
  entity: BulkImportEntity,
  { url }: BulkImport,
  token: string,
): Promise<void> {
  const provider = GITLAB;
  const address = { url, path: entity.sourceFullPath, token };
  const home = await findHome(context, requireActor(context), entity.destinationNamespace);
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const client = provider.client(address, context.imports, late);
  try {
    const remote = await provider.project(client, address).catch((error) => {
      throw late.aborted ? new RemoteUnavailable('The source took too long to answer.') : error;
    });
    const path = entity.destinationSlug;
    const name = textErrors({ name: remote.name }).name === undefined ? remote.name : path;
    const parts = PARTS.filter((part) => part !== 'members' || entity.migrateMemberships);
    await createImported(context, home, { provider, address, remote, name, path, parts }, async (tx, projectId) => {
      if (!(await holdBulkImport(tx, entity.bulkImportId))) throw new Canceled();
      const { count } = await tx.bulkImportEntity.updateMany({
        where: { id: entity.id, status: 'created' },
        data: { status: 'started', projectId },
      });
      if (count === 0) throw new Canceled();
    });
  } finally {
    client.close();
  }
}

/** Fails what could not begin; others go on. Throws errors of this server. */
async function failToBegin({ db }: Context, { id }: BulkImportEntity, error: unknown): Promise<void> {
  const isOfSource = [RemoteRefused, RemoteUnavailable, SourceInvalid].some((one) => error instanceof one);
  const message = isOfSource ? (error as Error).message : explained(error);
  if (message === null) throw error;
  await db.bulkImportEntity.updateMany({
    where: { id, status: 'created' },
    data: { status: 'failed', error: message },
  });
}
