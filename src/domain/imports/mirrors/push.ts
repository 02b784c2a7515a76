import type { Context } from '#src/access/permissions/actor.ts';
import type { Follower } from '#src/domain/changes/record.ts';
import { openForward } from '#src/domain/imports/forward.ts';
import { ImportFailed, SourceRepository } from '#src/domain/imports/source.ts';
import { listProtections, protectionOf } from '#src/domain/repository/protections/of_branches.ts';
import { ProgramFailed } from '#src/git/base/errors.ts';
import { encodeName } from '#src/git/base/names.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { pushTo } from '#src/git/remote/fetch_all.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { parseImportUrl } from '#src/platform/outbound/url.ts';
import { decrypt } from '#src/platform/secrets.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Updates the mirrors that are due. */
    'mirrors.push': Record<string, never>;
  }
}

export interface MirrorStores extends Pick<Context, 'db' | 'repositories' | 'secret'> {
  imports: ImportSettings;
  /** Aborted when the server stops. */
  stopping?: AbortSignal | undefined;
}

/** Failures after which no attempt follows by itself, mirrors that one job updates, and names of refs in an error. */
const MAX_FAILURES = 8;
const MAX_UPDATES_PER_JOB = 100;
const MAX_NAMED_REFS = 20;
/** Bytes of the largest answers of the other side. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Has the mirrors of a project updated after pushes to it, within a minute or two. */
export const pushedMirrors: Follower = {
  async refsPushed(tx, _context, { project }) {
    await tx.$executeRaw`
      UPDATE remote_mirrors SET due_at = now(), failures = 0,
        update_status = CASE update_status WHEN 'started' THEN update_status ELSE 'scheduled' END
      WHERE project_id = ${project.id} AND enabled AND (due_at IS NULL OR due_at > now())`;
  },
};

interface Due {
  id: number;
  projectId: number;
  repositoryStorage: string;
  urlEncrypted: Uint8Array;
  onlyProtectedBranches: boolean;
  keepDivergentRefs: boolean | null;
}

/** Updates the mirrors that are due, one after another; each at most once a minute, and by one process at a time. */
export async function pushMirrors(stores: MirrorStores): Promise<void> {
  for (let done = 0; done < MAX_UPDATES_PER_JOB && !stores.stopping?.aborted; done++) {
    const mirror = await claim(stores);
    if (mirror === null) return;
    await update(stores, mirror);
  }
}

/** Marks the mirror that has been due longest as started. One whose process has died counts as due after an hour. */
async function claim({ db }: MirrorStores): Promise<Due | null> {
  const [found] = await db.$queryRaw<Due[]>`
    UPDATE remote_mirrors m SET due_at = NULL, update_status = 'started', last_update_started_at = now()
    FROM projects p WHERE p.id = m.project_id AND m.id = (
      SELECT d.id FROM remote_mirrors d JOIN projects dp ON dp.id = d.project_id AND dp.deleted_at IS NULL
      WHERE d.enabled AND ((d.due_at <= now() AND d.update_status <> 'started'
          AND (d.last_update_started_at IS NULL OR d.last_update_started_at < now() - interval '1 minute'))
        OR (d.update_status = 'started' AND d.last_update_started_at < now() - interval '1 hour'))
      ORDER BY d.due_at NULLS FIRST, d.id LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
    RETURNING m.id, m.project_id AS "projectId", p.repository_storage AS "repositoryStorage", m.url_encrypted AS "urlEncrypted",
      m.only_protected_branches AS "onlyProtectedBranches", m.keep_divergent_refs AS "keepDivergentRefs"`;
  return found ?? null;
}

async function update(stores: MirrorStores, mirror: Due): Promise<void> {
  try {
    await push(stores, mirror);
  } catch (error) {
    const isTold = error instanceof ImportFailed;
    const stopped = stores.stopping?.aborted ? 'The server was stopped.' : null;
    await failed(stores, mirror, stopped ?? (isTold ? error.message : 'Something went wrong on the server.'));
    if (!isTold) throw error;
    return;
  }
  await succeeded(stores, mirror);
}

async function succeeded({ db }: MirrorStores, { id }: Due): Promise<void> {
  await db.$executeRaw`
    UPDATE remote_mirrors SET update_status = (CASE WHEN due_at IS NULL THEN 'finished' ELSE 'scheduled' END)::mirror_status,
      failures = 0, last_error = NULL, last_update_at = now(), last_successful_update_at = now() WHERE id = ${id}`;
}

/** Another attempt follows after 2, 4, 8 … minutes. */
async function failed({ db }: MirrorStores, { id }: Due, error: string): Promise<void> {
  await db.$executeRaw`
    UPDATE remote_mirrors SET failures = failures + 1, last_error = ${error.slice(0, 1_000)}, last_update_at = now(),
      update_status = (CASE WHEN failures + 1 < ${MAX_FAILURES} THEN 'to_retry' ELSE 'failed' END)::mirror_status,
      due_at = CASE WHEN failures + 1 < ${MAX_FAILURES} THEN COALESCE(due_at, now() + interval '1 minute' * 2 ^ (failures + 1)) END
    WHERE id = ${id}`;
}

/** Pushes branches and tags, or protected branches alone. Throws ImportFailed. */
async function push(stores: MirrorStores, mirror: Due): Promise<void> {
  const { db, repositories, imports, secret, stopping } = stores;
  const target = parseImportUrl(decrypt(mirror.urlEncrypted, secret));
  if (typeof target === 'string') throw new ImportFailed(`The URL ${target}.`);
  if ((await programVersion()) === null) throw new ImportFailed('This server has no git program, which mirrors need.');
  const place = { id: mirror.projectId, repositoryStorage: mirror.repositoryStorage };
  const reader = await repositories.open(place);
  if (reader === null) return;
  const mark = mirror.keepDivergentRefs ? '' : '+';
  const all = ['refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*'];
  let refspecs = all.map((one) => `${mark}${one}`);
  if (mirror.onlyProtectedBranches) {
    const rules = await listProtections(db, mirror.projectId);
    const named = (await reader.branches()).filter(({ name }) => protectionOf(rules, name).protected);
    // Names that are no UTF-8 cannot be arguments.
    const usable = named.filter(({ name }) => encodeName(name).equals(Buffer.from(name)));
    refspecs = usable.map(({ name }) => `${mark}refs/heads/${name}:refs/heads/${name}`);
    if (refspecs.length === 0) return;
  }
  const broken = new AbortController();
  const late = AbortSignal.timeout(imports.timeout);
  const signal = AbortSignal.any([broken.signal, late, ...(stopping ? [stopping] : [])]);
  const remote = new SourceRepository(target, imports, signal, 'git-receive-pack');
  const forward = await openForward(remote, { maxBytes: MAX_ANSWER_BYTES, onFailure: (error) => broken.abort(error) });
  try {
    const prune = !mirror.onlyProtectedBranches && !mirror.keepDivergentRefs;
    const refused = await pushTo(reader.directory, forward.url, { refspecs, prune }, signal);
    if (refused.length > 0) throw new ImportFailed(refusal(refused, mirror.keepDivergentRefs === true));
  } catch (error) {
    if (late.aborted) throw new ImportFailed(`The update took longer than ${imports.timeout / 1000} seconds.`);
    const failure = forward.failure();
    if (failure) throw new ImportFailed(failure.message.replaceAll('source', 'mirror'));
    throw error instanceof ProgramFailed ? new ImportFailed('The mirror did not take what was pushed to it.') : error;
  } finally {
    forward.close();
    remote.close();
  }
}

function refusal(refs: readonly string[], mayDiverge: boolean): string {
  const why = mayDiverge
    ? 'Some refs have diverged and have not been updated on the remote'
    : 'Some refs have not been taken by the remote';
  const more = refs.length > MAX_NAMED_REFS ? ` and ${refs.length - MAX_NAMED_REFS} more` : '';
  return `${why}: ${refs.slice(0, MAX_NAMED_REFS).join(', ')}${more}`;
}
