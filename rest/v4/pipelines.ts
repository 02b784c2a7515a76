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
    nothing: { status: 403, message: '403 Forbidden' },
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
    operation: operations.UpdatePipelineDocument,
    result: 'updatePipeline.pipeline',
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
    operation: operations.DeletePipelineDocument,
    result: 'deletePipeline',
    status: 204,
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
