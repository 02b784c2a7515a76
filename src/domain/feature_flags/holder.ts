import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** The project of a flag or user list: the given one, or that of its ID. Throws as projectHolding, and BadRequest without either. */
export async function projectOf(
  context: Context,
  type: 'FeatureFlag' | 'FeatureFlagUserList',
  project: IdOrPath | null | undefined,
  { id }: { id?: number | null | undefined },
): Promise<IdOrPath> {
  if (project == null && id == null) throw new BadRequest('Name the project, or the record by its ID', 'project');
  return projectHolding(context, type, { id: id ?? 0, project });
}
