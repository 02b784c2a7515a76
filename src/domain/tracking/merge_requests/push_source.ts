import { can } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { sharedBranchesOf } from '#src/domain/repository/collaboration.ts';
import {
  type BranchRefusals,
  branchRefusals,
  branchRefusalsOf,
  sharedWith,
} from '#src/domain/repository/protection.ts';
import type { Oid } from '#src/git/base/model.ts';
import { Forbidden, nullIfNotFound } from '#src/platform/errors.ts';

/** The source branch of a merge request. */
export interface SourceBranch {
  sourceProjectId: number | null;
  sourceBranch: string;
}

/** The source project with the tip of the source branch, if the actor may push to that. Throws Forbidden. */
export async function requireSourcePush(
  context: Context,
  actor: Actor,
  { sourceProjectId, sourceBranch }: SourceBranch,
): Promise<{ project: ProjectRow; tip: Oid; refusals: BranchRefusals }> {
  const project = sourceProjectId === null ? null : await findProject(context, sourceProjectId).catch(nullIfNotFound);
  const shared = project && (await sharedWith(context.db, actor, project));
  if (!project || project.archived || (shared && !shared.has(sourceBranch)))
    throw new Forbidden('Cannot push to source branch');
  const reader = await context.repositories.open(project);
  const branch = await reader?.branch(sourceBranch);
  if (!branch) throw new Forbidden('Source branch does not exist').asWrongState();
  const refusals = await branchRefusals(context, actor, project);
  if (refusals(sourceBranch, 'push') !== null) throw new Forbidden('Cannot push to source branch');
  return { project, tip: branch.commit, refusals };
}

/**
 * Whether the actor may push to branches of each of the source projects, those of forks that are shared with the actor included, in a
 * constant number of statements. Whether a branch exists is not looked up.
 */
export async function sourcesPushable(
  context: Context,
  actor: Actor,
  projects: readonly ProjectRow[],
): Promise<((branch: string) => boolean)[]> {
  const foreign = projects.filter((project) => !can(actor, 'push_code', project));
  const shared = await sharedBranchesOf(context.db, actor, foreign);
  const refusals = await branchRefusalsOf(context, actor, projects, shared);
  return projects.map(
    ({ archived }, at) =>
      (branch) =>
        !archived && refusals[at]?.(branch, 'push') === null,
  );
}
