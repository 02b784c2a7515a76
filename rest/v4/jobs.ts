import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { BY_CURSOR } from '#rest/v4/keyset.ts';
import { OF_PLAYED_JOBS, OF_RETRIED_JOBS } from '#rest/v4/unsupported.ts';
import * as operations from '#src/generated/operations.ts';

const notFound = { Job: '404 Not Found', Artifacts: '404 Not Found' };
const omitNull = ['artifacts_file', 'failure_reason'];

export const jobs: Route[] = [
  { method: 'GET', path: '/job', operation: operations.CurrentJobDocument, result: 'currentJob', jobToken: 'own' },
  {
    method: 'GET',
    path: '/projects/:id/jobs',
    operation: operations.ProjectJobsDocument,
    result: 'project.jobs',
    keyset: BY_CURSOR,
    omitNull,
  },
  {
    method: 'GET',
    path: '/projects/:id/pipelines/:pipeline_id/jobs',
    operation: operations.PipelineJobsDocument,
    result: 'project.pipeline.jobs',
    keyset: BY_CURSOR,
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
    jobToken: true,
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
    jobToken: true,
    notFound,
  },
  {
    method: 'GET',
    path: '/projects/:id/jobs/:job_id/artifacts/:artifact_path',
    operation: operations.JobArtifactFileDocument,
    description: 'One file of the artifacts of a job, unpacked.',
    result: 'project.job.artifactFile',
    raw: 'artifact',
    slashes: ['artifact_path'],
    jobToken: true,
    notFound,
  },
  {
    method: 'GET',
    path: '/projects/:id/jobs/artifacts/:ref_name/raw/:artifact_path',
    operation: operations.LatestArtifactFileDocument,
    description:
      'One file of the artifacts of the job with this name in the latest successful pipeline of a branch or tag, unpacked.',
    result: 'project.latestSuccessfulJob.artifactFile',
    raw: 'artifact',
    slashes: ['ref_name', 'artifact_path'],
    jobToken: true,
    notFound,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/jobs/:job_id/artifacts',
    ...mutation('RemoveJobArtifacts', 'removeJobArtifacts', 'job { id }'),
    status: 204,
    notFound,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/artifacts',
    ...mutation('RemoveProjectArtifacts', 'removeProjectArtifacts', 'project { id }'),
    status: 202,
    body: { message: '202 Accepted' },
  },
  {
    method: 'POST',
    path: '/projects/:id/jobs/:job_id/artifacts/keep',
    ...mutation('KeepJobArtifacts', 'keepJobArtifacts.job', '...JobRecord'),
    status: 200,
    notFound,
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/jobs/:job_id/cancel',
    ...mutation('CancelJob', 'cancelJob.job', '...JobRecord'),
    notFound,
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/jobs/:job_id/retry',
    unsupported: OF_RETRIED_JOBS,
    ...mutation('RetryJob', 'retryJob.job', '...JobRecord'),
    notFound,
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/jobs/:job_id/play',
    unsupported: OF_PLAYED_JOBS,
    ...mutation('PlayJob', 'playJob.job', '...JobRecord'),
    status: 200,
    notFound,
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/jobs/:job_id/erase',
    ...mutation('EraseJob', 'eraseJob.job', '...JobRecord'),
    notFound,
    omitNull,
  },
];
