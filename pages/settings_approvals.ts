import { type Facts, form } from '#pages/engine/row.ts';
import { inPlace, PLACES } from '#pages/place.ts';
import { confirmPage, settingsPage } from '#pages/settings_frame.ts';
import {
  type ApprovalRuleLineFragment,
  ApprovalRulePageDocument,
  ApprovalsPageDocument,
  SendApprovalRuleChangeDocument,
  SendApprovalRuleDeletionDocument,
  SendApprovalSettingsDocument,
  SendNewApprovalRuleDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** What a project says of approvals besides its rules, in the words of the form. */
const SWITCHES = [
  ['mergeRequestsAuthorApproval', label('Approvals by authors count')],
  [
    'mergeRequestsDisableCommittersApproval',
    label('Approvals by people with commits in the merge request do not count'),
  ],
  ['resetApprovalsOnPush', label('Remove approvals when new commits are pushed')],
  ['disableOverridingApproversPerMergeRequest', label('Merge requests cannot have rules of their own')],
] as const;

const AT = 'settings/approvals';
const common = { kind: 'project', section: 'approvals' } as const;
const toRules = (_data: unknown, { given }: Facts) => inPlace(given, 'settings', 'approvals');
const LISTS = ['usernames', 'groupPaths'];

/** A rule as the fields of its form have it; a new one asks for one approval. */
function fieldsOf(rule: ApprovalRuleLineFragment | null) {
  return {
    name: rule?.name ?? '',
    approvalsRequired: rule?.approvalsRequired ?? 1,
    usernames: rule?.users.map(({ username }) => username).join(', ') ?? '',
    groupPaths: rule?.groups.map(({ fullPath }) => fullPath).join(', ') ?? '',
    appliesToAllProtectedBranches: rule?.appliesToAllProtectedBranches ?? false,
    protectedBranchIds: rule?.protectedBranches.map(({ databaseId }) => String(databaseId)) ?? [],
  };
}

/** A list of boxes of which none is ticked is sent as empty. */
function withBranches(given: Facts['given']): Facts['given'] {
  return { ...given, protectedBranchIds: [given.protectedBranchIds ?? []].flat().filter((id) => id !== '') };
}

const rules = settingsPage({
  ...{ ...common, at: AT, operation: ApprovalsPageDocument, view: 'approvals' },
  may: (place) => place.viewerCanManageApprovalRules,
  title: (_place, { t }) => t('Approval rules'),
  show: (place) => ({
    ...{ rules: place.approvalRules?.nodes ?? [], branches: place.branchProtectionRules.nodes, switches: SWITCHES },
    ...{ settings: place.approvalSettings, before: fieldsOf(null) },
  }),
});

const edit = settingsPage({
  ...{ ...common, at: `${AT}/:id/edit`, operation: ApprovalRulePageDocument, view: 'approval_edit' },
  may: (place) => place.viewerCanManageApprovalRules && place.approvalRule,
  title: ({ approvalRule: rule }, { t }) => t('Edit {name}', { name: rule?.name }),
  show: ({ approvalRule: rule, branchProtectionRules }) => ({
    ...{ rule, branches: branchProtectionRules.nodes, before: fieldsOf(rule ?? null) },
  }),
});

const deletion = confirmPage({
  ...{ ...common, at: `${AT}/:id/delete`, operation: ApprovalRulePageDocument },
  may: (place) => place.viewerCanManageApprovalRules && place.approvalRule,
  ask: ({ approvalRule: rule }, { t }) => ({
    heading: t('Remove {name}?', { name: rule?.name }),
    says: [t('Merge requests no longer need the approvals that the rule asks for.')],
    button: t('Remove'),
    ...{ action: `${AT}/${rule?.databaseId}/delete`, back: AT, isDangerous: true },
  }),
});

const path = `${PLACES.project}/${AT}`;

/** Who has to approve the merge requests of a project. */
export const approvalRulePages = [
  rules,
  form({
    path,
    operation: SendNewApprovalRuleDocument,
    says: label('The rule was added.'),
    goTo: toRules,
    again: rules,
    lists: LISTS,
    variables: withBranches,
  }),
  form({
    path: `${path}/settings`,
    operation: SendApprovalSettingsDocument,
    says: label('The settings are saved.'),
    goTo: toRules,
    again: rules,
  }),
  edit,
  form({
    path: `${path}/:id/edit`,
    operation: SendApprovalRuleChangeDocument,
    says: label('The rule was saved.'),
    goTo: toRules,
    again: edit,
    lists: LISTS,
    variables: withBranches,
  }),
  deletion,
  form({
    path: `${path}/:id/delete`,
    operation: SendApprovalRuleDeletionDocument,
    says: label('The rule was removed.'),
    goTo: toRules,
    asks: deletion,
  }),
];
