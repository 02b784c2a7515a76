import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const notFound = { Job: '404 Not Found', Artifacts: '404 Not Found' };
const omitNull = ['artifacts_file'];

export const jobs: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/jobs',
    operation: operations.ProjectJobsDocument,
    result: 'project.jobs',
    omitNull,
  },
  {
    method: 'GET',
    path: '/projects/:id/pipelines/:pipeline_id/jobs',
    operation: operations.PipelineJobsDocument,
    result: 'project.pipeline.jobs',
    omitNull,
  },
  {
    method: 'GET',
    path: '/projects/:id/pipelines/:pipeline_id/bridges',
    operation: operations.PipelineBridgesDocument,
    result: 'project.pipeline.triggerJobs',
  },
  {
    method: 'GET',
    path: '/projects/:id/jobs/:job_id',
    operation: operations.ProjectJobDocument,
    result: 'project.job',
    notFound,
    omitNull,
  },
  {
    method: 'GET',
    path: '/projects/:id/jobs/:job_id/trace',
    operation: operations.JobTraceDocument,
    description: 'What a job printed so far, as plain text.',
    result: 'project.job',
    raw: 'trace',
    notFound,
  },
  {
    method: 'GET',
    path: '/projects/:id/jobs/:job_id/artifacts',
    operation: operations.JobArtifactsDocument,
    description: 'The artifacts of a job, as a zip archive.',
    result: 'project.job',
    raw: 'artifacts',
    notFound,
  },
  {
    method: 'GET',
    path: '/projects/:id/jobs/artifacts/:ref_name/download',
    operation: operations.LatestArtifactsDocument,
    description:
      'The artifacts of the job with this name in the latest successful pipeline of a branch or tag, as a zip archive.',
    result: 'project.latestSuccessfulJob',
    raw: 'artifacts',
    slashes: ['ref_name'],
    notFound,
  },
  {
    method: 'POST',
    path: '/projects/:id/jobs/:job_id/artifacts/keep',
    operation: operations.KeepJobArtifactsDocument,
    result: 'keepJobArtifacts.job',
    status: 200,
    notFound,
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/jobs/:job_id/cancel',
    operation: operations.CancelJobDocument,
    result: 'cancelJob.job',
    notFound,
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/jobs/:job_id/retry',
    operation: operations.RetryJobDocument,
    result: 'retryJob.job',
    notFound,
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/jobs/:job_id/play',
    operation: operations.PlayJobDocument,
    result: 'playJob.job',
    status: 200,
    notFound,
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/jobs/:job_id/erase',
    operation: operations.EraseJobDocument,
    result: 'eraseJob.job',
    notFound,
    omitNull,
  },
];
