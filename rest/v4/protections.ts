import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const BRANCHES = '/projects/:id/protected_branches';
const TAGS = '/projects/:id/protected_tags';
/** Groups have no protections of their own. */
const constants = { inherited: false };
const notFound = {
  BranchProtectionRule: '404 Not found',
  TagProtectionRule: '404 Not found',
  AccessLevel: '404 Not found',
};
const common = { notFound, slashes: ['name'] };

export const protections: Route[] = [
  {
    method: 'GET',
    path: BRANCHES,
    operation: operations.ProtectedBranchesDocument,
    result: 'project.branchProtectionRules',
    constants,
    auth: 'optional',
    precheck: 'read_repository',
  },
  {
    method: 'GET',
    path: `${BRANCHES}/:name`,
    operation: operations.ProtectedBranchDocument,
    result: 'project.branchProtectionRule',
    constants,
    auth: 'optional',
    precheck: 'read_repository',
    ...common,
  },
  {
    method: 'POST',
    path: BRANCHES,
    ...mutation(
      'CreateProtectedBranch',
      'createBranchProtectionRule.branchProtectionRule',
      '...BranchProtectionRuleRecord',
    ),
    constants,
    precheck: 'admin_protected_branch',
    allowed: { unprotect_access_level: [30, 40, 60] },
    alsoRefuses: [409, 422],
  },
  {
    method: 'PATCH',
    path: `${BRANCHES}/:name`,
    ...mutation(
      'UpdateProtectedBranch',
      'updateBranchProtectionRule.branchProtectionRule',
      '...BranchProtectionRuleRecord',
    ),
    constants,
    precheck: 'admin_protected_branch',
    ...common,
    alsoRefuses: [422],
  },
  {
    method: 'DELETE',
    path: `${BRANCHES}/:name`,
    ...mutation('DeleteProtectedBranch', 'deleteBranchProtectionRule', 'deletedBranchProtectionRuleName'),
    precheck: 'admin_protected_branch',
    status: 204,
    ...common,
  },
  {
    method: 'GET',
    path: TAGS,
    operation: operations.ProtectedTagsDocument,
    result: 'project.tagProtectionRules',
    precheck: 'admin_protected_tag',
  },
  {
    method: 'GET',
    path: `${TAGS}/:name`,
    operation: operations.ProtectedTagDocument,
    result: 'project.tagProtectionRule',
    precheck: 'admin_protected_tag',
    ...common,
  },
  {
    method: 'POST',
    path: TAGS,
    ...mutation('CreateProtectedTag', 'createTagProtectionRule.tagProtectionRule', '...TagProtectionRuleRecord'),
    precheck: 'admin_protected_tag',
    allowed: { create_access_level: [0, 30, 40] },
    alsoRefuses: [422],
  },
  {
    method: 'DELETE',
    path: `${TAGS}/:name`,
    ...mutation('DeleteProtectedTag', 'deleteTagProtectionRule', 'deletedTagProtectionRuleName'),
    precheck: 'admin_protected_tag',
    status: 204,
    ...common,
  },
];
