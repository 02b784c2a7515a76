import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findResourceGroup } from '#src/domain/ci/resource_groups/list.ts';
import type { ProcessMode } from '#src/domain/ci/resource_groups/mode.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { select } from '#src/platform/records/selection.ts';

/** Changes in which order the jobs of a resource group run, from the next one on. Throws NotFound, Forbidden. */
export async function updateResourceGroup(
  context: Context,
  ref: IdOrPath,
  key: string,
  processMode: ProcessMode | null | undefined,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  const { id } = await findResourceGroup(context, project, key, select('ResourceGroup', { id: true }));
  authorize(actor, 'update_resource_group', project);
  if (processMode == null) return { project, id };
  await context.db.$transaction(async (tx) => {
    await tx.resourceGroup.updateMany({ where: { id }, data: { processMode, updatedAt: new Date() } });
    await context.jobs.enqueue(tx, 'resource_groups.assign', { projectId: project.id, name: key });
  });
  return { project, id };
}
