import type { RefsPushed } from '#src/domain/changes/change.ts';
import type { ChangeContext, Follower } from '#src/domain/changes/record.ts';
import type { Transaction } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Stops environments whose time has come. */
    'environments.stop_due': Record<string, never>;
    /** Stops the environments to which a deleted branch was deployed last. */
    'environments.stop_of_branch': { projectId: number; userId: number; branch: string };
  }
}

const BRANCHES = 'refs/heads/';
/** A push that deletes more branches clears a repository up, and leaves environments to their times. */
const MAX_DELETED_BRANCHES = 20;

/** Stops the environments of branches that are deleted. */
export const deletedBranches: Follower = { refsPushed: stopEnvironments };

async function stopEnvironments(
  tx: Transaction,
  { jobs }: ChangeContext,
  { project, pusher, changes }: RefsPushed,
): Promise<void> {
  const deleted = changes.filter(({ name, to }) => to === null && name.startsWith(BRANCHES) && name.isWellFormed());
  if (!jobs || deleted.length === 0 || deleted.length > MAX_DELETED_BRANCHES) return;
  const [deployed] = await tx.$queryRaw<unknown[]>`SELECT 1 FROM environments WHERE project_id = ${project.id} LIMIT 1`;
  if (!deployed) return;
  for (const { name } of deleted) {
    const branch = name.slice(BRANCHES.length);
    await jobs.enqueue(tx, 'environments.stop_of_branch', { projectId: project.id, userId: pusher.id, branch });
  }
}
