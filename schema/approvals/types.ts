import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { approvalRuleFilter } from '#schema/filters.ts';
import { groupOf } from '#schema/groups/group_of.ts';
import { Group } from '#schema/groups/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { approvalRuleOrder } from '#schema/orders.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { Project } from '#schema/projects/types.ts';
import { BranchProtectionRule } from '#schema/protections/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import { userBelow } from '#schema/users/user_below.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { eligibleApprovers, MAX_ELIGIBLE, type RuleKey } from '#src/domain/tracking/approvals/eligible.ts';
import { approvalRulesOf } from '#src/domain/tracking/approvals/find.ts';
import { MAX_APPROVALS } from '#src/domain/tracking/approvals/values.ts';

export const ApprovalRuleType = builder.enumType('ApprovalRuleType', {
  description: 'Whose approvals a rule is about.',
  values: {
    ANY_APPROVER: { value: 'any_approver', description: 'Those of all who can approve.' },
    REGULAR: {
      value: 'regular',
      description: 'Those of the users, and the direct members of the groups, that it names.',
    },
    CODE_OWNER: {
      value: 'code_owner',
      description: 'Those of the owners that an entry of the file `CODEOWNERS` names for files which are changed.',
    },
  } as const,
});

/** What each part of a rule is, for its fields and inputs. */
export const APPROVAL_RULE_PARTS = {
  name: 'Name of the rule; at most 255 characters.',
  approvalsRequired: `How many approvals a merge needs: 0 to ${MAX_APPROVALS}.`,
  appliesToAllProtectedBranches: 'Whether the rule is for all protected branches, and for no others.',
} as const;

/** Users in the order of their IDs, those that the caller may see. */
export async function usersBelow(context: GraphQLContext, info: GraphQLResolveInfo, ids: readonly number[]) {
  const users = await Promise.all(ids.map((id) => userBelow(context, info, id)));
  return users.filter((user) => user !== null);
}

/** Groups in the order of their IDs, those that the caller may see. */
export async function groupsBelow(context: GraphQLContext, info: GraphQLResolveInfo, ids: readonly number[]) {
  const groups = await Promise.all(ids.map((id) => groupOf(context, info, id)));
  return groups.filter((group) => group !== null);
}

/** Whether the caller sees not all groups. */
export async function hidesGroups({ loaders }: GraphQLContext, ids: readonly number[]): Promise<boolean> {
  return (await Promise.all(ids.map((id) => loaders.group.load(id)))).includes(null);
}

/** The users whose approvals count for a rule, read together for all rules of a list. */
export function eligibleFor(context: GraphQLContext, info: GraphQLResolveInfo, key: RuleKey): Promise<number[]> {
  const load = (keys: readonly RuleKey[]) => eligibleApprovers(context, keys);
  return loaderAt(context, info, { key: 'eligible' }, load, { cache: false }).load(key);
}

export const ELIGIBLE = `The users whose approvals count for the rule, up to ${MAX_ELIGIBLE}; none for a rule that is for anybody. Members of groups that the caller cannot see are left out.`;

const IDS = { groups: { select: { groupId: true } } } as const;

export const ApprovalRule = builder.prismaObject('ApprovalRule', {
  description:
    'A rule of a project about who has to approve its merge requests. Approvals count while those who gave them are developers of the project.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({ description: 'Global ID of the rule.', resolve: ({ id }) => toGlobalId('ApprovalRule', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the rule, as the REST API has it.' }),
    project: t.field(ownProject),
    name: t.exposeString('name', { description: APPROVAL_RULE_PARTS.name }),
    ruleType: t.expose('ruleType', { type: ApprovalRuleType, description: 'Whose approvals the rule is about.' }),
    approvalsRequired: t.exposeInt('approvalsRequired', { description: APPROVAL_RULE_PARTS.approvalsRequired }),
    users: t.field({
      type: [User],
      description: 'The users that the rule names.',
      ...viaRelation('users', 'user'),
    }),
    groups: t.field({
      type: [Group],
      description: 'The groups that the rule names, of which the caller sees these. Their direct members can approve.',
      select: IDS,
      resolve: ({ groups }, _args, context, info) =>
        groupsBelow(
          context,
          info,
          groups.map(({ groupId }) => groupId),
        ),
    }),
    containsHiddenGroups: t.boolean({
      description: 'Whether the rule names groups that the caller cannot see.',
      select: IDS,
      resolve: ({ groups }, _args, context) =>
        hidesGroups(
          context,
          groups.map(({ groupId }) => groupId),
        ),
    }),
    eligibleApprovers: t.field({
      type: [User],
      description: ELIGIBLE,
      select: { id: true },
      resolve: async ({ id }, _args, context, info) =>
        usersBelow(context, info, await eligibleFor(context, info, { ruleId: id, mergeRequestId: null })),
    }),
    appliesToAllProtectedBranches: t.exposeBoolean('appliesToAllProtectedBranches', {
      description: APPROVAL_RULE_PARTS.appliesToAllProtectedBranches,
    }),
    protectedBranches: t.field({
      type: [BranchProtectionRule],
      description: 'The protected branches that the rule is for; all branches if there are none.',
      ...viaRelation('branches', 'protectedBranch'),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the rule was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the rule was last changed.' }),
  }),
});

const ApprovalRuleConnection = connectionOf('ApprovalRule', ApprovalRule);

/** What each setting says, for its fields and inputs. */
export const APPROVAL_SETTING_PARTS = {
  disableOverridingApproversPerMergeRequest:
    'Whether merge requests cannot have approval rules of their own in place of those of the project.',
  mergeRequestsAuthorApproval: 'Whether the approvals of authors of merge requests count for rules.',
  mergeRequestsDisableCommittersApproval:
    'Whether the approvals of users who have commits in a merge request do not count for rules.',
  resetApprovalsOnPush: 'Whether new commits that change a merge request take its approvals back.',
  approvalsBeforeMerge: 'How many approvals the rule for any approver asks for; 0 without one.',
} as const;

interface Settings {
  disableOverridingApproversPerMergeRequest: boolean;
  mergeRequestsAuthorApproval: boolean;
  mergeRequestsDisableCommittersApproval: boolean;
  resetApprovalsOnPush: boolean;
  approvalsBeforeMerge: number;
}

const ApprovalSettings = builder.objectRef<Settings>('ApprovalSettings').implement({
  description: 'What a project says of the approvals of its merge requests, besides its rules.',
  fields: (t) => ({
    disableOverridingApproversPerMergeRequest: t.exposeBoolean('disableOverridingApproversPerMergeRequest', {
      description: APPROVAL_SETTING_PARTS.disableOverridingApproversPerMergeRequest,
    }),
    mergeRequestsAuthorApproval: t.exposeBoolean('mergeRequestsAuthorApproval', {
      description: APPROVAL_SETTING_PARTS.mergeRequestsAuthorApproval,
    }),
    mergeRequestsDisableCommittersApproval: t.exposeBoolean('mergeRequestsDisableCommittersApproval', {
      description: APPROVAL_SETTING_PARTS.mergeRequestsDisableCommittersApproval,
    }),
    resetApprovalsOnPush: t.exposeBoolean('resetApprovalsOnPush', {
      description: APPROVAL_SETTING_PARTS.resetApprovalsOnPush,
    }),
    approvalsBeforeMerge: t.exposeInt('approvalsBeforeMerge', {
      description: APPROVAL_SETTING_PARTS.approvalsBeforeMerge,
    }),
  }),
});

builder.prismaObjectFields(Project, (t) => ({
  approvalSettings: t.field({
    type: ApprovalSettings,
    nullable: true,
    description: 'What the project says of approvals besides its rules. For reporters.',
    select: {
      disableOverridingApproversPerMergeRequest: true,
      mergeRequestsAuthorApproval: true,
      mergeRequestsDisableCommittersApproval: true,
      resetApprovalsOnPush: true,
      approvalsBeforeMerge: true,
    },
    resolve: async (project, _args, context) => {
      authorize(context.actor, 'read_approval_rule', project);
      return project;
    },
  }),
}));

builder.objectFields(Project, (t) => ({
  approvalRules: t.field({
    type: ApprovalRuleConnection,
    nullable: true,
    description: 'The approval rules of the project, for reporters.',
    args: { ...pageArgs, ...approvalRuleFilter, ...approvalRuleOrder('ID', 'asc') },
    resolve: (project, args, context, info) =>
      pageBelow('ApprovalRule', project, args, context, info, (_context, projects, page, selection) =>
        approvalRulesOf.list(context, projects, page, selection),
      ),
  }),
  approvalRule: t.field({
    type: ApprovalRule,
    description: 'The approval rule of the project with that ID. For reporters.',
    args: {
      id: t.arg({ ...idOf('ApprovalRule'), required: true, description: 'Global or numeric ID of the rule.' }),
    },
    resolve: (project, { id }, context, info) =>
      approvalRulesOf.find(context, project, id, selectionAt(info, 'ApprovalRule')),
  }),
}));
