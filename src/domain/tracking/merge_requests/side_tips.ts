import type { Context } from '#src/access/permissions/actor.ts';
import { findPushedProject, type PushedProject } from '#src/domain/repository/pushed_project.ts';
import type { MergeRequestVersion } from '#src/generated/prisma/client.ts';
import type { Oid } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import type { Db } from '#src/platform/database/db.ts';

type Stores = Pick<Context, 'db' | 'repositories'>;

/** The columns of a merge request for work on its commits, with the current commits of its branches. */
export interface SideTips {
  mergeRequest: NonNullable<Awaited<ReturnType<typeof load>>>;
  target: PushedProject;
  /** Reader of the target project's repository. */
  reader: RepositoryReader;
  /** Null if the fork is gone. */
  source: PushedProject | null;
  /** Null if there is no such branch. */
  sourceTip: Oid | null;
  targetTip: Oid | null;
  /** The latest one; null for a merge request without recorded commits. */
  version: MergeRequestVersion | null;
}

/** The current commits of a merge request's branches; null if it, or a repository to merge it in, does not exist. */
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
