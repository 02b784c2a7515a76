import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const pipelines: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/pipelines',
    operation: operations.ProjectPipelinesDocument,
    result: 'project.pipelines',
  },
  {
    method: 'GET',
    path: '/projects/:id/pipelines/:pipeline_id',
    operation: operations.ProjectPipelineDocument,
    result: 'project.pipeline',
  },
  {
    method: 'POST',
    path: '/projects/:id/pipeline',
    operation: operations.CreatePipelineDocument,
    result: 'createPipeline.pipeline',
  },
  {
    method: 'POST',
    path: '/projects/:id/pipelines/:pipeline_id/retry',
    operation: operations.RetryPipelineDocument,
    result: 'retryPipeline.pipeline',
  },
  {
    method: 'POST',
    path: '/projects/:id/pipelines/:pipeline_id/cancel',
    operation: operations.CancelPipelineDocument,
    result: 'cancelPipeline.pipeline',
    status: 200,
  },
];
