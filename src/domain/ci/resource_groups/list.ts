import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { isNewestFirst, type ProcessMode, queuedStates } from '#src/domain/ci/resource_groups/mode.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/ci/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const group = alias('ResourceGroup', 'rg');
const job = alias('Job', 'j');

const groups = projectScoped({ ability: 'read_resource_group', rows: group });

/** The resource groups of projects, oldest first, and those that the actor may read by their IDs. */
export const { list: listResourceGroups, findByIds: findResourceGroupsByIds, changed: changedResourceGroup } = groups;

/** The group of a project with that key. Throws NotFound, Forbidden, Unauthenticated. */
export function findResourceGroup<R>(
  context: Context,
  project: ProjectRow,
  key: string,
  selection: Selection<'ResourceGroup', R>,
): Promise<R> {
  return groups.find(context, project, sql`${group.key} = ${key}`, selection);
}

/** A group, with its project. */
export interface QueueParent {
  project: ProjectRow;
  key: string;
  mode: ProcessMode;
}

/** The jobs that are in the queue of each group, in the order of the group; one statement for each kind of order. */
export async function listQueuedJobs<R>(
  context: Context,
  parents: readonly QueueParent[],
  page: PageRequest,
  selection: Selection<'Job', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  return forPermittedParents(
    parents,
    ({ project }) => authorize(actor, 'read_resource_group', project),
    async (permitted) => {
      const lists = new Map<QueueParent, Page<R>>();
      for (const [mode, some] of Map.groupBy(permitted, (parent) => parent.mode)) {
        const pages = await listInMode(context, mode, some, page, selection);
        for (const [index, parent] of some.entries()) lists.set(parent, pages[index] as Page<R>);
      }
      return permitted.map((parent) => lists.get(parent) as Page<R>);
    },
  );
}

function listInMode<R>(
  { db }: Context,
  mode: ProcessMode,
  parents: readonly QueueParent[],
  page: PageRequest,
  selection: Selection<'Job', R>,
): Promise<Page<R>[]> {
  const sorted = order('Job', ['pipelineId', 'id'], isNewestFirst(mode) ? 'desc' : 'asc');
  const pageOf = (asked: Asked<{ project: number; key: string }>) => {
    const where = all([
      sql`${job.projectId} = ${asked.project} AND ${job.resourceGroup} = ${asked.key}`,
      sql`${job.status} IN ${queuedStates(mode)}`,
    ]);
    return pageOfRows(selection, { rows: job, where, order: sorted }, page);
  };
  const asked = parents.map(({ project, key }) => ({ project: project.id, key }));
  return readPages<R>(db, page, perParent(asked, { project: 'int', key: 'text' }, pageOf));
}
