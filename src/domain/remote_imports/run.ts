import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { ImportFailed } from '#src/domain/imports/source.ts';
import { type Filling, importDirectory } from '#src/domain/project_archives/import_directory.ts';
import { explained } from '#src/domain/project_archives/read.ts';
import { permittedHome } from '#src/domain/projects/home.ts';
import { assemble } from '#src/domain/remote_imports/assemble.ts';
import { stagedNumbers } from '#src/domain/remote_imports/base/pages.ts';
import {
  type LeftOut,
  type Page,
  type Part,
  type Phase,
  type PhaseContext,
  type Provider,
  type RemoteAddress,
  type RemoteProject,
  SourceInvalid,
} from '#src/domain/remote_imports/base/source.ts';
import { endImport, failRemoteImport } from '#src/domain/remote_imports/end.ts';
import { FETCHED, fetchRepositories } from '#src/domain/remote_imports/fetch_repository.ts';
import { FILES_PHASE, filesPage, wantedFiles } from '#src/domain/remote_imports/files.ts';
import { fetchLfsObjects, LFS } from '#src/domain/remote_imports/lfs_objects.ts';
import { countsOf, type ImportCount } from '#src/domain/remote_imports/progress.ts';
import { providerOf } from '#src/domain/remote_imports/providers.ts';
import { Staging } from '#src/domain/remote_imports/staging.ts';
import { repositoryExists } from '#src/git/base/existence.ts';
import { openRepository } from '#src/git/open.ts';
import type { Prisma } from '#src/platform/database/db.ts';
import { ofEachDatabase } from '#src/platform/database/of_each.ts';
import { RemoteRateLimited, RemoteRefused, RemoteUnavailable } from '#src/platform/outbound/remote_client.ts';
import { decrypt } from '#src/platform/secrets.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Goes on with moving a project in from another server. */
    'projects.import_remote': { projectId: number; userId: number };
  }
}

export interface RemoteImportOptions {
  /** Aborted when the server stops: the import goes on at the next start. */
  stopping?: AbortSignal | undefined;
}

/** How often in a row an import may be interrupted, or its source fail, without a page in between. */
const MAX_ATTEMPTS = 8;
/** Milliseconds for which one run of the job fetches pages: less than jobs may. */
const MAX_RUN_MS = 30 * 60_000;
/** Milliseconds after which a run leaves its next step, which may take long, to another one. */
const MAX_STEP_MS = 5 * 60_000;
/** Seconds between two runs at least. */
const MIN_PAUSE_SECONDS = 2;
/** Milliseconds before the first repetition of what failed; each further one takes twice as long. */
const RETRY_DELAY_MS = 5_000;

/** The import was canceled, or its project deleted. */
class Canceled extends Error {}

/** The rest is for another run of the job. */
class Unfinished extends Error {}

const runningOn = ofEachDatabase(() => new Map<number, Promise<void>>());

/**
 * Goes on with an import: fetches what is not fetched yet, and fills the project in the end, whole or not at all. The outcome is recorded
 * in the project. Does nothing unless the project waits.
 */
export function continueImport(context: Context, projectId: number, options: RemoteImportOptions): Promise<void> {
  const running = runningOn(context.db);
  const work = running.get(projectId) ?? perform(context, projectId, options).finally(() => running.delete(projectId));
  running.set(projectId, work);
  return work;
}

async function perform(context: Context, projectId: number, { stopping }: RemoteImportOptions): Promise<void> {
  const begun = await begin(context, projectId);
  if (begun === null) return;
  const abort = new AbortController();
  const signal = stopping ? AbortSignal.any([abort.signal, stopping]) : abort.signal;
  try {
    if (begun.attempts > MAX_ATTEMPTS) throw new ImportFailed('The import was interrupted too often.');
    await advance(context, begun, signal);
  } catch (error) {
    if (stopping?.aborted) throw error;
    await settle(context, begun, error);
  } finally {
    abort.abort();
  }
}

/** What becomes of an import that did not get to its end. */
async function settle(context: Context, begun: Begun, error: unknown): Promise<void> {
  const { projectId, project, attempts } = begun;
  const isWaiting = await context.db.remoteImport.count({ where: { projectId, source: { not: null } } });
  // What was written meanwhile goes as well.
  if (error instanceof Canceled || isWaiting === 0) return context.repositories.removeStaging(project);
  if (error instanceof Unfinished) return later(context, projectId, null);
  if (error instanceof RemoteRateLimited) return later(context, projectId, error.until);
  if (error instanceof RemoteUnavailable && attempts < MAX_ATTEMPTS) {
    return later(context, projectId, new Date(Date.now() + RETRY_DELAY_MS * 2 ** attempts));
  }
  const isOfSource = [ImportFailed, RemoteRefused, RemoteUnavailable, SourceInvalid].some(
    (one) => error instanceof one,
  );
  const message = isOfSource ? (error as Error).message : explained(error);
  await failRemoteImport(context, projectId, message ?? 'Something went wrong on the server.');
  if (message === null) throw error;
}

/** Leaves the rest to a job that runs at a time; for null soon, but not before this one has ended, which it would wait for. */
async function later(context: Context, projectId: number, at: Date | null): Promise<void> {
  const after = Math.max(MIN_PAUSE_SECONDS, Math.ceil(((at?.getTime() ?? 0) - Date.now()) / 1_000));
  const userId = requireActor(context).id;
  await context.db.$transaction(async (tx) => {
    await tx.remoteImport.update({ where: { projectId }, data: { continuesAt: at } });
    await context.jobs.enqueue(tx, 'projects.import_remote', { projectId, userId }, { after });
  });
}

interface Begun {
  projectId: number;
  project: Filling['project'];
  provider: Provider;
  address: RemoteAddress;
  parts: ReadonlySet<Part>;
  attempts: number;
}

/** Marks the import as started; null if there is none, its time has not come, or the project is gone. */
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
  const parts = new Set(row.parts as Part[]);
  return {
    projectId,
    project: row.project,
    provider: providerOf(row.provider),
    address: { url, path: at, token },
    parts,
    attempts,
  };
}

/** Requires that the importer may still create projects where this one is: an import may wait for long. Throws ImportFailed. */
async function requireRight(context: Context, { project: { namespaceId } }: Begun): Promise<void> {
  if ((await permittedHome(context, requireActor(context), namespaceId)) !== null) return;
  throw new ImportFailed('The user who imported the project may not create projects there any more.');
}

async function advance(context: Context, begun: Begun, signal: AbortSignal): Promise<void> {
  const { provider, address, parts, project } = begun;
  await requireRight(context, begun);
  const { imports, repositories } = context;
  const staging = await Staging.open(repositories.staging(project), imports.maxBytes);
  const client = provider.client(address, imports, signal);
  const since = Date.now();
  const pause = () => {
    if (Date.now() > since + MAX_STEP_MS) throw new Unfinished();
  };
  try {
    const remote = await provider.project(client, address);
    const phases: PhaseContext = {
      client,
      project: remote,
      parts,
      async *staged(kind) {
        for await (const { record } of staging.records(new Set([kind]))) yield record;
      },
    };
    await fetchPhases(context, begun, { staging, phases, until: since + MAX_RUN_MS });
    pause();
    const left = await fetchRepositories({
      staging,
      project: remote,
      token: address.token,
      heads: provider.heads,
      mergeRequests: new Set(await stagedNumbers(phases, ['merge_requests'])),
      withWiki: parts.has('wiki'),
      imports,
      stopping: signal,
    });
    pause();
    const lfs = await fetchLfs(context, begun, { staging, project: remote, signal, until: since + MAX_RUN_MS });
    pause();
    await note(context, begun, staging, 'importing');
    await requireRight(context, begun);
    await fill(context, begun, { staging, phases, left: [...left, ...lfs], signal });
  } finally {
    client.close();
  }
  await repositories.removeStaging(project);
}

interface Fetching {
  staging: Staging;
  phases: PhaseContext;
  /** Milliseconds since 1970. */
  until: number;
}

/** Fetches the pages that are not there yet. Throws Unfinished when the time is over. */
async function fetchPhases(context: Context, begun: Begun, { staging, phases, until }: Fetching): Promise<void> {
  const { provider, parts } = begun;
  const wanted = provider.phases.filter(({ part }) => part === null || parts.has(part));
  for (const phase of [...wanted, filesPhase(provider, staging, phases)]) {
    for (;;) {
      const progress = staging.phases.get(phase.name);
      if (progress?.next === null) break;
      await note(context, begun, staging, phase.name);
      if (Date.now() > until) throw new Unfinished();
      await staging.add(phase.name, await phase.page(phases, progress?.next ?? null));
      await context.db.remoteImport.updateMany({ where: { projectId: begun.projectId }, data: { attempts: 1 } });
    }
  }
  await note(context, begun, staging, FETCHED);
}

interface FetchingLfs extends Pick<Fetching, 'staging' | 'until'> {
  project: RemoteProject;
  signal: AbortSignal;
}

/** Fetches the objects of Git LFS that the repository points to. Throws Unfinished when the time is over. */
async function fetchLfs(
  context: Context,
  begun: Begun,
  { staging, project, signal, until }: FetchingLfs,
): Promise<LeftOut[]> {
  const repository = path.join(staging.directory, FETCHED);
  if (!(await repositoryExists(repository))) return [];
  const { imports, repositories, db } = context;
  const reader = await openRepository(repository);
  try {
    return await fetchLfsObjects({
      reader,
      repository,
      staging: staging.directory,
      project,
      token: begun.address.token,
      imports,
      limits: repositories.limits,
      signal,
      progress: async (fetched, total) => {
        await note(context, begun, staging, LFS, { kind: LFS, fetched, total });
        if (Date.now() > until) throw new Unfinished();
        if (fetched > 0)
          await db.remoteImport.updateMany({ where: { projectId: begun.projectId }, data: { attempts: 1 } });
      },
    });
  } finally {
    await reader.close();
  }
}

/** The files that the records before it name. */
function filesPhase(provider: Provider, staging: Staging, phases: PhaseContext): Phase {
  let wanted: ReturnType<typeof wantedFiles> | undefined;
  return {
    name: FILES_PHASE,
    part: null,
    async page(_context, cursor): Promise<Page> {
      wanted ??= wantedFiles(staging, phases, provider.texts.attachments(phases.project.server));
      return filesPage(phases, staging, await wanted, cursor);
    },
  };
}

/** Records how far it is. Throws Canceled if it is not wanted any more. */
async function note(
  { db }: Context,
  { projectId }: Begun,
  staging: Staging,
  phase: string,
  more?: ImportCount,
): Promise<void> {
  const counts = [...countsOf(staging.phases), ...(more ? [more] : [])] as unknown as Prisma.InputJsonArray;
  const leftOut = staging.leftOut as unknown as Prisma.InputJsonArray;
  const { count } = await db.remoteImport.updateMany({
    where: { projectId, source: { not: null }, project: { deletedAt: null } },
    data: { phase, counts, leftOut },
  });
  if (count === 0) throw new Canceled();
}

interface Filled {
  staging: Staging;
  phases: PhaseContext;
  left: readonly LeftOut[];
  signal: AbortSignal;
}

/** Makes an archive of what was fetched, and fills the project from it. */
async function fill(context: Context, begun: Begun, { staging, phases, left, signal }: Filled): Promise<void> {
  const { projectId, project, provider } = begun;
  const late = AbortSignal.timeout(context.imports.timeout);
  const ending = AbortSignal.any([signal, late]);
  const repository = path.join(staging.directory, FETCHED);
  const reader = (await repositoryExists(repository)) ? await openRepository(repository) : null;
  const baseUrl = (await context.address?.())?.baseUrl ?? 'http://localhost';
  try {
    const { directory, leftOut } = await assemble({
      staging,
      project: phases.project,
      texts: provider.texts,
      baseUrl,
      reader,
      signal: ending,
    });
    const filling: Filling = {
      project,
      settings: {},
      overwrites: null,
      finish: (tx, failed) => endImport(tx, projectId, [...staging.leftOut, ...left, ...leftOut], failed),
    };
    await importDirectory(context, filling, directory, ending);
  } catch (error) {
    if (late.aborted) throw new ImportFailed(`The import took longer than ${context.imports.timeout / 1000} seconds.`);
    throw error;
  } finally {
    await reader?.close();
    await rm(path.join(staging.directory, 'archive'), { recursive: true, force: true, maxRetries: 3 });
  }
}
