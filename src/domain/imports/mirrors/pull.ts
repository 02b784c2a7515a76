import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { openForward } from '#src/domain/imports/forward.ts';
import { ImportFailed, SourceRepository } from '#src/domain/imports/source.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { ensureRepository } from '#src/domain/repository/ensure.ts';
import { branchRefusals } from '#src/domain/repository/protection.ts';
import { listProtections, protectionOf } from '#src/domain/repository/protections/of_branches.ts';
import { tagRefusals } from '#src/domain/repository/protections/of_tags.ts';
import { quotaRefusal } from '#src/domain/repository/quota.ts';
import { pushRefs } from '#src/domain/repository/record.ts';
import { diskUse } from '#src/domain/repository/size.ts';
import { writeRefusal } from '#src/domain/repository/writable.ts';
import { ProgramFailed } from '#src/git/base/errors.ts';
import { checkObjects, OversizedObject } from '#src/git/incoming/check_objects.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { openRepository } from '#src/git/open.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { mayBeKept } from '#src/git/refs/name.ts';
import type { Ref } from '#src/git/refs/read.ts';
import type { RefChange } from '#src/git/refs/update_many.ts';
import { refsToCopy } from '#src/git/remote/copy.ts';
import { ForeignHashes, fetchMissing, ShallowSource } from '#src/git/remote/fetch_all.ts';
import { secureObjects } from '#src/git/remote/secure.ts';
import type { Db } from '#src/platform/database/db.ts';
import { DomainError } from '#src/platform/errors.ts';
import { parseImportUrl } from '#src/platform/outbound/url.ts';
import { decrypt } from '#src/platform/secrets.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Updates projects from the repositories that they mirror, where that is due. */
    'mirrors.pull': Record<string, never>;
  }
}

export interface PullStores {
  db: Db;
  /** The context of a user; null if the user is not active any more. */
  as(userId: number): Promise<Context | null>;
  /** Aborted when the server stops. */
  stopping?: AbortSignal | undefined;
}

/** Failures after which no attempt follows by itself, mirrors that one job updates, and names of refs in an error. */
const MAX_FAILURES = 14;
const MAX_UPDATES_PER_JOB = 100;
const MAX_NAMED_REFS = 20;

/** Refs that are changed at once while others wait for the repository. */
const BATCH_SIZE = 500;

const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';

interface Due {
  id: number;
  projectId: number;
  userId: number | null;
  urlEncrypted: Uint8Array;
  triggersPipelines: boolean;
  onlyProtectedBranches: boolean | null;
  overwritesDiverged: boolean | null;
}

/**
 * Updates the projects whose pull mirrors are due, one after another: each at most once a minute, every half hour by itself, and by one
 * process at a time.
 */
export async function pullMirrors(stores: PullStores): Promise<void> {
  for (let done = 0; done < MAX_UPDATES_PER_JOB && !stores.stopping?.aborted; done++) {
    const mirror = await claim(stores);
    if (mirror === null) return;
    await update(stores, mirror);
  }
}

/** Marks the mirror that has been due longest as started. One whose process has died counts as due after two hours. */
async function claim({ db }: PullStores): Promise<Due | null> {
  const [found] = await db.$queryRaw<Due[]>`
    UPDATE pull_mirrors m SET due_at = NULL, update_status = 'started', last_update_started_at = now()
    WHERE m.id = (
      SELECT d.id FROM pull_mirrors d JOIN projects p ON p.id = d.project_id AND p.deleted_at IS NULL
      WHERE d.enabled AND ((d.due_at <= now() AND d.update_status <> 'started'
          AND (d.last_update_started_at IS NULL OR d.last_update_started_at < now() - interval '1 minute'))
        OR (d.update_status = 'started' AND d.last_update_started_at < now() - interval '2 hours'))
      ORDER BY d.due_at NULLS FIRST, d.id LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
    RETURNING m.id, m.project_id AS "projectId", m.user_id AS "userId", m.url_encrypted AS "urlEncrypted",
      m.triggers_pipelines AS "triggersPipelines", m.only_protected_branches AS "onlyProtectedBranches",
      m.overwrites_diverged AS "overwritesDiverged"`;
  return found ?? null;
}

async function update(stores: PullStores, mirror: Due): Promise<void> {
  try {
    await pull(stores, mirror);
  } catch (error) {
    const isTold = error instanceof ImportFailed || error instanceof DomainError;
    const stopped = stores.stopping?.aborted ? 'The server was stopped.' : null;
    await failed(stores, mirror, stopped ?? (isTold ? error.message : 'Something went wrong on the server.'));
    if (!isTold) throw error;
    return;
  }
  await succeeded(stores, mirror);
}

async function succeeded({ db }: PullStores, { id }: Due): Promise<void> {
  await db.$executeRaw`
    UPDATE pull_mirrors SET update_status = (CASE WHEN due_at IS NULL THEN 'finished' ELSE 'scheduled' END)::mirror_status, failures = 0,
      last_error = NULL, last_update_at = now(), last_successful_update_at = now(),
      due_at = COALESCE(due_at, now() + interval '30 minutes') WHERE id = ${id}`;
}

/** Another attempt follows after 2, 4, 8 … minutes, at most half a day. */
async function failed({ db }: PullStores, { id }: Due, error: string): Promise<void> {
  await db.$executeRaw`
    UPDATE pull_mirrors SET failures = failures + 1, last_error = ${error.toWellFormed().slice(0, 1_000)}, last_update_at = now(),
      update_status = (CASE WHEN failures + 1 < ${MAX_FAILURES} THEN 'to_retry' ELSE 'failed' END)::mirror_status,
      due_at = CASE WHEN failures + 1 < ${MAX_FAILURES}
        THEN COALESCE(due_at, now() + interval '1 minute' * LEAST(720, 2 ^ (failures + 1))) END
    WHERE id = ${id}`;
}

/** Takes over branches and tags, or protected branches alone, as a push of the mirror's user. Throws ImportFailed, DomainError. */
async function pull(stores: PullStores, mirror: Due): Promise<void> {
  const context = mirror.userId === null ? null : await stores.as(mirror.userId);
  if (context === null) throw new ImportFailed('The user of the mirror is blocked or gone.');
  const project = await findProject(context, mirror.projectId);
  if (!can(requireActor(context), 'push_code', project)) {
    throw new ImportFailed('The user of the mirror is not allowed to push to the project any more.');
  }
  const refusal = writeRefusal(project);
  if (refusal !== null) throw new ImportFailed(refusal);
  if ((await programVersion()) === null) throw new ImportFailed('This server has no git program, which mirrors need.');
  const { directory } = await ensureRepository(context, project);
  const draft = `${directory}.import-${randomBytes(8).toString('hex')}`;
  try {
    const head = await fetched(context, mirror, { directory, draft, stopping: stores.stopping });
    await takeOver(context, project, mirror, { directory, draft, head });
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Places {
  /** The repository of the project. */
  directory: string;
  /** Where the source is fetched to, with what the project lacks. */
  draft: string;
}

/** Fetches what the project lacks. Returns the branch of the source's HEAD, if it is known. Throws ImportFailed. */
async function fetched(
  { imports, secret, repositories }: Context,
  { urlEncrypted }: Due,
  { directory, draft, stopping }: Places & { stopping: AbortSignal | undefined },
): Promise<string | null> {
  const source = parseImportUrl(decrypt(urlEncrypted, secret));
  if (typeof source === 'string') throw new ImportFailed(`The URL ${source}.`);
  const broken = new AbortController();
  const late = AbortSignal.timeout(imports.timeout);
  const signal = AbortSignal.any([broken.signal, late, ...(stopping ? [stopping] : [])]);
  const remote = new SourceRepository(source, imports, signal);
  const forward = await openForward(remote, {
    maxBytes: imports.maxBytes,
    onFailure: (error) => broken.abort(error),
  });
  try {
    const head = await fetchMissing(forward.url, draft, directory, signal);
    await checkObjects(draft, path.join(draft, 'objects'), { objectBytes: repositories.limits.objectBytes, signal });
    return head;
  } catch (error) {
    if (late.aborted) throw new ImportFailed(`The update took longer than ${imports.timeout / 1000} seconds.`);
    const failure = forward.failure();
    if (failure) throw failure;
    if (error instanceof ShallowSource) throw new ImportFailed('The source is a shallow repository.');
    if (error instanceof ForeignHashes) throw new ImportFailed('The source names its objects by SHA-256.');
    if (error instanceof OversizedObject) throw new ImportFailed(`The source is too large: ${error.message}.`);
    throw error instanceof ProgramFailed ? new ImportFailed('What the source sent is not accepted.') : error;
  } finally {
    forward.close();
    remote.close();
  }
}

/** Changes the refs of the project as far as the user may. Throws ImportFailed for those that have to stay, when the others are changed. */
async function takeOver(
  context: Context,
  project: ProjectRow,
  mirror: Due,
  { directory, draft, head }: Places & { head: string | null },
): Promise<void> {
  const room = await quotaRefusal(context.repositories, project, await diskUse(draft));
  if (room !== null) throw new ImportFailed(`The source is too large: ${room}.`);
  const { changes, left } = await wantedChanges(context, project, mirror, { directory, draft });
  if (changes.length > 0) {
    const keepLock = new PackKeepLock(directory);
    try {
      if (!(await secureObjects(keepLock, changes, { sources: [draft], timeout: context.imports.timeout }))) {
        throw new ImportFailed('Some commits of the source are missing.');
      }
      const ordered = changes.toSorted((one, other) => Number(other.name === head) - Number(one.name === head));
      for (let at = 0; at < ordered.length; at += BATCH_SIZE) {
        const options = { keepLock, skipCi: !mirror.triggersPipelines };
        const part = ordered.slice(at, at + BATCH_SIZE);
        const outcomes = await pushRefs(context, requireActor(context), project, part, undefined, options);
        for (const { change, error } of outcomes) if (error !== null) left.push(change.name);
      }
    } finally {
      await keepLock.release();
    }
  }
  if (left.length === 0) return;
  const more = left.length > MAX_NAMED_REFS ? ` and ${left.length - MAX_NAMED_REFS} more` : '';
  throw new ImportFailed(`Some refs were not updated: ${left.slice(0, MAX_NAMED_REFS).join(', ')}${more}`);
}

/** The refs that differ, and of these those that have parted or that the user may not change. */
async function wantedChanges(
  context: Context,
  project: ProjectRow,
  { onlyProtectedBranches, overwritesDiverged }: Due,
  { directory, draft }: Places,
): Promise<{ changes: RefChange[]; left: string[] }> {
  const actor = requireActor(context);
  const [forbidden, forbiddenTags, rules] = await Promise.all([
    branchRefusals(context, actor, project),
    tagRefusals(context.db, actor, project),
    listProtections(context.db, project.id),
  ]);
  const own = new Map((await refsToCopy(directory)).map(({ name, target }) => [name, target]));
  const isWanted = ({ name }: Ref) =>
    !onlyProtectedBranches || (name.startsWith(BRANCHES) && protectionOf(rules, name.slice(BRANCHES.length)).protected);
  const changes: RefChange[] = [];
  const left: string[] = [];
  const reader = await openRepository(draft, { borrows: true });
  try {
    for (const { name, target } of (await refsToCopy(draft)).filter(isWanted)) {
      const from = own.get(name) ?? null;
      if (from === target) continue;
      const isBranch = name.startsWith(BRANCHES);
      const isForced = from !== null && !(isBranch && (await reader.isAncestor(from, target)));
      // What has only moved on here is no divergence.
      if (isForced && isBranch && (await reader.isAncestor(target, from))) continue;
      const wish = from === null ? 'create' : 'update';
      const refusal = isBranch
        ? forbidden(name.slice(BRANCHES.length), isForced ? 'force' : 'push')
        : forbiddenTags(name.slice(TAGS.length), wish);
      if (refusal !== null || !mayBeKept(name) || (isForced && !overwritesDiverged)) left.push(name);
      else changes.push({ name, from, to: target });
    }
  } finally {
    await reader.close();
  }
  return { changes, left };
}
