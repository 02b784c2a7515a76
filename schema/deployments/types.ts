import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import '#schema/environments/types.ts';
import '#schema/jobs/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import '#schema/users/types.ts';
import { findDeployment, listDeployments } from '#src/deployments/list.ts';

export const Deployment = builder.prismaObject('Deployment', {
  description: 'That a commit was brought to an environment.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('Deployment', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    iid: t.exposeInt('iid', { description: 'Counts the deployments of the project.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project.' }),
    ref: t.exposeString('ref', { description: 'The branch or tag.' }),
    tag: t.exposeBoolean('tag', { description: 'Whether the ref is a tag.' }),
    sha: t.exposeString('sha', { description: 'Hash of the commit.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was done.' }),
    user: t.relation('user', { description: 'Who did it.' }),
    environment: t.relation('environment', { description: 'Where the commit was brought to.' }),
    deployable: t.relation('job', {
      nullable: true,
      description: 'The job that did it; null where another system deployed.',
    }),
  }),
});

const DeploymentConnection = connectionOf('Deployment', Deployment);

builder.objectFields(Project, (t) => ({
  deployments: t.field({
    type: DeploymentConnection,
    description: 'What was brought to its environments, oldest first.',
    args: pageArgs,
    resolve: (project, args, context, info) => {
      context.loaders.project.prime(project.id, project);
      return pageBelow('Deployment', project, args, context, info, listDeployments);
    },
  }),
  deployment: t.field({
    type: Deployment,
    description: 'One of its deployments.',
    args: { id: t.arg({ ...idOf('Deployment'), required: true, description: 'ID of the deployment.' }) },
    resolve: (project, { id }, context, info) => {
      context.loaders.project.prime(project.id, project);
      return findDeployment(context, project, id, selectionAt(info, 'Deployment'));
    },
  }),
}));
