import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const SCOPE = '/projects/:id/job_token_scope';

export const jobTokenScope: Route[] = [
  {
    method: 'GET',
    path: SCOPE,
    operation: operations.JobTokenScopeDocument,
    result: 'project.jobTokenScope',
    // Jobs are limited by the projects that they use alone, not by their own.
    constants: { outbound_enabled: false },
  },
  {
    method: 'PATCH',
    path: SCOPE,
    ...mutation('UpdateJobTokenScope', 'updateJobTokenScope', 'projectId'),
    names: { inbound_enabled: 'enabled' },
    status: 204,
  },
  {
    method: 'GET',
    path: `${SCOPE}/allowlist`,
    operation: operations.JobTokenProjectsDocument,
    result: 'project.jobTokenScope.allowedProjects',
  },
  {
    method: 'GET',
    path: `${SCOPE}/groups_allowlist`,
    operation: operations.JobTokenGroupsDocument,
    result: 'project.jobTokenScope.allowedGroups',
  },
  {
    method: 'POST',
    path: `${SCOPE}/allowlist`,
    operation: operations.AllowJobTokensOfProjectDocument,
    names: { allowed_project: 'target_project_id' },
    hidden: ['allowed_group'],
    required: ['target_project_id'],
    result: 'allowJobTokens',
    numericIds: ['target_project_id'],
  },
  {
    method: 'POST',
    path: `${SCOPE}/groups_allowlist`,
    operation: operations.AllowJobTokensOfGroupDocument,
    names: { allowed_group: 'target_group_id' },
    hidden: ['allowed_project'],
    required: ['target_group_id'],
    result: 'allowJobTokens',
    numericIds: ['target_group_id'],
  },
  {
    method: 'DELETE',
    path: `${SCOPE}/allowlist/:target_project_id`,
    ...mutation('DisallowJobTokensOfProject', 'disallowJobTokens', 'targetId'),
    names: { allowed_project_id: 'target_project_id' },
    hidden: ['allowed_group', 'allowed_group_id', 'allowed_project'],
    status: 204,
    numeric: ['target_project_id'],
  },
  {
    method: 'DELETE',
    path: `${SCOPE}/groups_allowlist/:target_group_id`,
    ...mutation('DisallowJobTokensOfGroup', 'disallowJobTokens', 'targetId'),
    names: { allowed_group_id: 'target_group_id' },
    hidden: ['allowed_group', 'allowed_project', 'allowed_project_id'],
    status: 204,
    numeric: ['target_group_id'],
  },
];
