import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** Coverage is a text in this API. */
const decimals = { coverage: 2 };

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
    decimals,
  },
  {
    method: 'POST',
    path: '/projects/:id/pipeline',
    operation: operations.CreatePipelineDocument,
    result: 'createPipeline.pipeline',
    decimals,
  },
  {
    method: 'POST',
    path: '/projects/:id/pipelines/:pipeline_id/retry',
    operation: operations.RetryPipelineDocument,
    result: 'retryPipeline.pipeline',
    decimals,
  },
  {
    method: 'POST',
    path: '/projects/:id/pipelines/:pipeline_id/cancel',
    operation: operations.CancelPipelineDocument,
    result: 'cancelPipeline.pipeline',
    decimals,
    status: 200,
  },
];
