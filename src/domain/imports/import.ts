import { randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { openForward } from '#src/domain/imports/forward.ts';
import { ImportFailed, SourceRepository } from '#src/domain/imports/source.ts';
import { withRepositoryLock } from '#src/domain/repository/lock.ts';
import { overQuota } from '#src/domain/repository/quota.ts';
import { recordCopy } from '#src/domain/repository/record_copy.ts';
import { diskUse } from '#src/domain/repository/size.ts';
import { ProgramFailed } from '#src/git/base/errors.ts';
import { encodeName } from '#src/git/base/names.ts';
import { syncDirectory } from '#src/git/base/sync.ts';
import { checkObjects, OversizedObject } from '#src/git/incoming/check_objects.ts';
import { initRepository } from '#src/git/init.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { mayBeKept } from '#src/git/refs/name.ts';
import type { Ref } from '#src/git/refs/read.ts';
import { setDefaultBranch } from '#src/git/refs/update.ts';
import { refsToCopy } from '#src/git/remote/copy.ts';
import { ForeignHashes, fetchAll, fetchRefs, ShallowSource } from '#src/git/remote/fetch_all.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { ofEachDatabase } from '#src/platform/database/of_each.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { type ImportSource, parseImportUrl } from '#src/platform/outbound/url.ts';
import { decrypt } from '#src/platform/secrets.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Imports the repository of a project from its source. */
    'projects.import': { projectId: number };
  }
}

export interface ImportStores extends Pick<Context, 'db' | 'repositories' | 'secret' | 'followers'> {
  imports: ImportSettings;
  /** Aborted when the server stops: running imports are restarted at the next start. */
  stopping?: AbortSignal | undefined;
}

interface Target {
  id: number;
  repositoryStorage: string;
  defaultBranch: string | null;
  creatorId: number;
}

/** How often an import is attempted: the process may have died of it. */
const MAX_ATTEMPTS = 5;
/** In bytes; limited by the database's index on names of refs. */
const MAX_REF_NAME_BYTES = 1_000;
const BRANCHES = 'refs/heads/';

const SHALLOW = 'The source is a shallow repository: its history is cut off, and the rest of it cannot be imported.';
const FOREIGN = 'The source names its objects by SHA-256, which is not supported: it has to use SHA-1.';

const runningOn = ofEachDatabase(() => new Map<number, Promise<void>>());

/**
 * Imports the repository of a project that waits for it. It appears complete or not at all; the outcome is recorded in the
 * project. Does nothing unless the project waits.
 */
export function importRepository(stores: ImportStores, projectId: number): Promise<void> {
  const running = runningOn(stores.db);
  const work = running.get(projectId) ?? perform(stores, projectId).finally(() => running.delete(projectId));
  running.set(projectId, work);
  return work;
}

async function perform(stores: ImportStores, projectId: number): Promise<void> {
  const begun = await begin(stores, projectId);
  if (begun === null) return;
  const { project, source, attempts } = begun;
  try {
    if (attempts > MAX_ATTEMPTS) throw new ImportFailed('The import was interrupted too often.');
    await take(stores, project, source);
  } catch (error) {
    if (stores.stopping?.aborted) throw error;
    await fail(stores, project, error instanceof ImportFailed ? error.message : 'Something went wrong on the server.');
    if (!(error instanceof ImportFailed)) throw error;
  }
}

/** Marks the import as started; null if there is none, or the project is gone. */
async function begin({ db }: ImportStores, projectId: number) {
  const row = await db.projectImport.findUnique({
    where: { projectId },
    select: {
      source: true,
      project: { select: { id: true, repositoryStorage: true, defaultBranch: true, creatorId: true, deletedAt: true } },
    },
  });
  if (!row || row.project.deletedAt !== null) return null;
  const [{ attempts }] = await db.$transaction([
    db.projectImport.update({ where: { projectId }, data: { attempts: { increment: 1 } }, select: { attempts: true } }),
    db.project.update({ where: { id: projectId }, data: { importStatus: 'started' } }),
  ]);
  return { project: row.project, source: row.source, attempts };
}

async function take(stores: ImportStores, project: Target, encrypted: Uint8Array): Promise<void> {
  const { repositories } = stores;
  const parsed = parseImportUrl(decrypt(encrypted, stores.secret));
  if (typeof parsed === 'string') throw new ImportFailed(`The URL ${parsed}.`);
  if ((await programVersion()) === null) {
    throw new ImportFailed('This server has no git program of version 2.38 or later, which imports need.');
  }
  const directory = repositories.directory(project);
  // Leftovers of a crash: no other process works on this project.
  for (const name of await repositories.drafts(project)) await remove(path.join(path.dirname(directory), name));
  const draft = `${directory}.import-${randomBytes(8).toString('hex')}`;
  try {
    await initRepository(draft, 'master');
    const head = await fetchSource(stores, parsed, draft);
    await requireFitting(stores, draft);
    const refs = await refsToCopy(draft);
    requireNames(refs);
    const branch = defaultBranch(project, head, refs);
    if (branch !== null) await setDefaultBranch(draft, branch);
    for (const folder of ['objects/pack', 'objects', '.']) await syncDirectory(path.join(draft, folder));
    await finish(stores, { ...project, defaultBranch: branch ?? project.defaultBranch }, refs, draft);
  } finally {
    await remove(draft);
  }
}

/**
 * Fetches all branches and tags into an empty repository. Returns the full name of the source's HEAD. Throws ImportFailed, or the reason
 * of `stopping`.
 *
 * @param refspecs further refs that are fetched, as git takes them
 */
export async function fetchSource(
  { imports, stopping }: Pick<ImportStores, 'imports' | 'stopping'>,
  source: ImportSource,
  draft: string,
  refspecs: readonly string[] = [],
): Promise<string | null> {
  const broken = new AbortController();
  const late = AbortSignal.timeout(imports.timeout);
  const signal = AbortSignal.any([broken.signal, late, ...(stopping ? [stopping] : [])]);
  const repository = new SourceRepository(source, imports, signal);
  const forward = await openForward(repository, {
    maxBytes: imports.maxBytes,
    onFailure: (error) => broken.abort(error),
  });
  try {
    const head = await fetchAll(forward.url, draft, signal);
    if (refspecs.length > 0) await fetchRefs(forward.url, draft, refspecs, signal);
    return head;
  } catch (error) {
    if (late.aborted) throw new ImportFailed(`The import took longer than ${imports.timeout / 1000} seconds.`);
    if (forward.failure()) throw forward.failure();
    if (error instanceof ShallowSource) throw new ImportFailed(SHALLOW);
    if (error instanceof ForeignHashes) throw new ImportFailed(FOREIGN);
    throw error instanceof ProgramFailed ? new ImportFailed(reason(error.message, forward.url)) : error;
  } finally {
    forward.close();
    repository.close();
  }
}

/** Throws ImportFailed if it exceeds the limit of pushes or of the repository. */
async function requireFitting({ repositories, imports, stopping }: ImportStores, draft: string): Promise<void> {
  const { objectBytes, quotaBytes } = repositories.limits;
  const late = AbortSignal.timeout(imports.timeout);
  const signal = stopping ? AbortSignal.any([late, stopping]) : late;
  try {
    await checkObjects(draft, path.join(draft, 'objects'), { objectBytes, signal });
  } catch (error) {
    throw error instanceof OversizedObject ? new ImportFailed(`The source is too large: ${error.message}.`) : error;
  }
  if ((await diskUse(draft)) > quotaBytes) throw new ImportFailed(`The source is too large: ${overQuota(quotaBytes)}.`);
}

/** Git's message about objects that it rejected, without the URL. */
function reason(complaint: string, url: string): string {
  const lines = complaint.split('\n').filter((line) => /^(fatal|error): /.test(line));
  const said = lines.map((line) => line.replace(/^(fatal|error): /, '').replaceAll(url, 'the source')).join('; ');
  return `What the source sent is not accepted: ${said || 'it is damaged'}`.slice(0, 500);
}

function requireNames(refs: readonly Ref[]): void {
  if (refs.some(({ name }) => encodeName(name).length > MAX_REF_NAME_BYTES)) {
    throw new ImportFailed('The source has a branch or tag whose name is too long.');
  }
  const bad = refs.find(({ name }) => !mayBeKept(name));
  if (bad)
    throw new ImportFailed(`The source has a branch or tag whose name is not allowed: ${bad.name.slice(0, 200)}`);
}

/** The requested default branch, else that of the source's HEAD, else the most likely one. */
function defaultBranch({ defaultBranch: wanted }: Target, head: string | null, refs: readonly Ref[]): string | null {
  const branches = refs.flatMap(({ name }) =>
    name.startsWith(BRANCHES) && name.isWellFormed() ? [name.slice(BRANCHES.length)] : [],
  );
  const likely = [wanted, head?.slice(BRANCHES.length), 'main', 'master'];
  return likely.find((name) => name != null && branches.includes(name)) ?? branches[0] ?? null;
}

/** Puts the repository in place and records its contents. Nothing else can have been written there meanwhile. */
async function finish(stores: ImportStores, project: Target, refs: readonly Ref[], draft: string): Promise<void> {
  const { db, repositories } = stores;
  const { id, defaultBranch, creatorId } = project;
  const directory = repositories.directory(project);
  await withRepositoryLock(db, id, async (tx) => {
    if (!(await isAlive(tx, id))) return;
    if (refs.length > 0) {
      await remove(directory);
      await rename(draft, directory);
      await syncDirectory(path.dirname(directory));
      await repositories.forget(project);
      await tx.project.update({ where: { id }, data: { defaultBranch } });
      await recordCopy(tx, stores, project, refs);
    }
    const user = { id: creatorId };
    await recordChange(tx, stores, { type: 'projectChanged', project, user, action: 'imported' });
    await tx.project.update({ where: { id }, data: { importStatus: 'finished', importError: null } });
    await tx.projectImport.deleteMany({ where: { projectId: id } });
  });
}

/** Leaves an empty project with the error. */
async function fail({ db, repositories }: ImportStores, project: Target, message: string): Promise<void> {
  await withRepositoryLock(db, project.id, async (tx) => {
    if (!(await isAlive(tx, project.id))) return;
    await repositories.remove(project);
    await tx.project.update({ where: { id: project.id }, data: { importStatus: 'failed', importError: message } });
    await tx.projectImport.deleteMany({ where: { projectId: project.id } });
  });
}

/** Locks the project and returns whether it still waits for its import. */
async function isAlive(tx: Transaction, id: number): Promise<boolean> {
  const alive = await tx.$queryRaw<object[]>`
    SELECT id FROM projects WHERE id = ${id} AND deleted_at IS NULL AND import_status = 'started' FOR NO KEY UPDATE`;
  return alive.length > 0;
}

function remove(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 3 });
}
