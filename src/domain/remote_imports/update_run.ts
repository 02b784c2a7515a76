import path from 'node:path';
import { can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { ImportFailed } from '#src/domain/imports/source.ts';
import { refRecords, takeObjects } from '#src/domain/project_archives/import_directory.ts';
import { SourceRecords } from '#src/domain/project_archives/source_records.ts';
import { updateDirectory } from '#src/domain/project_archives/update_directory.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { stagedNumbers } from '#src/domain/remote_imports/base/pages.ts';
import type { LeftOut, Part, RemoteAddress } from '#src/domain/remote_imports/base/source.ts';
import {
  type Begun,
  carryOn,
  type Fetched,
  type RemoteImportOptions,
  type Work,
} from '#src/domain/remote_imports/carry_on.ts';
import { LFS } from '#src/domain/remote_imports/lfs_objects.ts';
import { providerOf } from '#src/domain/remote_imports/providers.ts';
import { nameCreators } from '#src/domain/remote_imports/registry/creators.ts';
import { withArchive } from '#src/domain/remote_imports/run.ts';
import { endUpdate, failUpdate } from '#src/domain/remote_imports/update_end.ts';
import { updateRepositories } from '#src/domain/remote_imports/update_repository.ts';
import { writeRefusal } from '#src/domain/repository/writable.ts';
import type { Prisma } from '#src/platform/database/db.ts';
import { DomainError } from '#src/platform/errors.ts';
import { decrypt } from '#src/platform/secrets.ts';

/**
 * Goes on with an update: fetches what is not fetched yet, moves branches and tags, and brings the records of the project up to date in the
 * end, whole or not at all. Does nothing unless one is waiting.
 */
export function continueUpdate(context: Context, projectId: number, options: RemoteImportOptions): Promise<void> {
  return carryOn(context, UPDATE, projectId, options);
}

const UPDATE: Work = {
  job: 'projects.update_remote',
  begin,
  async requireRight(context, { projectId }) {
    await permittedProject(context, projectId);
  },
  isWaiting: async (db, projectId) =>
    (await db.remoteUpdate.count({ where: { projectId, source: { not: null } } })) > 0,
  async hold(tx, projectId) {
    const held = await tx.$queryRaw<object[]>`
      SELECT project_id FROM remote_updates WHERE project_id = ${projectId} AND source IS NOT NULL FOR SHARE`;
    return held.length > 0;
  },
  async note(db, projectId, { phase, counts, leftOut }) {
    const { count } = await db.remoteUpdate.updateMany({
      where: { projectId, source: { not: null }, project: { deletedAt: null } },
      data: {
        phase,
        counts: counts as unknown as Prisma.InputJsonArray,
        leftOut: leftOut as unknown as Prisma.InputJsonArray,
      },
    });
    return count > 0;
  },
  progressed: (db, projectId) => db.remoteUpdate.updateMany({ where: { projectId }, data: { attempts: 1 } }),
  postpone: (tx, projectId, at) => tx.remoteUpdate.update({ where: { projectId }, data: { continuesAt: at } }),
  fail: failUpdate,
  async knownFiles({ db }, projectId) {
    const known = new Set<string>();
    for await (const some of new SourceRecords(db, projectId).each('uploads'))
      for (const { key } of some) known.add(key);
    return known;
  },
  fill,
};

/** The project, which whoever asked for the update still maintains: it may wait for long. Throws ImportFailed. */
async function permittedProject(context: Context, projectId: number): Promise<ProjectRow> {
  const project = await findProject(context, projectId).catch((error) => {
    if (error instanceof DomainError) return null;
    throw error;
  });
  if (project === null || !can(requireActor(context), 'update_project', project)) {
    throw new ImportFailed('The user who asked for the update may not change the project any more.');
  }
  const refusal = writeRefusal(project);
  if (refusal !== null) throw new ImportFailed(refusal);
  return project;
}

async function begin({ db, secret }: Context, projectId: number): Promise<Begun | null> {
  const row = await db.remoteUpdate.findUnique({
    where: { projectId },
    include: { project: { include: { remoteImport: { select: { provider: true } } } } },
  });
  if (!row?.source || row.project.deletedAt !== null || row.project.remoteImport === null) return null;
  // Another job goes on then.
  if (row.continuesAt !== null && row.continuesAt.getTime() > Date.now() + 1_000) return null;
  const { attempts } = await db.remoteUpdate.update({
    where: { projectId },
    data: { status: 'started', attempts: { increment: 1 }, continuesAt: null, startedAt: row.startedAt ?? new Date() },
    select: { attempts: true },
  });
  return {
    projectId,
    project: row.project,
    provider: providerOf(row.project.remoteImport.provider),
    address: JSON.parse(decrypt(row.source, secret)) as RemoteAddress,
    parts: new Set(row.parts as Part[]),
    attempts,
  };
}

async function fill(context: Context, begun: Begun, fetched: Fetched): Promise<void> {
  const { projectId, project, parts } = begun;
  const { staging, phases, left } = fetched;
  const last = async (kind: string) => (await stagedNumbers(phases, [kind])).at(-1) ?? 0;
  const lastNumbers = { issue: await last('issues'), mergeRequest: await last('merge_requests') };
  await withArchive(context, begun, fetched, async ({ directory, leftOut }, signal) => {
    const refs = await updateRepositories(context, await permittedProject(context, projectId), directory, signal);
    const updating = {
      project,
      archivedId: phases.project.id,
      lastNumbers,
      moved: refs.moved,
      isWhole: (kind: string) => isWhole(kind, parts, staging.leftOut),
      begin: async (tx: Prisma.TransactionClient) => {
        const waiting = await tx.$queryRaw<object[]>`
          SELECT project_id FROM remote_updates WHERE project_id = ${projectId} AND source IS NOT NULL FOR UPDATE`;
        return waiting.length > 0;
      },
      finish: async (tx, failed, notUpdated, people) => {
        await nameCreators(tx, projectId, people);
        const source = new SourceRecords(tx, projectId);
        for (const [kind, taken] of refs.taken) await source.remember(kind, refRecords(taken));
        const all = [...staging.leftOut, ...left, ...leftOut];
        await endUpdate(tx, projectId, { leftOut: all, notUpdated: [...refs.notUpdated, ...notUpdated], failed });
      },
    } satisfies Parameters<typeof updateDirectory>[1];
    await takeObjects(context, project, path.join(directory, LFS), signal);
    await updateDirectory(context, updating, directory, signal);
  });
}

/** The parts that records of a kind come with, and the phases that they come in: of others they are always complete. */
const PLACES: Readonly<Record<string, { parts: readonly Part[]; phases: readonly string[] }>> = {
  issues: { parts: ['issues'], phases: ['issues'] },
  merge_requests: { parts: ['merge_requests'], phases: ['merge_requests'] },
  releases: { parts: ['releases'], phases: ['releases'] },
  notes: {
    parts: ['issues', 'merge_requests'],
    phases: ['issues', 'merge_requests', 'comments', 'line_comments', 'reviews'],
  },
};

/** Whether all records of a kind were read: what the token may not read, or what could not be read, is not gone. */
function isWhole(kind: string, parts: ReadonlySet<Part>, leftOut: readonly LeftOut[]): boolean {
  const { parts: needed = [], phases = [kind] } = PLACES[kind] ?? {};
  return needed.every((part) => parts.has(part)) && !leftOut.some((one) => phases.includes(one.kind));
}
