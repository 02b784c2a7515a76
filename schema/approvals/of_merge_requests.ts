import {
  APPROVAL_RULE_PARTS,
  ApprovalRule,
  ApprovalRuleType,
  ELIGIBLE,
  eligibleFor,
  groupsBelow,
  hidesGroups,
  usersBelow,
} from '#schema/approvals/types.ts';
import { builder } from '#schema/builder.ts';
import { AccessLevel } from '#schema/enums.ts';
import { Group } from '#schema/groups/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { approvalRulesOf } from '#src/domain/tracking/approvals/find.ts';
import type { ApprovalRuleState } from '#src/domain/tracking/approvals/state.ts';

const isLacking = ({ approvalsRequired, approvedBy }: ApprovalRuleState) => approvedBy.length < approvalsRequired;
const keyOf = ({ id, mergeRequestId }: ApprovalRuleState) => ({ ruleId: id, mergeRequestId });

export const MergeRequestApprovalRule = builder.objectRef<ApprovalRuleState>('MergeRequestApprovalRule').implement({
  description:
    'A rule about who has to approve a merge request: one of its project, one of its own in place of these, or one of code owners.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the rule, as the REST API has it.' }),
    name: t.exposeString('name', {
      description: 'Name of the rule; of one of code owners the pattern that files match.',
    }),
    ruleType: t.expose('ruleType', { type: ApprovalRuleType, description: 'Whose approvals the rule is about.' }),
    section: t.exposeString('section', {
      nullable: true,
      description: 'The section of the file `CODEOWNERS` that the rule comes from; null for other rules.',
    }),
    approvalsRequired: t.exposeInt('approvalsRequired', {
      description: `${APPROVAL_RULE_PARTS.approvalsRequired} Code owners of branches that do not ask for them are 0.`,
    }),
    approvalsLeft: t.int({
      description: 'How many of these approvals are missing.',
      resolve: ({ approvalsRequired, approvedBy }) => Math.max(approvalsRequired - approvedBy.length, 0),
    }),
    approved: t.boolean({
      description: 'Whether the rule has the approvals that it asks for.',
      resolve: ({ approvalsRequired, approvedBy }) => approvedBy.length >= approvalsRequired,
    }),
    approvedBy: t.field({
      type: [User],
      description: 'The users whose approvals count for the rule now, in the order in which they gave them.',
      resolve: ({ approvedBy }, _args, context, info) => usersBelow(context, info, approvedBy),
    }),
    users: t.field({
      type: [User],
      description: 'The users that the rule names.',
      resolve: ({ userIds }, _args, context, info) => usersBelow(context, info, userIds),
    }),
    groups: t.field({
      type: [Group],
      description: 'The groups that the rule names, of which the caller sees these. Their direct members can approve.',
      resolve: ({ groupIds }, _args, context, info) => groupsBelow(context, info, groupIds),
    }),
    roles: t.expose('roles', {
      type: [AccessLevel],
      description:
        'The roles that the rule names, as code owners such as `@@developers`: members of the project with exactly these can approve.',
    }),
    containsHiddenGroups: t.boolean({
      description: 'Whether the rule names groups that the caller cannot see.',
      resolve: ({ groupIds }, _args, context) => hidesGroups(context, groupIds),
    }),
    eligibleApprovers: t.field({
      type: [User],
      description: ELIGIBLE,
      resolve: async (rule, _args, context, info) =>
        usersBelow(context, info, await eligibleFor(context, info, keyOf(rule))),
    }),
    sourceRule: t.field({
      type: ApprovalRule,
      nullable: true,
      description:
        'The rule of the project that the rule was copied from; null for others, and for callers who cannot read it.',
      resolve: ({ sourceRuleId }, _args, context, info) => {
        if (sourceRuleId === null || context.actor === null) return null;
        const selection = selectionAt(info, 'ApprovalRule');
        const projectOf = (id: number) => context.loaders.project.load(id);
        return loaderAt(context, info, selection, async (ids: readonly number[]) => {
          const found = await approvalRulesOf.findByIds(context, ids, selection, projectOf);
          const byId = new Map(found.map((rule) => [rule.id, rule]));
          return ids.map((id) => byId.get(id) ?? null);
        }).load(sourceRuleId);
      },
    }),
    overridden: t.exposeBoolean('overridden', {
      description: 'Whether the rule differs from the one of the project that it was copied from.',
    }),
  }),
});

builder.prismaObjectFields(MergeRequest, (t) => ({
  approvalRules: t.field({
    type: [MergeRequestApprovalRule],
    description:
      'The rules about who has to approve the merge request: its own or those of the project for its target branch, then those of code owners.',
    args: { lacking: t.arg.boolean({ description: 'Only rules that lack approvals, or only others.' }) },
    select: { approvalRuleStates: true },
    resolve: ({ approvalRuleStates }, { lacking }) =>
      (approvalRuleStates as ApprovalRuleState[]).filter((rule) => lacking == null || isLacking(rule) === lacking),
  }),
  approvalRule: t.field({
    type: MergeRequestApprovalRule,
    nullable: true,
    description:
      'The one of `approvalRules` with that ID, or that was copied from the rule with that ID; null without one.',
    args: {
      id: t.arg({ ...idOf('ApprovalRule'), required: true, description: 'Global or numeric ID of the rule.' }),
    },
    select: { approvalRuleStates: true },
    resolve: ({ approvalRuleStates }, { id }) =>
      (approvalRuleStates as ApprovalRuleState[]).find((rule) => rule.id === id || rule.sourceRuleId === id) ?? null,
  }),
  hasApprovalRules: t.exposeBoolean('hasApprovalRules', {
    description: 'Whether any rule is about the merge request, even one that asks for no approval.',
  }),
  approvalRulesOverwritten: t.exposeBoolean('hasOwnApprovalRules', {
    description: 'Whether rules of its own hold in place of those of the project.',
  }),
  suggestedApprovers: t.field({
    type: [User],
    description: 'Users whose approvals would count for rules that lack some, and who have not approved yet.',
    select: { approvalRuleStates: true },
    resolve: async ({ approvalRuleStates }, _args, context, info) => {
      const rules = (approvalRuleStates as ApprovalRuleState[]).filter(isLacking);
      const given = new Set(rules.flatMap(({ approvedBy }) => approvedBy));
      const eligible = await Promise.all(rules.map((rule) => eligibleFor(context, info, keyOf(rule))));
      return usersBelow(
        context,
        info,
        [...new Set(eligible.flat())].filter((id) => !given.has(id)),
      );
    },
  }),
  viewerCanManageApprovalRules: t.boolean({
    description: 'Whether the caller can give the merge request approval rules of its own.',
    select: {
      targetProjectId: true,
      state: true,
      targetProject: { select: { disableOverridingApproversPerMergeRequest: true } },
    },
    resolve: async ({ targetProjectId, state, targetProject }, _args, context) => {
      if (state !== 'opened' || targetProject.disableOverridingApproversPerMergeRequest) return false;
      return can(context.actor, 'update_merge_request', await requireProjectBase(context, targetProjectId));
    },
  }),
}));
