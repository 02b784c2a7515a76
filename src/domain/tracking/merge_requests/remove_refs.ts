import type { Context } from '#src/access/permissions/actor.ts';
import { changeRefs, type RefChange } from '#src/domain/repository/change_refs.ts';
import { withRepositoryLock } from '#src/domain/repository/lock.ts';
import { MERGE_REQUESTS, recordOwnRefs } from '#src/domain/repository/merge_request_refs.ts';
import { findPushedProject } from '#src/domain/repository/pushed_project.ts';
import { KEPT_REFS } from '#src/git/refs/name.ts';
import { RefReader } from '#src/git/refs/read.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** How many refs are removed under one lock. */
const BATCH_SIZE = 200;

/** Removes the refs of deleted merge requests, and those that keep commits of no version. */
export async function removeUnneededRefs(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  projectId: number,
): Promise<void> {
  const project = await findPushedProject(db, projectId);
  const reader = project && (await repositories.open(project));
  if (!project || !reader) return;
  const refs = new RefReader(reader.directory);
  const own = [...(await refs.list(MERGE_REQUESTS)), ...(await refs.list(`${KEPT_REFS}/`))];
  for (let at = 0; at < own.length; at += BATCH_SIZE) {
    const part = own.slice(at, at + BATCH_SIZE);
    if ((await unneeded(db, projectId, part)).length === 0) continue;
    await withRepositoryLock(db, projectId, async (tx) => {
      // New refs of this kind are recorded under the same lock.
      const gone = await unneeded(tx, projectId, part);
      const changes = gone.map(({ name, target }) => ({ name, from: target, to: null }));
      if (changes.length === 0) return;
      const record = (_tx: Transaction, made: readonly RefChange[]) => recordOwnRefs(tx, projectId, made);
      await changeRefs({ db, repositories }, project, changes, record, { tx, isLocked: true });
    });
  }
}

async function unneeded<R extends { name: string }>(
  db: Pick<Transaction, '$queryRaw'>,
  projectId: number,
  refs: readonly R[],
): Promise<R[]> {
  const last = (name: string) => name.split('/').at(-1) ?? '';
  const iids = refs.flatMap(({ name }) => numberIn(name) ?? []);
  const kept = refs.flatMap(({ name }) => (name.startsWith(KEPT_REFS) ? last(name) : []));
  const [needed] = await db.$queryRaw<[{ iids: number[]; oids: string[] }]>`
    SELECT ARRAY(SELECT iid FROM merge_requests WHERE target_project_id = ${projectId} AND iid = ANY(${iids}::int[])) AS iids,
      ARRAY(SELECT k.oid FROM unnest(${kept}::text[]) AS k (oid) WHERE EXISTS (
        SELECT 1 FROM merge_request_versions v JOIN merge_requests m ON m.id = v.merge_request_id
        WHERE m.target_project_id = ${projectId} AND (v.head_commit_sha = k.oid OR v.base_commit_sha IS NULL AND v.start_commit_sha = k.oid))) AS oids`;
  const [present, wanted] = [new Set(needed.iids), new Set(needed.oids)];
  return refs.filter(({ name }) => {
    const iid = numberIn(name);
    return iid === null ? name.startsWith(KEPT_REFS) && !wanted.has(last(name)) : !present.has(iid);
  });
}

/** The number of the merge request that a ref belongs to; null for other refs. */
function numberIn(name: string): number | null {
  const iid = /^refs\/merge-requests\/(\d{1,9})\/(?:head|merge)$/.exec(name)?.[1];
  return iid === undefined ? null : Number(iid);
}
