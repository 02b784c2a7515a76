import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import '#schema/environments/types.ts';
import '#schema/jobs/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import '#schema/users/types.ts';
import { findDeployment, listDeployments } from '#src/domain/ci/deployments/list.ts';

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
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the commit was deployed.' }),
    user: t.relation('user', { description: 'The user who deployed the commit or started the job.' }),
    environment: t.relation('environment', { description: 'The environment that the commit was deployed to.' }),
    deployable: t.relation('job', {
      nullable: true,
      description: 'The job that deployed the commit; null for an external system.',
    }),
  }),
});

const DeploymentConnection = connectionOf('Deployment', Deployment);

builder.objectFields(Project, (t) => ({
  deployments: t.field({
    type: DeploymentConnection,
    description: 'The deployments of the project, oldest first. For reporters.',
    args: pageArgs,
    resolve: (project, args, context, info) => {
      context.loaders.noteProject(project);
      return pageBelow('Deployment', project, args, context, info, listDeployments);
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
