import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { listProtections, protectionOf } from '#src/domain/repository/protections/of_branches.ts';
import { findPushedProject } from '#src/domain/repository/pushed_project.ts';
import { pushRefs } from '#src/domain/repository/record.ts';
import type { Db } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Deletes the merged branches of a project on behalf of a user. */
    'branches.delete_merged': { projectId: number; userId: number };
  }
}

/** How many branches are deleted under one lock. */
const BATCH_SIZE = 50;

/** Enqueues a job that deletes all merged branches. Throws Unauthenticated, NotFound, Forbidden. */
export async function deleteMergedBranches(context: Context, ref: IdOrPath): Promise<void> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'delete_merged_branches', project);
  await context.db.$transaction((tx) =>
    context.jobs.enqueue(tx, 'branches.delete_merged', { projectId: project.id, userId: actor.id }),
  );
}

/**
 * Deletes the branches that are merged into the default one, on behalf of the user; except the default one, protected ones, and
 * those of open merge requests. Branches that are pushed to meanwhile stay.
 */
export async function removeMergedBranches(
  stores: Pick<Context, 'db' | 'repositories' | 'followers'>,
  projectId: number,
  userId: number,
): Promise<void> {
  const { db, repositories } = stores;
  const project = await findPushedProject(db, projectId);
  const reader = project && (await repositories.open(project));
  const root = reader && project.defaultBranch !== null ? await reader.branch(project.defaultBranch) : null;
  if (!project || project.archived || !reader || !root) return;
  const [branches, protections, kept] = await Promise.all([
    reader.branches(),
    listProtections(db, projectId),
    ofMergeRequests(db, projectId),
  ]);
  const merged = await reader.mergedInto(
    root.commit,
    branches.map(({ commit }) => commit),
  );
  const gone = branches.filter(({ name, commit }) => {
    const spared = name === root.name || kept.has(name) || protectionOf(protections, name).protected;
    return merged.has(commit) && !spared;
  });
  const changes = gone.map(({ name, commit }) => ({ name: `refs/heads/${name}`, from: commit, to: null }));
  for (let at = 0; at < changes.length; at += BATCH_SIZE) {
    await pushRefs(stores, { id: userId }, project, changes.slice(at, at + BATCH_SIZE));
  }
}

/** Names of the branches of open merge requests. */
async function ofMergeRequests(db: Db, projectId: number): Promise<Set<string>> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    SELECT source_branch AS name FROM merge_requests WHERE source_project_id = ${projectId} AND state = 'opened'
    UNION SELECT target_branch FROM merge_requests WHERE target_project_id = ${projectId} AND state = 'opened'`;
  return new Set(rows.map(({ name }) => name));
}
