import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const notFound = { Runner: '404 Not found' };

export const runners: Route[] = [
  {
    method: 'GET',
    path: '/runners',
    operation: operations.RunnersDocument,
    result: 'runners',
  },
  {
    method: 'GET',
    path: '/runners/all',
    operation: operations.AllRunnersDocument,
    result: 'runners',
  },
  {
    method: 'GET',
    path: '/runners/:id',
    operation: operations.RunnerByIdDocument,
    result: 'runner',
    notFound,
  },
  {
    method: 'PUT',
    path: '/runners/:id',
    operation: operations.UpdateRunnerDocument,
    result: 'updateRunner.runner',
    atLeastOne: ['description', 'active', 'tag_list', 'run_untagged', 'locked'],
    notFound,
  },
  {
    method: 'DELETE',
    path: '/runners/:id',
    operation: operations.DeleteRunnerDocument,
    result: 'deleteRunner',
    status: 204,
    notFound,
  },
  {
    method: 'GET',
    path: '/projects/:id/runners',
    operation: operations.ProjectRunnersDocument,
    result: 'project.runners',
    precheck: 'admin_runner',
  },
  {
    method: 'POST',
    path: '/projects/:id/runners',
    operation: operations.EnableRunnerDocument,
    result: 'enableRunner.runner',
    precheck: 'admin_runner',
    notFound,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/runners/:runner_id',
    operation: operations.DisableRunnerDocument,
    result: 'disableRunner.runner',
    status: 204,
    precheck: 'admin_runner',
  },
];
