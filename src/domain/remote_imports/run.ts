import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { ImportFailed } from '#src/domain/imports/source.ts';
import { type Filling, importDirectory } from '#src/domain/project_archives/import_directory.ts';
import { permittedHome } from '#src/domain/projects/home.ts';
import { ARCHIVE, assemble } from '#src/domain/remote_imports/assemble.ts';
import type { LeftOut, Part, RemoteAddress } from '#src/domain/remote_imports/base/source.ts';
import {
  type Begun,
  carryOn,
  type Fetched,
  fetchedRepository,
  type RemoteImportOptions,
  type Work,
} from '#src/domain/remote_imports/carry_on.ts';
import { endImport, failRemoteImport } from '#src/domain/remote_imports/end.ts';
import { providerOf } from '#src/domain/remote_imports/providers.ts';
import { nameCreators } from '#src/domain/remote_imports/registry/creators.ts';
import { repositoryExists } from '#src/git/base/existence.ts';
import { openRepository } from '#src/git/open.ts';
import type { Prisma } from '#src/platform/database/db.ts';
import { decrypt } from '#src/platform/secrets.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Goes on with moving a project in from another server. */
    'projects.import_remote': { projectId: number; userId: number };
  }
}

/**
 * Goes on with an import: fetches what is not fetched yet, and fills the project in the end, whole or not at all. The outcome is recorded
 * in the project. Does nothing unless the project waits.
 */
export function continueImport(context: Context, projectId: number, options: RemoteImportOptions): Promise<void> {
  return carryOn(context, IMPORT, projectId, options);
}

const IMPORT: Work = {
  job: 'projects.import_remote',
  begin,
  /** An import may wait for long. */
  async requireRight(context, { project: { namespaceId } }) {
    if ((await permittedHome(context, requireActor(context), namespaceId)) !== null) return;
    throw new ImportFailed('The user who imported the project may not create projects there any more.');
  },
  isWaiting: async (db, projectId) =>
    (await db.remoteImport.count({ where: { projectId, source: { not: null } } })) > 0,
  async hold(tx, projectId) {
    const held = await tx.$queryRaw<object[]>`
      SELECT project_id FROM remote_imports WHERE project_id = ${projectId} AND source IS NOT NULL FOR SHARE`;
    return held.length > 0;
  },
  async note(db, projectId, { phase, counts, leftOut }) {
    const { count } = await db.remoteImport.updateMany({
      where: { projectId, source: { not: null }, project: { deletedAt: null } },
      data: {
        phase,
        counts: counts as unknown as Prisma.InputJsonArray,
        leftOut: leftOut as unknown as Prisma.InputJsonArray,
      },
    });
    return count > 0;
  },
  progressed: (db, projectId) => db.remoteImport.updateMany({ where: { projectId }, data: { attempts: 1 } }),
  postpone: (tx, projectId, at) => tx.remoteImport.update({ where: { projectId }, data: { continuesAt: at } }),
  fail: failRemoteImport,
  knownFiles: async () => new Set(),
  fill,
};

async function begin({ db, secret }: Context, projectId: number): Promise<Begun | null> {
  const row = await db.remoteImport.findUnique({ where: { projectId }, include: { project: true } });
  if (!row?.source || row.project.deletedAt !== null) return null;
  // Another job goes on then.
  if (row.continuesAt !== null && row.continuesAt.getTime() > Date.now() + 1_000) return null;
  const [{ attempts }] = await db.$transaction([
    db.remoteImport.update({
      where: { projectId },
      data: { attempts: { increment: 1 }, continuesAt: null, startedAt: row.startedAt ?? new Date() },
      select: { attempts: true },
    }),
    db.project.update({ where: { id: projectId }, data: { importStatus: 'started' } }),
  ]);
  const { url, path: at, token } = JSON.parse(decrypt(row.source, secret)) as RemoteAddress;
  return {
    projectId,
    project: row.project,
    provider: providerOf(row.provider),
    address: { url, path: at, token },
    parts: new Set(row.parts as Part[]),
    attempts,
  };
}

async function fill(context: Context, begun: Begun, fetched: Fetched): Promise<void> {
  const { projectId, project } = begun;
  const { staging, phases, left } = fetched;
  await withArchive(context, begun, fetched, async ({ directory, leftOut }, signal) => {
    const filling: Filling = {
      project,
      settings: {},
      overwrites: null,
      sourceKey: String(phases.project.id),
      finish: async (tx, failed, people) => {
        await nameCreators(tx, projectId, people);
        await endImport(tx, projectId, [...staging.leftOut, ...left, ...leftOut], failed);
      },
    };
    await importDirectory(context, filling, directory, signal);
  });
}

/** What was made of what was fetched. */
export interface Assembled {
  directory: string;
  leftOut: readonly LeftOut[];
}

/** Makes an archive of what was fetched, and removes it when the work with it is done. */
export async function withArchive(
  context: Context,
  { provider }: Begun,
  { staging, phases, signal }: Fetched,
  work: (assembled: Assembled, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const late = AbortSignal.timeout(context.imports.timeout);
  const ending = AbortSignal.any([signal, late]);
  const repository = fetchedRepository(staging);
  const reader = (await repositoryExists(repository)) ? await openRepository(repository) : null;
  const baseUrl = (await context.address?.())?.baseUrl ?? 'http://localhost';
  try {
    const { project } = phases;
    const texts = provider.texts;
    await work(await assemble({ staging, project, texts, baseUrl, reader, signal: ending }), ending);
  } catch (error) {
    if (late.aborted) throw new ImportFailed(`The import took longer than ${context.imports.timeout / 1000} seconds.`);
    throw error;
  } finally {
    await reader?.close();
    await rm(path.join(staging.directory, ARCHIVE), { recursive: true, force: true, maxRetries: 3 });
  }
}
