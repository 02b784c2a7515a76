import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const LIST = '/projects/:id/resource_groups';
const ONE = `${LIST}/:key`;
const omitNull = ['artifacts_file', 'failure_reason'];

export const resourceGroups: Route[] = [
  {
    method: 'GET',
    path: LIST,
    operation: operations.ProjectResourceGroupsDocument,
    result: 'project.resourceGroups',
  },
  {
    method: 'GET',
    path: ONE,
    operation: operations.ProjectResourceGroupDocument,
    result: 'project.resourceGroup',
  },
  {
    method: 'PUT',
    path: ONE,
    ...mutation('UpdateResourceGroup', 'updateResourceGroup.resourceGroup', '...ResourceGroupRecord'),
  },
  {
    method: 'GET',
    path: `${ONE}/upcoming_jobs`,
    operation: operations.ResourceGroupUpcomingJobsDocument,
    result: 'project.resourceGroup.upcomingJobs',
    omitNull,
  },
  {
    method: 'GET',
    path: `${ONE}/current_job`,
    operation: operations.ResourceGroupCurrentJobDocument,
    result: 'project.resourceGroup.currentJob',
    omitNull,
    whenNull: { status: 404, message: '404 Job Not Found' },
  },
];
