import { MergeRequestApprovalRule } from '#schema/approvals/of_merge_requests.ts';
import { APPROVAL_RULE_PARTS, APPROVAL_SETTING_PARTS, ApprovalRule } from '#schema/approvals/types.ts';
import { builder } from '#schema/builder.ts';
import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { mergeRequestPayload, whichMergeRequest } from '#schema/merge_requests/mutations.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf, idsOf } from '#schema/node/plugin.ts';
import { toGlobalId } from '#schema/node/types.ts';
import { fromProject } from '#schema/places/parents.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { MAX_NAMED } from '#src/domain/tracking/approvals/approvers.ts';
import { approvalRulesOf } from '#src/domain/tracking/approvals/find.ts';
import { createApprovalRule, deleteApprovalRule, updateApprovalRule } from '#src/domain/tracking/approvals/save.ts';
import { updateApprovalSettings } from '#src/domain/tracking/approvals/settings.ts';
import type { ApprovalRuleState } from '#src/domain/tracking/approvals/state.ts';
import {
  type ChangedMergeRequestRule,
  createMergeRequestRule,
  deleteMergeRequestRule,
  resetMergeRequestRules,
  updateMergeRequestRule,
} from '#src/domain/tracking/merge_requests/approval_rules.ts';
import { changedMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { NotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

const NewApprovalRuleType = builder.enumType('NewApprovalRuleType', {
  description: 'Whose approvals a new rule is about.',
  values: {
    ANY_APPROVER: {
      value: 'any_approver',
      description: 'Those of all who can approve. There is one such rule at most.',
    },
    REGULAR: { value: 'regular', description: 'Those of the users and groups that it names.' },
  } as const,
});

const whichRule = (t: InputFields) =>
  t.field({ ...idOf('ApprovalRule'), required: true, description: 'Global or numeric ID of the rule.' });

const WHOM = `, up to ${MAX_NAMED}; all of them from now on`;

const approvers = (t: InputFields) => ({
  userIds: t.field({
    ...idsOf('User'),
    description: `IDs of users who can approve: developers of the project${WHOM}, with those of \`usernames\`.`,
  }),
  usernames: t.stringList({ description: `Usernames of users who can approve${WHOM}, with those of \`userIds\`.` }),
  groupIds: t.field({
    ...idsOf('Group'),
    description: `IDs of groups whose direct members can approve, if they are developers of the project${WHOM}. Groups that the caller cannot see stay.`,
  }),
  groupPaths: t.stringList({
    description: `Full paths of groups whose members can approve${WHOM}, with those of \`groupIds\`.`,
  }),
});

const branches = (t: InputFields) => ({
  protectedBranchIds: t.field({
    ...idsOf('BranchProtectionRule'),
    description: `IDs of protected branches that the rule is for${WHOM}. Without any it is for all branches.`,
  }),
  appliesToAllProtectedBranches: t.boolean({ description: APPROVAL_RULE_PARTS.appliesToAllProtectedBranches }),
});

const required = (t: InputFields) => t.int({ required: true, description: APPROVAL_RULE_PARTS.approvalsRequired });
const typeOfNew = (t: InputFields) =>
  t.field({
    type: NewApprovalRuleType,
    description:
      'Whose approvals the rule is about: `REGULAR` if it names somebody, else `ANY_APPROVER`, when left out.',
  });
const changes = (t: InputFields) => ({
  name: t.string({ description: APPROVAL_RULE_PARTS.name }),
  approvalsRequired: t.int({ description: APPROVAL_RULE_PARTS.approvalsRequired }),
  ...approvers(t),
  removeHiddenGroups: t.boolean({
    description: 'Whether groups that the caller cannot see are removed, where `groupIds` is given.',
  }),
});

const rulePayload: Payload<ChangedRecord> = changed(
  'approvalRule',
  ApprovalRule,
  'ApprovalRule',
  approvalRulesOf.changed,
);

mutation('createApprovalRule', {
  description:
    'Adds a rule to a project about who has to approve its merge requests. For masters. CONFLICT if there is one with the name, or one for any approver already.',
  input: {
    description: 'A new approval rule.',
    argument: 'Project of the rule, whose approvals it asks for, and how many.',
    fields: (t) => ({
      project: projectField(t, 'whose merge requests the rule is about'),
      name: t.string({ required: true, description: APPROVAL_RULE_PARTS.name }),
      approvalsRequired: required(t),
      ruleType: typeOfNew(t),
      ...approvers(t),
      ...branches(t),
    }),
  },
  resolve: ({ project, ...input }, context) => createApprovalRule(context, project, input),
  payload: rulePayload,
});

mutation('updateApprovalRule', {
  description: 'Changes an approval rule of a project. For masters. CONFLICT if there is another one with the name.',
  input: {
    description: 'Changes to an approval rule. What is left out stays as it is.',
    argument: 'Names the rule, and the changes.',
    fields: (t) => ({
      project: holderField(t, 'rule'),
      id: whichRule(t),
      ...changes(t),
      ...branches(t),
    }),
  },
  resolve: async ({ project, id, ...input }, context) =>
    updateApprovalRule(context, await projectHolding(context, 'ApprovalRule', { id, project }), id, input),
  payload: rulePayload,
});

mutation('deleteApprovalRule', {
  description: 'Removes an approval rule from a project. For masters.',
  input: {
    description: 'Which approval rule to remove.',
    argument: 'Names the rule to remove.',
    fields: (t) => ({ project: holderField(t, 'rule'), id: whichRule(t) }),
  },
  resolve: async ({ project, id }, context) => {
    const holder = await projectHolding(context, 'ApprovalRule', { id, project });
    return { project: holder, ...(await deleteApprovalRule(context, holder, id)) };
  },
  payload: { ...deleted('ApprovalRule', 'approval rule'), from: fromProject },
});

mutation('updateApprovalSettings', {
  description: 'Changes what a project says of approvals besides its rules. For masters.',
  input: {
    description: 'Changes to the settings. What is left out stays as it is.',
    argument: 'Names the project, and the changes.',
    fields: (t) => ({
      project: projectField(t, 'whose merge requests the settings are about'),
      disableOverridingApproversPerMergeRequest: t.boolean({
        description: APPROVAL_SETTING_PARTS.disableOverridingApproversPerMergeRequest,
      }),
      mergeRequestsAuthorApproval: t.boolean({ description: APPROVAL_SETTING_PARTS.mergeRequestsAuthorApproval }),
      mergeRequestsDisableCommittersApproval: t.boolean({
        description: APPROVAL_SETTING_PARTS.mergeRequestsDisableCommittersApproval,
      }),
      resetApprovalsOnPush: t.boolean({ description: APPROVAL_SETTING_PARTS.resetApprovalsOnPush }),
      approvalsBeforeMerge: t.int({
        description: 'How many approvals anybody has to give: changes the rule for any approver, or makes one.',
      }),
    }),
  },
  resolve: ({ project, ...settings }, context) => updateApprovalSettings(context, project, settings),
  payload: {
    description: 'The project with the settings as they are now.',
    fields: (t) => ({
      project: t.field({
        type: Project,
        description: 'The project, with what it says of approvals.',
        resolve: ({ projectId }, _args, context, info) => requireProject(context, info, projectId),
      }),
    }),
  },
});

const RULES = select('MergeRequest', { approvalRuleStates: true });

const mergeRequestField = (
  t: PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, ChangedMergeRequestRule>,
) => ({
  mergeRequest: t.field({
    type: MergeRequest,
    description: 'The merge request as it is now.',
    resolve: ({ mergeRequest }, _args, context, info) =>
      changedMergeRequest(context, mergeRequest, selectionAt(info, 'MergeRequest')),
  }),
});

const ofMergeRequest: Payload<ChangedMergeRequestRule> = {
  description: 'The approval rule after the mutation.',
  fields: (t) => ({
    approvalRule: t.field({
      type: MergeRequestApprovalRule,
      description: 'The rule as it is now.',
      resolve: async ({ mergeRequest, ruleId }, _args, context) => {
        const { approvalRuleStates } = await changedMergeRequest(context, mergeRequest, RULES);
        const found = (approvalRuleStates as ApprovalRuleState[]).find(({ id }) => id === ruleId);
        if (!found) throw new NotFound('ApprovalRule');
        return found;
      },
    }),
    ...mergeRequestField(t),
  }),
};

const FOR_WHOM =
  'For developers of the target project, while the merge request is open and the project lets its rules be overridden.';

mutation('createMergeRequestApprovalRule', {
  description: `Adds an approval rule to a merge request. The first change of its rules copies those of the project, which do not hold for it from then on. ${FOR_WHOM}`,
  input: {
    description: 'A new approval rule of a merge request.',
    argument: 'Names the merge request, whose approvals the rule asks for, and how many.',
    fields: (t) => ({
      ...whichMergeRequest(t),
      name: t.string({ description: `${APPROVAL_RULE_PARTS.name} Needed unless there is a source rule.` }),
      approvalsRequired: required(t),
      ruleType: typeOfNew(t),
      sourceRuleId: t.field({
        ...idOf('ApprovalRule'),
        description: 'ID of a rule of the project to copy: name and approvers are those of that rule.',
      }),
      ...approvers(t),
    }),
  },
  resolve: ({ project, iid, ...input }, context) => createMergeRequestRule(context, project, iid, input),
  payload: ofMergeRequest,
});

mutation('updateMergeRequestApprovalRule', {
  description: `Changes an approval rule of a merge request, or one of its project for the merge request alone. ${FOR_WHOM}`,
  input: {
    description: 'Changes to an approval rule of a merge request. What is left out stays as it is.',
    argument: 'Names the merge request and the rule, and the changes.',
    fields: (t) => ({ ...whichMergeRequest(t), id: whichRule(t), ...changes(t) }),
  },
  resolve: ({ project, iid, id, ...input }, context) => updateMergeRequestRule(context, project, iid, id, input),
  payload: ofMergeRequest,
});

mutation('deleteMergeRequestApprovalRule', {
  description: `Removes an approval rule from a merge request; its project keeps its own. ${FOR_WHOM}`,
  input: {
    description: 'Which approval rule of a merge request to remove.',
    argument: 'Names the merge request and the rule.',
    fields: (t) => ({ ...whichMergeRequest(t), id: whichRule(t) }),
  },
  resolve: ({ project, iid, id }, context) => deleteMergeRequestRule(context, project, iid, id),
  payload: {
    from: fromProject,
    description: 'The approval rule that was removed.',
    fields: (t) => ({
      deletedMergeRequestApprovalRuleId: t.id({
        description: 'Global ID of the approval rule that was removed.',
        resolve: ({ ruleId }) => toGlobalId('ApprovalRule', ruleId),
      }),
      ...mergeRequestField(t),
    }),
  },
});

mutation('resetMergeRequestApprovalRules', {
  description: `Removes all approval rules of a merge request itself: those of the project hold again. ${FOR_WHOM}`,
  input: {
    description: 'Which merge request to give the rules of its project.',
    argument: 'Names the merge request.',
    fields: whichMergeRequest,
  },
  resolve: ({ project, iid }, context) => resetMergeRequestRules(context, project, iid),
  payload: mergeRequestPayload,
});
