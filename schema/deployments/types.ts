import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { SortDirection } from '#schema/enums.ts';
import { Environment } from '#schema/environments/types.ts';
import { environmentDeploymentFilter } from '#schema/filters.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import '#schema/jobs/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { environmentDeploymentOrder } from '#schema/orders.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import '#schema/users/types.ts';
import {
  findDeployment,
  findDeploymentsByIds,
  listDeployments,
  listDeploymentsTo,
} from '#src/domain/ci/deployments/list.ts';

export const DeploymentStatus = builder.enumType('DeploymentStatus', {
  description: 'How far a deployment is, or how it ended. Those of jobs are recorded when they have succeeded.',
  values: {
    CREATED: { value: 'created', description: 'The deployment has not begun.' },
    RUNNING: { value: 'running', description: 'The commit is being deployed.' },
    SUCCESS: { value: 'success', description: 'The commit has been deployed.' },
    FAILED: { value: 'failed', description: 'The commit could not be deployed.' },
    CANCELED: { value: 'canceled', description: 'The deployment was given up.' },
  } as const,
});

const DeploymentOrder = builder.enumType('DeploymentOrder', {
  description: 'Ways to order deployments.',
  values: {
    ID: { value: 'id', description: 'By numeric ID, which grows with each deployment.' },
    IID: { value: 'iid', description: 'By the number within the project.' },
    CREATED_AT: { value: 'created_at', description: 'By when they were recorded.' },
    UPDATED_AT: { value: 'updated_at', description: 'By when they last changed.' },
    FINISHED_AT: { value: 'finished_at', description: 'By when they ended; those that have not are last.' },
    REF: { value: 'ref', description: 'By the name of the branch or tag.' },
  } as const,
});

const DeploymentFilter = builder.inputType('DeploymentFilter', {
  description: 'Which deployments a list has: those that match all fields.',
  fields: (t) => ({
    environment: t.string({ description: 'Only deployments to the environment with this name.' }),
    status: t.field({ type: DeploymentStatus, description: 'Only deployments with this status.' }),
    updatedAfter: t.field({ type: 'DateTime', description: 'Only deployments that changed then or later.' }),
    updatedBefore: t.field({ type: 'DateTime', description: 'Only deployments that last changed then or before.' }),
    finishedAfter: t.field({ type: 'DateTime', description: 'Only deployments that ended then or later.' }),
    finishedBefore: t.field({ type: 'DateTime', description: 'Only deployments that ended then or before.' }),
  }),
});

export const Deployment = builder.prismaObject('Deployment', {
  description: 'The deployment of a commit to an environment.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the deployment, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Deployment', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the deployment, as the REST API uses it.' }),
    iid: t.exposeInt('iid', { description: 'Number of the deployment within its project.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    ref: t.exposeString('ref', { description: 'Name of the branch or tag that was deployed.' }),
    tag: t.exposeBoolean('tag', { description: 'Whether the ref is a tag.' }),
    sha: t.exposeString('sha', { description: 'Full hash of the commit; see also `commit`.' }),
    commit: t.field({
      type: Commit,
      nullable: true,
      description: 'The commit that was deployed; null if it no longer exists or the caller cannot read commits.',
      select: { projectId: true, sha: true },
      resolve: ({ projectId, sha }, _args, { loaders }) => loaders.commit.load({ projectId, sha }),
    }),
    status: t.expose('status', { type: DeploymentStatus, description: 'How far the deployment is, or how it ended.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the deployment was recorded.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the deployment last changed.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the deployment ended; null before that.',
    }),
    user: t.relation('user', { description: 'The user who deployed the commit or started the job.' }),
    environment: t.relation('environment', { description: 'The environment that the commit was deployed to.' }),
    deployable: t.relation('job', {
      nullable: true,
      description: 'The job that deployed the commit; null for an external system.',
    }),
  }),
});

const DeploymentConnection = connectionOf('Deployment', Deployment);

builder.prismaObjectFields(Environment, (t) => ({
  deployments: t.field({
    type: DeploymentConnection,
    description: 'The deployments to the environment, newest first unless said otherwise.',
    args: { ...pageArgs, ...environmentDeploymentFilter, ...environmentDeploymentOrder('ID', 'desc') },
    select: { id: true, projectId: true },
    resolve: async ({ id, projectId }, args, context, info) => {
      const parent = { project: await requireProjectBase(context, projectId), environmentId: id };
      return pageBelow('Deployment', parent, args, context, info, (_context, parents, page, selection) =>
        listDeploymentsTo(context, parents, page, selection),
      );
    },
  }),
  lastDeployment: t.field({
    type: Deployment,
    nullable: true,
    description: 'The latest deployment that succeeded; null before that.',
    select: { lastDeploymentId: true },
    resolve: ({ lastDeploymentId }, _args, context, info) => {
      if (lastDeploymentId === null) return null;
      const selection = selectionAt(info, 'Deployment');
      return loaderAt(context, info, selection, async (ids: readonly number[]) => {
        const found = await findDeploymentsByIds(context, ids, selection, (id) => context.loaders.project.load(id));
        const byId = new Map(found.map((deployment) => [deployment.id, deployment]));
        return ids.map((id) => byId.get(id) ?? null);
      }).load(lastDeploymentId);
    },
  }),
}));

builder.objectFields(Project, (t) => ({
  deployments: t.field({
    type: DeploymentConnection,
    description: 'The deployments of the project, oldest first. For reporters.',
    args: {
      ...pageArgs,
      filter: t.arg({ type: DeploymentFilter, description: 'Which deployments to list; all if left out.' }),
      orderBy: t.arg({
        type: DeploymentOrder,
        required: true,
        defaultValue: 'id',
        description: 'What to sort the deployments by.',
      }),
      sort: t.arg({
        type: SortDirection,
        required: true,
        defaultValue: 'asc',
        description: 'Direction of the order.',
      }),
    },
    resolve: (project, args, context, info) => {
      context.loaders.noteProject(project);
      return pageBelow('Deployment', project, args, context, info, (_context, projects, page, selection) =>
        listDeployments(context, projects, args.filter ?? {}, args, page, selection),
      );
    },
  }),
  deployment: t.field({
    type: Deployment,
    description: 'A deployment of the project by its ID. For reporters.',
    args: {
      id: t.arg({
        ...idOf('Deployment'),
        required: true,
        description: 'Global or numeric ID of the deployment.',
      }),
    },
    resolve: (project, { id }, context, info) => {
      context.loaders.noteProject(project);
      return findDeployment(context, project, id, selectionAt(info, 'Deployment'));
    },
  }),
}));
