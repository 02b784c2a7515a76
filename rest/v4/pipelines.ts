import { mutation } from '#rest/engine/mutation.ts';
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
    path: '/projects/:id/pipelines/latest',
    operation: operations.LatestPipelineDocument,
    result: 'project.latestPipeline',
    decimals,
    whenNull: { status: 403, message: '403 Forbidden' },
  },
  {
    method: 'GET',
    path: '/projects/:id/pipelines/:pipeline_id',
    operation: operations.ProjectPipelineDocument,
    result: 'project.pipeline',
    decimals,
  },
  {
    method: 'GET',
    path: '/projects/:id/pipelines/:pipeline_id/variables',
    operation: operations.PipelineVariablesDocument,
    result: 'project.pipeline.variables',
  },
  {
    method: 'PUT',
    path: '/projects/:id/pipelines/:pipeline_id/metadata',
    ...mutation('UpdatePipeline', 'updatePipeline.pipeline', '...PipelineRecord'),
    decimals,
  },
  {
    method: 'GET',
    path: '/projects/:id/pipelines/:pipeline_id/test_report',
    operation: operations.TestReportDocument,
    result: 'project.pipeline.testReport',
    spread: 'total',
  },
  {
    method: 'GET',
    path: '/projects/:id/pipelines/:pipeline_id/test_report_summary',
    operation: operations.TestReportSummaryDocument,
    result: 'project.pipeline.testReport',
  },
  {
    method: 'DELETE',
    path: '/projects/:id/pipelines/:pipeline_id',
    ...mutation('DeletePipeline', 'deletePipeline', 'deletedPipelineId'),
    status: 204,
  },
  {
    method: 'POST',
    path: '/projects/:id/pipeline',
    ...mutation('CreatePipeline', 'createPipeline.pipeline', '...PipelineRecord'),
    decimals,
  },
  {
    method: 'POST',
    path: '/projects/:id/pipelines/:pipeline_id/retry',
    ...mutation('RetryPipeline', 'retryPipeline.pipeline', '...PipelineRecord'),
    decimals,
  },
  {
    method: 'POST',
    path: '/projects/:id/pipelines/:pipeline_id/cancel',
    ...mutation('CancelPipeline', 'cancelPipeline.pipeline', '...PipelineRecord'),
    decimals,
    status: 200,
  },
];
