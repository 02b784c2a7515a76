import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const SETTINGS = '/projects/:id/approvals';
const RULES = '/projects/:id/approval_rules';
const RULE = `${RULES}/:approval_rule_id`;
const OF_MERGE_REQUEST = '/projects/:id/merge_requests/:merge_request_iid/approval_rules';
const ONE = `${OF_MERGE_REQUEST}/:approval_rule_id`;

const numeric = ['approval_rule_id'];
const notFound = { ApprovalRule: '404 Not found' };
/** Reports approve nothing here. */
const constants = { report_type: null };
const settings = {
  selective_code_owner_removals: false,
  require_password_to_approve: false,
  require_reauthentication_to_approve: false,
};
const ofProject = { constants, notFound, precheck: 'read_approval_rule' };
const ofMergeRequest = { constants, notFound, names: { iid: 'merge_request_iid' } };

/** Groups have IDs here. */
const hidden = ['group_paths'];

/** The rules about who has to approve merge requests, of projects and of merge requests. */
export const approvalRules: Route[] = [
  {
    method: 'GET',
    path: SETTINGS,
    operation: operations.ProjectApprovalsDocument,
    result: 'project.approvalSettings',
    constants: settings,
  },
  {
    method: 'POST',
    path: SETTINGS,
    ...mutation(
      'UpdateProjectApprovals',
      'updateApprovalSettings.project.approvalSettings',
      '...ApprovalSettingsRecord',
    ),
    constants: settings,
    precheck: 'admin_approval_rule',
  },
  {
    method: 'GET',
    path: RULES,
    operation: operations.ProjectApprovalRulesDocument,
    result: 'project.approvalRules',
    ...ofProject,
  },
  {
    method: 'POST',
    path: RULES,
    ...mutation('CreateProjectApprovalRule', 'createApprovalRule.approvalRule', '...ApprovalRuleRecord'),
    hidden,
    ...ofProject,
    precheck: 'admin_approval_rule',
    alsoRefuses: [409],
  },
  {
    method: 'GET',
    path: RULE,
    operation: operations.ProjectApprovalRuleDocument,
    result: 'project.approvalRule',
    numeric,
    ...ofProject,
  },
  {
    method: 'PUT',
    path: RULE,
    ...mutation('UpdateProjectApprovalRule', 'updateApprovalRule.approvalRule', '...ApprovalRuleRecord'),
    hidden,
    numeric,
    ...ofProject,
    precheck: 'admin_approval_rule',
    alsoRefuses: [409],
  },
  {
    method: 'DELETE',
    path: RULE,
    ...mutation('DeleteProjectApprovalRule', 'deleteApprovalRule', 'deletedApprovalRuleId'),
    numeric,
    status: 204,
    notFound,
    precheck: 'admin_approval_rule',
  },
  {
    method: 'GET',
    path: OF_MERGE_REQUEST,
    operation: operations.MergeRequestApprovalRulesDocument,
    result: 'project.mergeRequest.approvalRules',
    constants,
  },
  {
    method: 'POST',
    path: OF_MERGE_REQUEST,
    ...mutation(
      'CreateMergeRequestApprovalRule',
      'createMergeRequestApprovalRule.approvalRule',
      '...MergeRequestApprovalRuleRecord',
    ),
    hidden,
    ...ofMergeRequest,
    names: { iid: 'merge_request_iid', source_rule_id: 'approval_project_rule_id' },
    alsoRefuses: [409],
  },
  {
    method: 'GET',
    path: ONE,
    operation: operations.MergeRequestApprovalRuleDocument,
    result: 'project.mergeRequest.approvalRule',
    numeric,
    constants,
    whenNull: { status: 404, message: '404 Not found' },
  },
  {
    method: 'PUT',
    path: ONE,
    ...mutation(
      'UpdateMergeRequestApprovalRule',
      'updateMergeRequestApprovalRule.approvalRule',
      '...MergeRequestApprovalRuleRecord',
    ),
    hidden,
    numeric,
    ...ofMergeRequest,
    alsoRefuses: [409],
  },
  {
    method: 'DELETE',
    path: ONE,
    ...mutation(
      'DeleteMergeRequestApprovalRule',
      'deleteMergeRequestApprovalRule',
      'deletedMergeRequestApprovalRuleId',
    ),
    numeric,
    status: 204,
    ...ofMergeRequest,
    constants: {},
  },
];
