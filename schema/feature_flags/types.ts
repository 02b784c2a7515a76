import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { featureFlagFilter, featureFlagUserListFilter } from '#schema/filters.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { featureFlagOrder, featureFlagUserListOrder } from '#schema/orders.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findInstanceId } from '#src/domain/feature_flags/client.ts';
import { findFlag, findUserList, listFlags, listUserLists } from '#src/domain/feature_flags/list.ts';
import type { StrategyName } from '#src/domain/feature_flags/strategies.ts';

export const FeatureFlagVersion = builder.enumType('FeatureFlagVersion', {
  description: 'The kind of a feature flag, of which there is one.',
  values: {
    NEW_VERSION_FLAG: { value: 'new_version_flag', description: 'Strategies of the flag have scopes of their own.' },
  } as const,
});

export const FeatureFlagStrategyName = builder.enumType('FeatureFlagStrategyName', {
  description: 'For whom a feature flag is on.',
  values: {
    DEFAULT: { value: 'default', description: 'For all users; no parameters.' },
    FLEXIBLE_ROLLOUT: {
      value: 'flexibleRollout',
      description:
        'For a share of users, sessions or requests: `rollout` (percent), `stickiness` (`default`, `userId`, `sessionId` or `random`) and `groupId`.',
    },
    GRADUAL_ROLLOUT_USER_ID: {
      value: 'gradualRolloutUserId',
      description: 'For a share of the users that are signed in to the application: `percentage` and `groupId`.',
    },
    USER_WITH_ID: {
      value: 'userWithId',
      description: 'For users by the IDs that they have in the application: `userIds`, separated by commas.',
    },
    GITLAB_USER_LIST: { value: 'gitlabUserList', description: 'For the users of a user list; no parameters.' },
  } as const satisfies Record<string, { value: StrategyName; description: string }>,
});

builder.prismaObject('FeatureFlagScope', {
  description: 'The environments in which a strategy of a feature flag applies.',
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the scope, for changes of its flag.',
      resolve: ({ id }) => toGlobalId('FeatureFlagScope', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the scope, as the REST API uses it.' }),
    environmentScope: t.exposeString('environmentScope', {
      description: 'Name of an environment, or a pattern in which each `*` stands for any text.',
    }),
  }),
});

export const FeatureFlagUserList = builder.prismaObject('FeatureFlagUserList', {
  description: 'Users of an application, by the IDs that they have there, for strategies of several feature flags.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the user list, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('FeatureFlagUserList', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the user list, as the REST API uses it.' }),
    iid: t.exposeInt('iid', { description: 'Number of the user list within the project.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    name: t.exposeString('name', { description: 'Name of the user list, unique within the project.' }),
    userXids: t.exposeString('userXids', {
      description: 'The IDs of the users in the application, separated by commas.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the user list was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the user list was last changed.' }),
  }),
});

builder.prismaObject('FeatureFlagStrategy', {
  description: 'For whom a feature flag is on, in some environments. One strategy that applies is enough.',
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the strategy, for changes of its flag.',
      resolve: ({ id }) => toGlobalId('FeatureFlagStrategy', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the strategy, as the REST API uses it.' }),
    name: t.field({
      type: FeatureFlagStrategyName,
      description: 'For whom the flag is on.',
      select: { name: true },
      resolve: ({ name }) => name as StrategyName,
    }),
    parameters: t.field({
      type: 'JSON',
      description: 'The parameters of the strategy: an object of texts.',
      select: { parameters: true },
      resolve: ({ parameters }) => parameters,
    }),
    scopes: t.relation('scopes', {
      description: 'Where the strategy applies, oldest first; nowhere without any.',
    }),
    userList: t.relation('userList', {
      nullable: true,
      description: 'The users of `GITLAB_USER_LIST`; null for other strategies.',
    }),
  }),
});

export const FeatureFlag = builder.prismaObject('FeatureFlag', {
  description: 'A switch of an application, which clients of Unleash read.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the flag, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('FeatureFlag', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the flag, as webhooks name it.' }),
    iid: t.exposeInt('iid', { description: 'Number of the flag within the project.' }),
    project: t.field(ownProject),
    name: t.exposeString('name', { description: 'Name of the flag, unique within the project.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the flag is for, as plain text; null if that is not said.',
    }),
    active: t.exposeBoolean('active', {
      description: 'Whether the flag is on where one of its strategies applies; it is off everywhere otherwise.',
    }),
    version: t.field({
      type: FeatureFlagVersion,
      description: 'The kind of the flag.',
      resolve: () => 'new_version_flag' as const,
    }),
    strategies: t.relation('strategies', { description: 'For whom the flag is on, and where; oldest first.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the flag was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the flag was last changed.' }),
  }),
});

const FeatureFlagState = builder.enumType('FeatureFlagState', {
  description: 'Whether a feature flag is on.',
  values: {
    ENABLED: { value: 'enabled', description: 'Only flags that are on.' },
    DISABLED: { value: 'disabled', description: 'Only flags that are off.' },
  } as const,
});

export const FeatureFlagsClient = builder
  .objectRef<{ projectId: number; instanceId: string | null }>('FeatureFlagsClient')
  .implement({
    description: 'What clients of Unleash are configured with to read the feature flags of a project.',
    fields: (t) => ({
      url: t.field({
        type: 'URL',
        description: 'The API URL of clients.',
        resolve: ({ projectId }, _args, { baseUrl }) => `${baseUrl}/api/v4/feature_flags/unleash/${projectId}`,
      }),
      instanceId: t.exposeString('instanceId', {
        nullable: true,
        description: 'The instance ID of clients, a secret; null until the first flag was created or it was reset.',
      }),
    }),
  });

const FeatureFlagConnection = connectionOf('FeatureFlag', FeatureFlag);
const FeatureFlagUserListConnection = connectionOf('FeatureFlagUserList', FeatureFlagUserList);

builder.objectFields(Project, (t) => ({
  featureFlags: t.field({
    type: FeatureFlagConnection,
    nullable: true,
    description: 'The feature flags of the project by name. For developers.',
    args: {
      ...pageArgs,
      ...featureFlagFilter,
      ...featureFlagOrder('NAME', 'asc'),
      state: t.arg({ type: FeatureFlagState, description: 'Only flags that are on, or off.' }),
    },
    resolve: (project, { state, ...args }, context, info) =>
      pageBelow('FeatureFlag', project, args, context, info, (_context, projects, page, selection) =>
        listFlags(context, projects, state ? state === 'enabled' : null, page, selection),
      ),
  }),
  featureFlag: t.field({
    type: FeatureFlag,
    nullable: true,
    description: 'A feature flag of the project, by name or number; null without either. For developers.',
    args: {
      name: t.arg.string({ description: 'The name that it has, in exact case.' }),
      iid: t.arg.int({ description: 'Number of the flag within the project.' }),
    },
    resolve: (project, which, context, info) =>
      which.name == null && which.iid == null
        ? null
        : findFlag(context, project, which, selectionAt(info, 'FeatureFlag')),
  }),
  featureFlagUserLists: t.field({
    type: FeatureFlagUserListConnection,
    nullable: true,
    description: 'The user lists of the feature flags of the project, oldest first. For developers.',
    args: {
      ...pageArgs,
      ...featureFlagUserListFilter,
      ...featureFlagUserListOrder('ID', 'asc'),
      search: t.arg.string({ description: 'Only user lists with this text in their names, in any case.' }),
    },
    resolve: (project, { search, ...args }, context, info) =>
      pageBelow('FeatureFlagUserList', project, args, context, info, (_context, projects, page, selection) =>
        listUserLists(context, projects, search, page, selection),
      ),
  }),
  featureFlagUserList: t.field({
    type: FeatureFlagUserList,
    description: 'A user list of the feature flags of the project, by its number. For developers.',
    args: { iid: t.arg.int({ required: true, description: 'Number of the user list within the project.' }) },
    resolve: (project, { iid }, context, info) =>
      findUserList(context, project, { iid }, selectionAt(info, 'FeatureFlagUserList')),
  }),
  featureFlagsClient: t.field({
    type: FeatureFlagsClient,
    nullable: true,
    description: 'What clients of the feature flags are configured with. For masters.',
    resolve: async (project, _args, context) => ({
      projectId: project.id,
      instanceId: await findInstanceId(context, project),
    }),
  }),
}));
