import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { resourceGroupFilter } from '#schema/filters.ts';
import { Job, JobConnection } from '#schema/jobs/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { resourceGroupOrder } from '#schema/orders.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findJobsByIds } from '#src/domain/ci/jobs/list.ts';
import { findResourceGroup, listQueuedJobs, listResourceGroups } from '#src/domain/ci/resource_groups/list.ts';

export const ResourceGroupProcessMode = builder.enumType('ResourceGroupProcessMode', {
  description: 'Which of the jobs of a resource group is the next to run.',
  values: {
    UNORDERED: { value: 'unordered', description: 'One of those whose turn in their pipelines has come.' },
    OLDEST_FIRST: {
      value: 'oldest_first',
      description: 'That of the oldest pipeline, even if its turn there has not come yet.',
    },
    NEWEST_FIRST: {
      value: 'newest_first',
      description: 'That of the newest pipeline, even if its turn there has not come yet.',
    },
    NEWEST_READY_FIRST: {
      value: 'newest_ready_first',
      description: 'That of the newest pipeline in which its turn has come.',
    },
  } as const,
});

export const ResourceGroup = builder.prismaObject('ResourceGroup', {
  description: 'Jobs of a project that use the same thing, so that they run one at a time.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the resource group, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('ResourceGroup', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the resource group, as the REST API uses it.' }),
    key: t.exposeString('key', { description: 'Name of the group, as the jobs have it.' }),
    processMode: t.expose('processMode', {
      type: ResourceGroupProcessMode,
      description: 'Which of its jobs is the next to run.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the first of its jobs was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the group was last changed.' }),
    project: t.field(ownProject),
    currentJob: t.field({
      type: Job,
      nullable: true,
      description: 'The job that runs, or waits for a runner; null if none does.',
      select: { currentJobId: true },
      resolve: ({ currentJobId }, _args, context, info) => {
        if (currentJobId === null) return null;
        const selection = selectionAt(info, 'Job');
        return loaderAt(context, info, selection, async (ids: readonly number[]) => {
          const found = await findJobsByIds(context, ids, selection, (id) => context.loaders.project.load(id));
          const byId = new Map(found.map((job) => [job.id, job]));
          return ids.map((id) => byId.get(id) ?? null);
        }).load(currentJobId);
      },
    }),
    upcomingJobs: t.field({
      type: JobConnection,
      description: 'The jobs that will run, in the order of the group.',
      args: pageArgs,
      select: { projectId: true, key: true, processMode: true },
      resolve: async ({ projectId, key, processMode: mode }, args, context, info) => {
        const parent = { project: await requireProjectBase(context, projectId), key, mode };
        return pageBelow('Job', parent, args, context, info, (_context, parents, page, selection) =>
          listQueuedJobs(context, parents, page, selection),
        );
      },
    }),
  }),
});

const ResourceGroupConnection = connectionOf('ResourceGroup', ResourceGroup);

builder.objectFields(Project, (t) => ({
  resourceGroups: t.field({
    type: ResourceGroupConnection,
    description: 'The resource groups of the jobs of the project, oldest first. For developers.',
    args: { ...pageArgs, ...resourceGroupFilter, ...resourceGroupOrder('ID', 'asc') },
    resolve: (project, args, context, info) =>
      pageBelow('ResourceGroup', project, args, context, info, (_context, projects, page, selection) =>
        listResourceGroups(context, projects, page, selection),
      ),
  }),
  resourceGroup: t.field({
    type: ResourceGroup,
    nullable: true,
    description: 'A resource group of the project, by its name. For developers.',
    args: { key: t.arg.string({ required: true, description: 'Name of the group, as the jobs have it.' }) },
    resolve: (project, { key }, context, info) =>
      findResourceGroup(context, project, key, selectionAt(info, 'ResourceGroup')),
  }),
}));
