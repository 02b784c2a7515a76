import { builder } from '#schema/builder.ts';
import { type InputFields, projectField } from '#schema/inputs.ts';
import { changed, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import { BranchProtectionRule, ProtectionAccessLevel, TagProtectionRule } from '#schema/protections/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import {
  createBranchProtectionRule,
  deleteBranchProtectionRule,
  updateBranchProtectionRule,
} from '#src/domain/repository/protections/branches.ts';
import { branchProtectionRules, tagProtectionRules } from '#src/domain/repository/protections/list.ts';
import { createTagProtectionRule, deleteTagProtectionRule } from '#src/domain/repository/protections/tags.ts';

const ProtectionLevelInput = builder.inputType('ProtectionLevelInput', {
  description:
    'Whom to let do something: an access level or a deploy key. With an ID, a change to the level that the protection has, or its removal.',
  fields: (t) => ({
    id: t.field({
      ...idOf('ProtectionLevel'),
      description: 'Global or numeric ID of a level that the protection has, to change or remove it.',
    }),
    accessLevel: t.field({ type: ProtectionAccessLevel, description: 'The access level from which on users may.' }),
    deployKeyId: t.field({
      ...idOf('DeployKey'),
      description: 'Global or numeric ID of a deploy key of the project that can push.',
    }),
    userId: t.field({ ...idOf('User'), description: 'ID of a user, which is refused: users cannot be named here.' }),
    groupId: t.field({
      ...idOf('Group'),
      description: 'ID of a group, which is refused: groups cannot be named here.',
    }),
    remove: t.boolean({ description: 'Whether to remove the level with the ID.' }),
  }),
});

const name = (t: InputFields) =>
  t.string({ required: true, description: 'Name of the protection: of a branch or tag, or a pattern with `*`.' });

const levels = (t: InputFields, whom: string) =>
  t.field({ type: [ProtectionLevelInput], description: `${whom}, each of which is enough.` });

const level = (t: InputFields, what: string) =>
  t.field({
    type: ProtectionAccessLevel,
    description: `${what}. Masters when neither this nor the list of levels is given.`,
  });

const branchLevels = (t: InputFields) => ({
  allowForcePush: t.boolean({ description: 'Whether those who may push may also drop commits (force push).' }),
  codeOwnerApprovalRequired: t.boolean({
    description: 'Whether code owners have to approve merge requests that change their files.',
  }),
  allowedToPush: levels(t, 'Who may push to the branches'),
  allowedToMerge: levels(t, 'Who may merge into the branches'),
  allowedToUnprotect: levels(t, 'Who of the masters may change and remove the protection'),
});

const branchProtectionRulePayload: Payload<ChangedRecord> = changed(
  'branchProtectionRule',
  BranchProtectionRule,
  'ProtectedBranch',
  branchProtectionRules.changed,
  'protection',
);

mutation('createBranchProtectionRule', {
  description: 'Protects the branches with a name, or of a pattern. For masters of the project.',
  input: {
    description: 'A new protection of the branches with a name, or of a pattern.',
    argument: 'Name and levels of the rule.',
    fields: (t) => ({
      project: projectField(t, 'of the branches'),
      name: name(t),
      pushAccessLevel: level(t, 'The level from which on users may push'),
      mergeAccessLevel: level(t, 'The level from which on users may merge'),
      unprotectAccessLevel: level(t, 'The level from which on masters may change and remove the protection'),
      ...branchLevels(t),
    }),
  },
  resolve: ({ project, ...input }, context) => createBranchProtectionRule(context, project, input),
  payload: branchProtectionRulePayload,
});

mutation('updateBranchProtectionRule', {
  description: 'Changes a protection of branches. For masters whom it lets unprotect.',
  input: {
    description:
      'Changes to a protection. Levels with an ID are changed or removed, those without are added, and the others stay.',
    argument: 'Names the protection, and the changes.',
    fields: (t) => ({ project: projectField(t, 'of the branches'), name: name(t), ...branchLevels(t) }),
  },
  resolve: ({ project, name, ...changes }, context) => updateBranchProtectionRule(context, project, name, changes),
  payload: branchProtectionRulePayload,
});

mutation('deleteBranchProtectionRule', {
  description: 'Removes a protection of branches; another may still match them. For masters whom it lets unprotect.',
  input: {
    description: 'Which protection of branches to remove.',
    argument: 'Names the protection to remove.',
    fields: (t) => ({ project: projectField(t, 'of the branches'), name: name(t) }),
  },
  resolve: async ({ project, name }, context) => {
    await deleteBranchProtectionRule(context, project, name);
    return { name };
  },
  payload: {
    from: fromProject,
    description: 'The protection that was removed.',
    fields: (t) => ({
      deletedBranchProtectionRuleName: t.exposeString('name', {
        description: 'Name of the protection that was removed.',
      }),
    }),
  },
});

mutation('createTagProtectionRule', {
  description: 'Protects the tags with a name, or of a pattern. For masters of the project.',
  input: {
    description: 'A new protection of the tags with a name, or of a pattern.',
    argument: 'Name and levels of the rule.',
    fields: (t) => ({
      project: projectField(t, 'of the tags'),
      name: name(t),
      createAccessLevel: level(t, 'The level from which on users may create the tags'),
      allowedToCreate: levels(t, 'Who may create the tags'),
    }),
  },
  resolve: ({ project, ...input }, context) => createTagProtectionRule(context, project, input),
  payload: {
    description: 'The protection that was created.',
    fields: (t) => ({
      tagProtectionRule: t.field({
        type: TagProtectionRule,
        description: 'The protection as it is now.',
        resolve: (changed, _args, context, info) =>
          tagProtectionRules.changed(context, changed, selectionAt(info, 'ProtectedTag')),
      }),
    }),
  },
});

mutation('deleteTagProtectionRule', {
  description: 'Removes a protection of tags; another may still match them. For masters of the project.',
  input: {
    description: 'Which protection of tags to remove.',
    argument: 'Names the protection to remove.',
    fields: (t) => ({ project: projectField(t, 'of the tags'), name: name(t) }),
  },
  resolve: async ({ project, name }, context) => {
    await deleteTagProtectionRule(context, project, name);
    return { name };
  },
  payload: {
    from: fromProject,
    description: 'The protection that was removed.',
    fields: (t) => ({
      deletedTagProtectionRuleName: t.exposeString('name', { description: 'Name of the protection that was removed.' }),
    }),
  },
});
