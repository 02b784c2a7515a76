import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { type BranchRow, listBranches } from '#src/domain/repository/branches/list.ts';

/** Maximum number of branches that are listed as those of an issue. */
export const MAX_RELATED_BRANCHES = 100;

/** The branches whose names begin with the number of an issue and a dash, by name; none if the actor may not read the repository. */
export async function relatedBranches(context: Context, project: ProjectRow, iid: number): Promise<BranchRow[]> {
  if (!can(context.actor, 'read_repository', project)) return [];
  const page = { limit: MAX_RELATED_BRANCHES, offset: 0, withTotal: false };
  const { nodes } = await listBranches(context, project, page, { search: `^${iid}-` });
  return nodes;
}
