import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { environmentFilter } from '#schema/filters.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { environmentOrder } from '#schema/orders.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findEnvironment, listEnvironments } from '#src/domain/ci/environments/list.ts';
import { tierOf } from '#src/domain/ci/environments/tier.ts';

const EnvironmentState = builder.enumType('EnvironmentState', {
  description: 'Whether an environment is in use.',
  values: {
    AVAILABLE: { value: 'available', description: 'The environment is in use.' },
    STOPPING: { value: 'stopping', description: 'The job that stops the environment was started.' },
    STOPPED: { value: 'stopped', description: 'The environment is stopped, until the next deployment.' },
  } as const,
});

export const EnvironmentTier = builder.enumType('EnvironmentTier', {
  description: 'What an environment is for.',
  values: {
    PRODUCTION: { value: 'production', description: 'What users of the project work with.' },
    STAGING: { value: 'staging', description: 'What is tried last before production.' },
    TESTING: { value: 'testing', description: 'What tests and testers work with.' },
    DEVELOPMENT: { value: 'development', description: 'What developers and reviewers look at.' },
    OTHER: { value: 'other', description: 'Anything that is none of the others.' },
  } as const,
});

export const AutoStopSetting = builder.enumType('AutoStopSetting', {
  description: 'Whether an environment is stopped when its time has come.',
  values: {
    ALWAYS: { value: 'always', description: 'It is stopped, by its stop job if there is one.' },
    WITH_ACTION: { value: 'with_action', description: 'It is stopped only if it has a stop job.' },
  } as const,
});

export const Environment = builder.prismaObject('Environment', {
  description: 'A place that a project is deployed to.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the environment, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Environment', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the environment, as the REST API uses it.' }),
    name: t.exposeString('name', { description: 'Name of the environment, unique within the project.' }),
    slug: t.exposeString('slug', {
      description: 'Short name for use in host names, derived from the original name; unique within the project.',
    }),
    externalUrl: t.exposeString('externalUrl', {
      nullable: true,
      description: 'URL of what is deployed; null when unset.',
    }),
    state: t.expose('state', { type: EnvironmentState, description: 'Whether the environment is in use or stopped.' }),
    tier: t.field({
      type: EnvironmentTier,
      description: 'What the environment is for: as it was given, or guessed from the name.',
      select: { tier: true, name: true },
      resolve: tierOf,
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the environment is, in Markdown; null without a description.',
    }),
    autoStopAt: t.expose('autoStopAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the environment is stopped, if it is in use then; null for never.',
    }),
    autoStopSetting: t.expose('autoStopSetting', {
      type: AutoStopSetting,
      description: 'Whether the environment is stopped at `autoStopAt`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the environment was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the environment last changed.' }),
    project: t.field(ownProject),
  }),
});

const EnvironmentConnection = connectionOf('Environment', Environment);

builder.objectFields(Project, (t) => ({
  environments: t.field({
    type: EnvironmentConnection,
    description: 'The environments of the project, oldest first. For reporters.',
    args: {
      ...pageArgs,
      ...environmentFilter,
      ...environmentOrder('ID', 'asc'),
      name: t.arg.string({ description: 'Only the environment with this name.' }),
      search: t.arg.string({
        description: 'Only environments with this text in their names, in any case: three characters or more.',
      }),
      state: t.arg({ type: EnvironmentState, description: 'Only environments in this state.' }),
    },
    resolve: (project, args, context, info) =>
      pageBelow('Environment', project, args, context, info, (_context, projects, page, selection) =>
        listEnvironments(context, projects, args, page, selection),
      ),
  }),
  environment: t.field({
    type: Environment,
    description: 'An environment of the project by its ID. For reporters.',
    args: {
      id: t.arg({
        ...idOf('Environment'),
        required: true,
        description: 'Global or numeric ID of the environment.',
      }),
    },
    resolve: (project, { id }, context, info) =>
      findEnvironment(context, project, id, selectionAt(info, 'Environment')),
  }),
}));
