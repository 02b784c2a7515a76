import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { surelyProjectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findEnvironment, listEnvironments } from '#src/environments/list.ts';

const EnvironmentState = builder.enumType('EnvironmentState', {
  description: 'Whether an environment is in use.',
  values: {
    AVAILABLE: { value: 'available', description: 'It is.' },
    STOPPED: { value: 'stopped', description: 'It is not, until something is deployed to it again.' },
  } as const,
});

export const Environment = builder.prismaObject('Environment', {
  description: 'A place to which a project is deployed.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('Environment', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    name: t.exposeString('name', { description: 'Unique within the project.' }),
    slug: t.exposeString('slug', { description: 'Made of the first name, for host names; unique within the project.' }),
    externalUrl: t.exposeString('externalUrl', { nullable: true, description: 'Address of what is deployed.' }),
    state: t.expose('state', { type: EnvironmentState, description: 'Whether it is in use.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    project: t.field({
      type: Project,
      description: 'The project.',
      select: { projectId: true },
      resolve: ({ projectId }, _args, context, info) => surelyProjectOf(context, info, projectId),
    }),
  }),
});

const EnvironmentConnection = connectionOf('Environment', Environment);

builder.objectFields(Project, (t) => ({
  environments: t.field({
    type: EnvironmentConnection,
    description: 'The places to which it is deployed, oldest first.',
    args: pageArgs,
    resolve: (project, args, context, info) => pageBelow('Environment', project, args, context, info, listEnvironments),
  }),
  environment: t.field({
    type: Environment,
    description: 'One of the places to which it is deployed.',
    args: { id: t.arg({ ...idOf('Environment'), required: true, description: 'ID of the environment.' }) },
    resolve: (project, { id }, context, info) =>
      findEnvironment(context, project, id, selectionAt(info, 'Environment')),
  }),
}));
