import { findPushedProject, type PushedProject } from '#src/domain/repository/pushed_project.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import type { MergeRequestVersion } from '#src/generated/prisma/client.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Db } from '#src/platform/database/db.ts';
import type { Columns } from '#src/platform/records/model.ts';

const MERGING = {
  mergeMethod: true,
  squashOption: true,
  mergeCommitTemplate: true,
  squashCommitTemplate: true,
  autocloseReferencedIssues: true,
  allowMergeOnSkippedPipeline: true,
  onlyAllowMergeIfPipelineSucceeds: true,
  onlyAllowMergeIfAllDiscussionsAreResolved: true,
  resetApprovalsOnPush: true,
  _count: { select: { approvalRules: { where: { mergeRequestId: null } } } },
} as const;

/** What a project says of merging. */
export type MergeSettings = Pick<Columns['Project'], Exclude<keyof typeof MERGING, '_count'>> & {
  /** How many approval rules it has. */
  _count: { approvalRules: number };
};
export type MergeMethod = MergeSettings['mergeMethod'];

/** The columns of a merge request for work on its commits, with the current commits of its branches. */
export interface SideTips {
  mergeRequest: NonNullable<Awaited<ReturnType<typeof load>>>;
  target: PushedProject & { merging: MergeSettings };
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
export async function sideTips({ db, repositories }: WithRepositories, id: number): Promise<SideTips | null> {
  const mergeRequest = await load(db, id);
  const target = mergeRequest && (await findTarget(db, mergeRequest.targetProjectId));
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

async function findTarget(db: Db, id: number): Promise<SideTips['target'] | null> {
  const [target, merging] = await Promise.all([
    findPushedProject(db, id),
    db.project.findUnique({ where: { id }, select: MERGING }),
  ]);
  return target && merging && { ...target, merging };
}

function load(db: Db, id: number) {
  const include = {
    versions: { orderBy: { id: 'desc' }, take: 1 },
    _count: { select: { approvalRules: true } },
  } as const;
  return db.mergeRequest.findUnique({ where: { id }, include });
}
