import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const milestones: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/milestones',
    operation: operations.ProjectMilestonesDocument,
    result: 'project.milestones',
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
    atLeastOne: ['title', 'description', 'start_date', 'due_date', 'state_event'],
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
  },
];
