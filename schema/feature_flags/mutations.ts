import { builder } from '#schema/builder.ts';
import {
  FeatureFlag,
  FeatureFlagStrategyName,
  FeatureFlagsClient,
  FeatureFlagUserList,
  FeatureFlagVersion,
} from '#schema/feature_flags/types.ts';
import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { resetInstanceId } from '#src/domain/feature_flags/client.ts';
import { projectOf } from '#src/domain/feature_flags/holder.ts';
import { changedFlag, changedUserList } from '#src/domain/feature_flags/list.ts';
import { createFlag, deleteFlag, updateFlag } from '#src/domain/feature_flags/save.ts';
import { createUserList, deleteUserList, updateUserList } from '#src/domain/feature_flags/user_lists.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const FeatureFlagReference = builder.inputType('FeatureFlagReference', {
  description: 'A feature flag; by name or number with its project.',
  isOneOf: true,
  fields: (t) => ({
    id: t.field({ ...idOf('FeatureFlag'), description: 'Global or numeric ID of the flag.' }),
    name: t.string({ description: 'Name of the flag.' }),
    iid: t.int({ description: 'Number of the flag within the project.' }),
  }),
});

const FeatureFlagUserListReference = builder.inputType('FeatureFlagUserListReference', {
  description: 'A user list of feature flags; by number with its project.',
  isOneOf: true,
  fields: (t) => ({
    id: t.field({ ...idOf('FeatureFlagUserList'), description: 'Global or numeric ID of the user list.' }),
    iid: t.int({ description: 'Number of the user list within the project.' }),
  }),
});

const FeatureFlagScopeInput = builder.inputType('FeatureFlagScopeInput', {
  description:
    'Environments in which a strategy applies. With an ID, a change to a scope of the strategy, or its removal.',
  fields: (t) => ({
    id: t.field({ ...idOf('FeatureFlagScope'), description: 'Global or numeric ID of the scope to change or remove.' }),
    environmentScope: t.string({
      description:
        'Name of an environment, or a pattern in which each `*` stands for any text; at most 255 characters.',
    }),
    remove: t.boolean({ description: 'Whether to remove the scope with the ID.' }),
  }),
});

const FeatureFlagStrategyInput = builder.inputType('FeatureFlagStrategyInput', {
  description: 'For whom a flag is on. With an ID, a change to a strategy of the flag, or its removal.',
  fields: (t) => ({
    id: t.field({
      ...idOf('FeatureFlagStrategy'),
      description: 'Global or numeric ID of the strategy to change or remove.',
    }),
    name: t.field({ type: FeatureFlagStrategyName, description: 'For whom the flag is on; required without an ID.' }),
    parameters: t.field({ type: 'JSON', description: 'All parameters of the strategy: an object of texts.' }),
    scopes: t.field({
      type: [FeatureFlagScopeInput],
      description:
        'Where the strategy applies, at most 50 scopes; those with an ID are changed or removed, others stay.',
    }),
    userListId: t.field({
      ...idOf('FeatureFlagUserList'),
      description: 'Global or numeric ID of the user list of `GITLAB_USER_LIST`.',
    }),
    remove: t.boolean({ description: 'Whether to remove the strategy with the ID.' }),
  }),
});

const values = (t: InputFields) => ({
  description: t.string({ description: 'What the flag is for, of at most 255 characters.' }),
  active: t.boolean({ description: 'Whether the flag is on where a strategy applies; new flags are.' }),
  strategies: t.field({
    type: [FeatureFlagStrategyInput],
    description:
      'For whom the flag is on, at most 50 strategies; those with an ID are changed or removed, others stay.',
  }),
});

const NAME = 'Name of the flag: 2 to 63 lowercase letters, digits, `_` and `-`; unique within the project.';
const IDS = 'IDs that users have in the application, separated by commas; at most 65,536 characters.';

const flag = (t: InputFields) => ({
  project: holderField(t, 'flag'),
  featureFlag: t.field({ type: FeatureFlagReference, required: true, description: 'The flag, by ID, name or number.' }),
});

const list = (t: InputFields) => ({
  project: holderField(t, 'user list'),
  userList: t.field({
    type: FeatureFlagUserListReference,
    required: true,
    description: 'The user list, by ID or number.',
  }),
});

const flagPayload: Payload<ChangedRecord> = changed('featureFlag', FeatureFlag, 'FeatureFlag', changedFlag, 'flag');
const listPayload: Payload<ChangedRecord> = changed(
  'userList',
  FeatureFlagUserList,
  'FeatureFlagUserList',
  changedUserList,
  'user list',
);

mutation('createFeatureFlag', {
  description: 'Creates a feature flag. For developers.',
  input: {
    description: 'A new feature flag of a project, which has at most 200.',
    argument: 'Name and strategies of the flag.',
    fields: (t) => ({
      project: projectField(t, 'of the flag'),
      name: t.string({ required: true, description: NAME }),
      version: t.field({ type: FeatureFlagVersion, description: 'The kind of the flag, of which there is one.' }),
      ...values(t),
    }),
  },
  resolve: ({ project, version: _version, ...input }, context) => createFlag(context, project, input),
  payload: flagPayload,
});

mutation('updateFeatureFlag', {
  description: 'Changes a feature flag. For developers.',
  input: {
    description: 'Changes to a feature flag. What is left out stays as it is.',
    argument: 'Names the flag, and the changes.',
    fields: (t) => ({ ...flag(t), name: t.string({ description: NAME }), ...values(t) }),
  },
  resolve: async ({ project, featureFlag, ...changes }, context) =>
    updateFlag(context, await projectOf(context, 'FeatureFlag', project, featureFlag), featureFlag, changes),
  payload: flagPayload,
});

mutation('deleteFeatureFlag', {
  description: 'Deletes a feature flag with its strategies. For developers.',
  input: { description: 'Which feature flag to delete.', argument: 'Names the flag to delete.', fields: flag },
  resolve: async ({ project, featureFlag }, context, info) => {
    const of = await projectOf(context, 'FeatureFlag', project, featureFlag);
    const deleted = await deleteFlag(context, of, featureFlag, selectionAt(info, 'FeatureFlag'));
    return { featureFlag: deleted, project: of };
  },
  payload: {
    description: 'The flag that was deleted.',
    from: fromProject,
    fields: (t) => ({
      deletedFeatureFlagId: t.id({
        description: 'Global ID of the flag that was deleted.',
        resolve: ({ featureFlag }) => toGlobalId('FeatureFlag', featureFlag.id),
      }),
      featureFlag: t.expose('featureFlag', { type: FeatureFlag, description: 'The flag as it was before.' }),
    }),
  },
});

mutation('createFeatureFlagUserList', {
  description: 'Creates a list of users for the strategies of feature flags. For developers.',
  input: {
    description: 'A new user list of a project, which has at most 200.',
    argument: 'Name and users of the list.',
    fields: (t) => ({
      project: projectField(t, 'of the user list'),
      name: t.string({ required: true, description: 'Name of the list, unique within the project; at most 255.' }),
      userXids: t.string({ required: true, description: IDS }),
    }),
  },
  resolve: ({ project, ...input }, context) => createUserList(context, project, input),
  payload: listPayload,
});

mutation('updateFeatureFlagUserList', {
  description: 'Changes a list of users for the strategies of feature flags. For developers.',
  input: {
    description: 'Changes to a user list. What is left out stays as it is.',
    argument: 'Names the user list, and the changes.',
    fields: (t) => ({
      ...list(t),
      name: t.string({ description: 'Name of the list, unique within the project; at most 255.' }),
      userXids: t.string({ description: IDS }),
    }),
  },
  resolve: async ({ project, userList, ...changes }, context) =>
    updateUserList(context, await projectOf(context, 'FeatureFlagUserList', project, userList), userList, changes),
  payload: listPayload,
});

mutation('deleteFeatureFlagUserList', {
  description: 'Deletes a list of users. CONFLICT while a strategy names it. For developers.',
  input: { description: 'Which user list to delete.', argument: 'Names the user list to delete.', fields: list },
  resolve: async ({ project, userList }, context) => {
    const of = await projectOf(context, 'FeatureFlagUserList', project, userList);
    return { ...(await deleteUserList(context, of, userList)), project: of };
  },
  payload: { ...deleted('FeatureFlagUserList', 'user list'), from: fromProject },
});

mutation('resetFeatureFlagsInstanceId', {
  description:
    'Gives a project another instance ID for clients of its feature flags, or its first one. Clients with the one before are refused from then on. For masters.',
  input: {
    description: 'Which project gets another instance ID.',
    argument: 'Names the project to reset.',
    fields: (t) => ({ project: projectField(t, 'of the feature flags') }),
  },
  resolve: async ({ project }, context) => {
    const { project: of, instanceId } = await resetInstanceId(context, project);
    return { featureFlagsClient: { projectId: of.id, instanceId } };
  },
  payload: {
    description: 'What clients are configured with from now on.',
    fields: (t) => ({
      featureFlagsClient: t.expose('featureFlagsClient', {
        type: FeatureFlagsClient,
        description: 'What clients are configured with from now on.',
      }),
    }),
  },
});
