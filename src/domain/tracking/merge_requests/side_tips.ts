import type { Context } from '#src/access/permissions/actor.ts';
import { findPushedProject, type PushedProject } from '#src/domain/repository/pushed_project.ts';
import type { MergeRequestVersion } from '#src/generated/prisma/client.ts';
import type { Oid } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import type { Db } from '#src/platform/database/db.ts';

type Stores = Pick<Context, 'db' | 'repositories'>;

/** A merge request as work on its commits needs it, with what its branches hold now. */
export interface SideTips {
  mergeRequest: NonNullable<Awaited<ReturnType<typeof load>>>;
  target: PushedProject;
  /** Of the target project. */
  reader: RepositoryReader;
  /** Null where the fork is gone. */
  source: PushedProject | null;
  /** Null where the branch is not there. */
  sourceTip: Oid | null;
  targetTip: Oid | null;
  /** The latest one; null for a merge request that was recorded without its commits. */
  version: MergeRequestVersion | null;
}

/** What the branches of a merge request hold; null where there is none, or no repository that it could be merged in. */
export async function sideTips({ db, repositories }: Stores, id: number): Promise<SideTips | null> {
  const mergeRequest = await load(db, id);
  const target = mergeRequest && (await findPushedProject(db, mergeRequest.targetProjectId));
  const reader = target && (await repositories.open(target));
  if (!mergeRequest || !target || !reader) return null;
  const { sourceProjectId, sourceBranch, targetBranch } = mergeRequest;
  const source = sourceProjectId === null ? null : await findPushedProject(db, sourceProjectId);
  const from = source && (await repositories.open(source));
  const [sourceTip, targetTip] = await Promise.all([from?.branch(sourceBranch), reader.branch(targetBranch)]);
  return {
    mergeRequest,
    target,
    reader,
    source,
    sourceTip: sourceTip?.commit ?? null,
    targetTip: targetTip?.commit ?? null,
    version: mergeRequest.versions[0] ?? null,
  };
}

function load(db: Db, id: number) {
  return db.mergeRequest.findUnique({ where: { id }, include: { versions: { orderBy: { id: 'desc' }, take: 1 } } });
}
