import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { type BranchRow, findBranch } from '#src/domain/repository/branches/list.ts';

/** What developers may do with a protected branch: unset means no at first, and unchanged later. */
export interface ProtectionChanges {
  developersCanPush?: boolean | null | undefined;
  developersCanMerge?: boolean | null | undefined;
}

/** Protects a branch, or updates its protection. Throws NotFound, Forbidden. */
export async function protectBranch(
  context: Context,
  ref: IdOrPath,
  name: string,
  { developersCanPush, developersCanMerge }: ProtectionChanges,
): Promise<BranchRow> {
  const { project } = await administered(context, ref, name);
  const [push, merge] = [developersCanPush ?? null, developersCanMerge ?? null];
  await context.db.$executeRaw`
    INSERT INTO protected_branches AS b (project_id, name, developers_can_push, developers_can_merge)
    VALUES (${project.id}, ${name}, COALESCE(${push}::boolean, FALSE), COALESCE(${merge}::boolean, FALSE))
    ON CONFLICT (project_id, name) DO UPDATE SET
      developers_can_push = COALESCE(${push}::boolean, b.developers_can_push),
      developers_can_merge = COALESCE(${merge}::boolean, b.developers_can_merge)`;
  return findBranch(context, project, name);
}

/** Removes the protection of a branch; a pattern may still protect it. Throws NotFound, Forbidden. */
export async function unprotectBranch(context: Context, ref: IdOrPath, name: string): Promise<BranchRow> {
  const { project } = await administered(context, ref, name);
  await context.db.protectedBranch.deleteMany({ where: { projectId: project.id, name } });
  return findBranch(context, project, name);
}

async function administered(context: Context, ref: IdOrPath, name: string) {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_protected_branch', project);
  return { project, branch: await findBranch(context, project, name) };
}
