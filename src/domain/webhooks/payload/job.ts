import {
  commitRecord,
  NO_COMMIT,
  type Payload,
  projectRecord,
  repositoryRecord,
  type Surroundings,
  time,
  userRecord,
} from '#src/domain/webhooks/payload/common.ts';
import type { JobFacts, PipelineFacts, ProjectFacts } from '#src/domain/webhooks/payload/facts.ts';

/** Maximum number of jobs of a pipeline in a payload. */
const MAX_JOBS = 1_000;

/** The payload for a changed job status. */
export async function jobPayload(
  { job, pipeline, project }: { job: JobFacts; pipeline: PipelineFacts; project: ProjectFacts },
  around: Surroundings,
): Promise<Payload> {
  const commit = await commitRecord(pipeline.sha, project, around);
  return {
    object_kind: 'build',
    ref: pipeline.ref,
    tag: pipeline.tag,
    before_sha: pipeline.beforeSha ?? NO_COMMIT,
    sha: pipeline.sha,
    build_id: job.id,
    build_name: job.name,
    build_stage: job.stage,
    build_status: job.status,
    build_created_at: time(job.createdAt),
    build_started_at: time(job.startedAt),
    build_finished_at: time(job.finishedAt),
    build_duration: seconds(job.startedAt, job.finishedAt),
    build_allow_failure: job.allowFailure,
    pipeline_id: pipeline.id,
    project_id: project.id,
    project_name: `${project.namespace} / ${project.name}`,
    // E-mail addresses are not for all receivers of a hook.
    user: job.user && { ...userRecord(job.user, around), email: '[REDACTED]' },
    runner: runnerRecord(job),
    commit: {
      id: pipeline.id,
      sha: pipeline.sha,
      message: commit?.message ?? null,
      author_name: commit?.author.name ?? null,
      author_email: commit?.author.email ?? null,
      status: pipeline.status,
      duration: pipeline.duration,
      started_at: time(pipeline.startedAt),
      finished_at: time(pipeline.finishedAt),
    },
    project: projectRecord(project, around),
    repository: repositoryRecord(project, around),
  };
}

/** The payload for a changed pipeline status, with its jobs; excludes retried ones. */
export async function pipelinePayload(
  { pipeline, jobs, project }: { pipeline: PipelineFacts; jobs: JobFacts[]; project: ProjectFacts },
  around: Surroundings,
): Promise<Payload> {
  return {
    object_kind: 'pipeline',
    object_attributes: {
      id: pipeline.id,
      ref: pipeline.ref,
      tag: pipeline.tag,
      sha: pipeline.sha,
      before_sha: pipeline.beforeSha ?? NO_COMMIT,
      status: pipeline.status,
      stages: [...new Set(jobs.map(({ stage }) => stage))],
      created_at: time(pipeline.createdAt),
      finished_at: time(pipeline.finishedAt),
      duration: pipeline.duration,
    },
    user: userRecord(pipeline.user, around),
    project: projectRecord(project, around),
    commit: await commitRecord(pipeline.sha, project, around),
    builds: jobs.slice(0, MAX_JOBS).map((job) => buildRecord(job, around)),
  };
}

function buildRecord(job: JobFacts, around: Surroundings) {
  return {
    id: job.id,
    stage: job.stage,
    name: job.name,
    status: job.status,
    created_at: time(job.createdAt),
    started_at: time(job.startedAt),
    finished_at: time(job.finishedAt),
    when: job.when,
    manual: job.when === 'manual',
    allow_failure: job.allowFailure,
    user: userRecord(job.user, around),
    runner: runnerRecord(job),
    artifacts_file: { filename: job.artifactsFilename, size: job.artifactsSize },
  };
}

function runnerRecord({ runner }: JobFacts) {
  if (runner === null) return null;
  const { isShared, ...record } = runner;
  return { ...record, is_shared: isShared };
}

function seconds(from: string | null, to: string | null): number | null {
  return from === null ? null : ((to === null ? Date.now() : Date.parse(to)) - Date.parse(from)) / 1000;
}
