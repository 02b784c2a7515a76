import type { Route } from '#rest/engine/route.ts';
import { ofForks } from '#rest/v4/merge_requests.ts';
import * as operations from '#src/generated/operations.ts';

const changes = ['title', 'description', 'start_date', 'due_date', 'state_event'];
const filters = { allOrNone: ['start_date', 'end_date'], aliases: { include_parent_milestones: 'include_ancestors' } };
const ofGroup = '/groups/:id/milestones';
const one = `${ofGroup}/:milestone_id`;

export const milestones: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/milestones',
    operation: operations.ProjectMilestonesDocument,
    result: 'project.milestones',
    ...filters,
  },
  {
    method: 'GET',
    path: '/projects/:id/milestones/:milestone_id',
    operation: operations.ProjectMilestoneDocument,
    result: 'project.milestone',
  },
  {
    method: 'POST',
    path: '/projects/:id/milestones',
    operation: operations.CreateMilestoneDocument,
    result: 'createMilestone.milestone',
    validationPrefix: 'Failed to create milestone',
  },
  {
    method: 'PUT',
    path: '/projects/:id/milestones/:milestone_id',
    operation: operations.UpdateMilestoneDocument,
    result: 'updateMilestone.milestone',
    atLeastOne: changes,
    validationPrefix: 'Failed to update milestone',
  },
  {
    method: 'GET',
    path: '/projects/:id/milestones/:milestone_id/issues',
    operation: operations.MilestoneIssuesDocument,
    result: 'project.milestone.issues',
  },
  {
    method: 'GET',
    path: '/projects/:id/milestones/:milestone_id/merge_requests',
    operation: operations.MilestoneMergeRequestsDocument,
    result: 'project.milestone.mergeRequests',
    omitNull: ofForks(),
  },
  {
    method: 'DELETE',
    path: '/projects/:id/milestones/:milestone_id',
    operation: operations.DeleteMilestoneDocument,
    result: 'deleteMilestone',
    status: 204,
  },
  {
    method: 'POST',
    path: '/projects/:id/milestones/:milestone_id/promote',
    operation: operations.PromoteMilestoneDocument,
    result: 'promoteMilestone.milestone',
    status: 200,
  },
  {
    method: 'GET',
    path: ofGroup,
    operation: operations.GroupMilestonesDocument,
    result: 'group.milestones',
    ...filters,
  },
  { method: 'GET', path: one, operation: operations.GroupMilestoneDocument, result: 'group.milestone' },
  {
    method: 'POST',
    path: ofGroup,
    operation: operations.CreateGroupMilestoneDocument,
    result: 'createMilestone.milestone',
    validationPrefix: 'Failed to create milestone',
  },
  {
    method: 'PUT',
    path: one,
    operation: operations.UpdateGroupMilestoneDocument,
    result: 'updateMilestone.milestone',
    atLeastOne: changes,
    validationPrefix: 'Failed to update milestone',
  },
  {
    method: 'DELETE',
    path: one,
    operation: operations.DeleteGroupMilestoneDocument,
    result: 'deleteMilestone',
    status: 204,
  },
  {
    method: 'GET',
    path: `${one}/issues`,
    operation: operations.GroupMilestoneIssuesDocument,
    result: 'group.milestone.issues',
  },
  {
    method: 'GET',
    path: `${one}/merge_requests`,
    operation: operations.GroupMilestoneMergeRequestsDocument,
    result: 'group.milestone.mergeRequests',
    omitNull: ofForks(),
  },
];
