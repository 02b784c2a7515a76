import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { matches } from '#src/domain/repository/protections/matches.ts';
import { defaultBranch } from '#src/domain/repository/revision.ts';

/** How many branches the name of a protection matches. The caller has checked that the actor may read the protection. */
export async function countMatching(context: Context, project: ProjectRow, name: string): Promise<number> {
  const reader = await context.repositories.open(project);
  if (!reader) return 0;
  if (!name.includes('*')) return (await reader.branch(name)) ? 1 : 0;
  return (await reader.branches()).filter((branch) => matches(name, branch.name)).length;
}

/** Whether the name of a protection is that of the default branch. */
export async function isOfDefault(context: Context, project: ProjectRow, name: string): Promise<boolean> {
  const reader = await context.repositories.open(project);
  return reader !== null && (await defaultBranch(project, reader)) === name;
}
