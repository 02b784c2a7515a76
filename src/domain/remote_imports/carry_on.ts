import path from 'node:path';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { ImportFailed } from '#src/domain/imports/source.ts';
import type { Target } from '#src/domain/project_archives/import_directory.ts';
import { lfsObjectsOf } from '#src/domain/project_archives/lfs_objects.ts';
import { explained } from '#src/domain/project_archives/read.ts';
import { stagedNumbers } from '#src/domain/remote_imports/base/pages.ts';
import {
  type LeftOut,
  type Page,
  type Part,
  type Phase,
  type PhaseContext,
  type Provider,
  type RemoteAddress,
  SourceInvalid,
} from '#src/domain/remote_imports/base/source.ts';
import { FETCHED, fetchRepositories } from '#src/domain/remote_imports/fetch_repository.ts';
import { FILES_PHASE, filesPage, wantedFiles } from '#src/domain/remote_imports/files.ts';
import { BUSY_PAUSE_SECONDS, type Lease, withLease } from '#src/domain/remote_imports/lease.ts';
import { fetchLfsObjects, LFS } from '#src/domain/remote_imports/lfs_objects.ts';
import { picturePhase } from '#src/domain/remote_imports/picture.ts';
import { countsOf, type ImportCount } from '#src/domain/remote_imports/progress.ts';
import { Staging } from '#src/domain/remote_imports/staging.ts';
import { repositoryExists } from '#src/git/base/existence.ts';
import { openRepository } from '#src/git/open.ts';
import type { Jobs } from '#src/platform/background/queue.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { ofEachDatabase } from '#src/platform/database/of_each.ts';
import { RemoteRateLimited, RemoteRefused, RemoteUnavailable } from '#src/platform/outbound/remote_client.ts';

export interface RemoteImportOptions {
  /** Aborted when the server stops: the import goes on at the next start. */
  stopping?: AbortSignal | undefined;
}

/** An import, or an update, that is under way. */
export interface Begun {
  projectId: number;
  project: Target;
  provider: Provider;
  address: RemoteAddress;
  parts: ReadonlySet<Part>;
  attempts: number;
}

/** What was fetched, and is to be put into the project. */
export interface Fetched {
  staging: Staging;
  phases: PhaseContext;
  left: readonly LeftOut[];
  signal: AbortSignal;
}

/** What is different between imports and updates. */
export interface Work {
  job: 'projects.import_remote' | 'projects.update_remote';
  /** Marks it as started; null if there is none, its time has not come, or the project is gone. */
  begin(context: Context, projectId: number): Promise<Begun | null>;
  /** Requires that whoever asked for it may still do so. Throws ImportFailed. */
  requireRight(context: Context, begun: Begun): Promise<void>;
  /** Whether it is still wanted. */
  isWaiting(db: Db, projectId: number): Promise<boolean>;
  /** Records how far it is; returns whether it is still wanted. */
  note(db: Db, projectId: number, far: { phase: string; counts: ImportCount[]; leftOut: LeftOut[] }): Promise<boolean>;
  /** Records that it got further. */
  progressed(db: Db, projectId: number): Promise<unknown>;
  /** Records when it goes on. */
  postpone(tx: Transaction, projectId: number, at: Date | null): Promise<unknown>;
  /** Ends it with an error. */
  fail(context: Context, projectId: number, message: string): Promise<void>;
  /** The attached files that need not be fetched, by their secrets in the staging. */
  knownFiles(context: Context, projectId: number): Promise<ReadonlySet<string>>;
  /** Puts what was fetched into the project, whole or not at all. */
  fill(context: Context, begun: Begun, fetched: Fetched): Promise<void>;
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

const runningOn = ofEachDatabase(() => new Map<string, Promise<void>>());

/** Goes on with an import or update, by one process at a time. Does nothing unless the project waits for it. */
export function carryOn(context: Context, work: Work, projectId: number, options: RemoteImportOptions): Promise<void> {
  const running = runningOn(context.db);
  const name = `${work.job} ${projectId}`;
  const found = running.get(name) ?? alone(context, work, projectId, options).finally(() => running.delete(name));
  running.set(name, found);
  return found;
}

/**
 * Works while no other process does: one whose job was given to this one, as it was not heard of for a while, may still be at it. Then this
 * one looks again later.
 */
async function alone(context: Context, work: Work, projectId: number, options: RemoteImportOptions): Promise<void> {
  const isAlone = await withLease(context.db, `project ${projectId}`, (lease) =>
    perform(context, work, projectId, options, lease),
  );
  if (isAlone || !(await work.isWaiting(context.db, projectId))) return;
  const userId = requireActor(context).id;
  await context.db.$transaction((tx) =>
    context.jobs.enqueue(tx, work.job, { projectId, userId }, { after: BUSY_PAUSE_SECONDS }),
  );
}

async function perform(
  context: Context,
  work: Work,
  projectId: number,
  { stopping }: RemoteImportOptions,
  lease: Lease,
): Promise<void> {
  const begun = await work.begin(context, projectId);
  if (begun === null) return;
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, lease.signal, ...(stopping ? [stopping] : [])]);
  try {
    if (begun.attempts > MAX_ATTEMPTS) throw new ImportFailed('The import was interrupted too often.');
    await advance(context, work, begun, { signal, lease });
  } catch (error) {
    if (stopping?.aborted) throw error;
    if (lease.signal.aborted) return;
    await settle(context, work, begun, error);
  } finally {
    abort.abort();
  }
}

/** What becomes of an import that did not get to its end. */
async function settle(context: Context, work: Work, begun: Begun, error: unknown): Promise<void> {
  const { projectId, project, attempts } = begun;
  // What was written meanwhile goes as well.
  if (error instanceof Canceled || !(await work.isWaiting(context.db, projectId))) {
    return context.repositories.removeStaging(project);
  }
  if (error instanceof Unfinished) return later(context, work, projectId, null);
  if (error instanceof RemoteRateLimited) return later(context, work, projectId, error.until);
  if (error instanceof RemoteUnavailable && attempts < MAX_ATTEMPTS) {
    return later(context, work, projectId, new Date(Date.now() + RETRY_DELAY_MS * 2 ** attempts));
  }
  const isOfSource = [ImportFailed, RemoteRefused, RemoteUnavailable, SourceInvalid].some(
    (one) => error instanceof one,
  );
  const message = isOfSource ? (error as Error).message : explained(error);
  await work.fail(context, projectId, message ?? 'Something went wrong on the server.');
  if (message === null) throw error;
}

/** Leaves the rest to a job that runs at a time; for null soon, but not before this one has ended, which it would wait for. */
async function later(context: Context, work: Work, projectId: number, at: Date | null): Promise<void> {
  const after = Math.max(MIN_PAUSE_SECONDS, Math.ceil(((at?.getTime() ?? 0) - Date.now()) / 1_000));
  const data: Jobs['projects.import_remote'] = { projectId, userId: requireActor(context).id };
  await context.db.$transaction(async (tx) => {
    await work.postpone(tx, projectId, at);
    await context.jobs.enqueue(tx, work.job, data, { after });
  });
}

interface Run {
  signal: AbortSignal;
  lease: Lease;
}

async function advance(context: Context, work: Work, begun: Begun, { signal, lease }: Run): Promise<void> {
  const { provider, address, parts, project } = begun;
  await work.requireRight(context, begun);
  const { imports, repositories } = context;
  const staging = await Staging.open(repositories.staging(project), imports.maxBytes);
  const client = provider.client(address, imports, signal);
  const since = Date.now();
  const pause = async () => {
    if (Date.now() > since + MAX_STEP_MS) throw new Unfinished();
    await lease.require();
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
    await fetchPhases(context, work, begun, { staging, phases, lease, until: since + MAX_RUN_MS });
    await pause();
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
    await pause();
    const lfs = await fetchLfs(context, work, begun, {
      staging,
      phases,
      signal,
      lease,
      until: since + MAX_RUN_MS,
    });
    await pause();
    await note(context, work, begun, staging, 'importing');
    await work.requireRight(context, begun);
    await inTurn(context, work, begun, () =>
      work.fill(context, begun, { staging, phases, left: [...left, ...lfs], signal }),
    );
  } finally {
    client.close();
  }
  await repositories.removeStaging(project);
}

const fillingOn = ofEachDatabase(() => ({ current: null as Promise<void> | null }));

/**
 * Fills one project at a time in each process: each takes several connections to the database, and several at once could wait for each
 * other's. Throws Unfinished where others take long.
 */
async function inTurn({ db }: Context, work: Work, { projectId }: Begun, fill: () => Promise<void>): Promise<void> {
  const filling = fillingOn(db);
  const until = Date.now() + MAX_STEP_MS;
  while (filling.current !== null) {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, Math.max(0, until - Date.now()));
    await Promise.race([filling.current.catch(() => undefined), late.promise]);
    clearTimeout(timer);
    if (Date.now() < until) continue;
    // That is no failure of this one.
    await work.progressed(db, projectId);
    throw new Unfinished();
  }
  filling.current = fill().finally(() => {
    filling.current = null;
  });
  await filling.current;
}

interface Fetching {
  staging: Staging;
  phases: PhaseContext;
  lease: Lease;
  /** Milliseconds since 1970. */
  until: number;
}

/** Fetches the pages that are not there yet. Throws Unfinished when the time is over. */
async function fetchPhases(context: Context, work: Work, begun: Begun, fetching: Fetching): Promise<void> {
  const { staging, phases, lease, until } = fetching;
  const { provider, parts, projectId } = begun;
  const wanted = provider.phases.filter(({ part }) => part === null || parts.has(part));
  const known = () => work.knownFiles(context, projectId);
  // The picture of a project that was imported before is its own.
  const picture = work.job === 'projects.import_remote' ? [picturePhase(staging)] : [];
  for (const phase of [...wanted, filesPhase(provider, staging, phases, known), ...picture]) {
    for (;;) {
      const progress = staging.phases.get(phase.name);
      if (progress?.next === null) break;
      await note(context, work, begun, staging, phase.name);
      if (Date.now() > until) throw new Unfinished();
      const page = await phase.page(phases, progress?.next ?? null);
      await lease.require();
      await staging.add(phase.name, page);
      await work.progressed(context.db, projectId);
    }
  }
  await note(context, work, begun, staging, FETCHED);
}

/** Fetches the objects of Git LFS that the repository points to and the project lacks. Throws Unfinished when the time is over. */
async function fetchLfs(
  context: Context,
  work: Work,
  begun: Begun,
  { staging, phases, signal, lease, until }: Fetching & { signal: AbortSignal },
): Promise<LeftOut[]> {
  const repository = fetchedRepository(staging);
  if (!(await repositoryExists(repository))) return [];
  const { imports, repositories, db } = context;
  const known = new Set<string>();
  for await (const { oid } of lfsObjectsOf(db, begun.projectId)) known.add(oid);
  const reader = await openRepository(repository);
  try {
    return await fetchLfsObjects({
      reader,
      repository,
      staging: staging.directory,
      project: phases.project,
      token: begun.address.token,
      imports,
      limits: repositories.limits,
      known,
      signal,
      progress: async (fetched, total) => {
        await note(context, work, begun, staging, LFS, { kind: LFS, fetched, total });
        if (Date.now() > until) throw new Unfinished();
        await lease.require();
        if (fetched > 0) await work.progressed(db, begun.projectId);
      },
    });
  } finally {
    await reader.close();
  }
}

/** The files that the records before it name. */
function filesPhase(
  provider: Provider,
  staging: Staging,
  phases: PhaseContext,
  readKnown: () => Promise<ReadonlySet<string>>,
): Phase {
  let wanted: ReturnType<typeof wantedFiles> | undefined;
  let known: ReturnType<typeof readKnown> | undefined;
  return {
    name: FILES_PHASE,
    part: null,
    async page(_context, cursor): Promise<Page> {
      wanted ??= wantedFiles(staging, phases, provider.texts.attachments(phases.project.server));
      known ??= readKnown();
      return filesPage(phases, staging, await wanted, cursor, await known);
    },
  };
}

/** Records how far it is. Throws Canceled if it is not wanted any more. */
async function note(
  { db }: Context,
  work: Work,
  { projectId }: Begun,
  staging: Staging,
  phase: string,
  more?: ImportCount,
): Promise<void> {
  const counts = [...countsOf(staging.phases), ...(more ? [more] : [])];
  if (!(await work.note(db, projectId, { phase, counts, leftOut: [...staging.leftOut] }))) throw new Canceled();
}

/** The fetched repository in a staging. */
export function fetchedRepository(staging: Staging): string {
  return path.join(staging.directory, FETCHED);
}
