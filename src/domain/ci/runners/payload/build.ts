import {
  CREATED_RUNNER_TOKEN,
  JOB_TOKEN,
  REGISTRATION_TOKEN,
  RUNNER_TOKEN,
} from '#src/access/credentials/tokens/runner_tokens.ts';
import { markDebugLog, printsVariables } from '#src/domain/ci/job_logs/debug.ts';
import { FAILURE_REASONS } from '#src/domain/ci/jobs/failure_reason.ts';
import type { AuthenticatedRunner } from '#src/domain/ci/runners/authenticate.ts';
import { resolveCrossNeeds } from '#src/domain/ci/runners/payload/cross_needs.ts';
import { demandedFeatures } from '#src/domain/ci/runners/payload/demands.ts';
import { payloadDependencies } from '#src/domain/ci/runners/payload/dependencies.ts';
import { payloadGit } from '#src/domain/ci/runners/payload/git.ts';
import { payloadJob } from '#src/domain/ci/runners/payload/job.ts';
import {
  payloadArtifacts,
  payloadCache,
  payloadImage,
  payloadServices,
  payloadSteps,
} from '#src/domain/ci/runners/payload/options.ts';
import { registryCredentials } from '#src/domain/ci/runners/payload/registry.ts';
import { releaseLine } from '#src/domain/ci/runners/payload/release.ts';
import { payloadVariables } from '#src/domain/ci/runners/payload/variables.ts';
import type { TakenJob } from '#src/domain/ci/runners/take.ts';
import type { SshPlace } from '#src/platform/config/ssh_address.ts';
import type { Db } from '#src/platform/database/db.ts';

/** The user name for the token in URLs of repositories; any other works as well. */
const TOKEN_USER = 'gitlab-ci-token';
/** How tokens begin that runners hide in logs. */
const MASKED_PREFIXES = [RUNNER_TOKEN, CREATED_RUNNER_TOKEN, JOB_TOKEN, REGISTRATION_TOKEN];

export interface PayloadContext {
  db: Db;
  /** Key material for encrypted columns. */
  secret: string;
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
  ssh: SshPlace;
}

/**
 * The payload for a runner that has taken a job (runner-protocol.md, Job); null if the job is gone, `unsupported` if the runner lacks
 * a feature that the job needs, `missing` if it needs artifacts of a job of another pipeline that are not there.
 */
export async function jobPayload(context: PayloadContext, runner: AuthenticatedRunner, { id, token }: TakenJob) {
  const { db, secret, baseUrl, ssh } = context;
  const job = await payloadJob(db, id);
  if (!job) return null;
  const { options, timeout } = job;
  const missing = demandedFeatures(job).filter((feature) => !runner.features.has(feature));
  if (missing.length > 0) return 'unsupported';
  const crossJobs = await resolveCrossNeeds(db, job);
  if (crossJobs === null) return 'missing';
  job.crossJobs = crossJobs;
  const repositoryUrl = withCredentials(`${baseUrl}/${job.fullPath}.git`, token);
  const variables = await payloadVariables(db, job, { runner, token, repositoryUrl, baseUrl, ssh, secret });
  // Before the runner can write a line, whatever it says itself.
  if (printsVariables(variables)) await markDebugLog(db, id);
  return {
    id,
    token,
    allow_git_fetch: true,
    job_info: {
      name: job.name,
      stage: job.stage,
      project_id: job.projectId,
      project_name: job.projectName,
      pipeline_id: job.pipelineId,
      project_full_path: job.fullPath,
      namespace_id: job.namespaceId,
      root_namespace_id: job.rootNamespaceId,
      organization_id: 1,
      user_id: job.userId,
      time_in_queue_seconds: Math.round(job.waited),
      project_jobs_running_on_instance_runners_count: '+Inf',
    },
    git_info: payloadGit(job, repositoryUrl, variables),
    runner_info: { timeout, runner_session_url: null },
    variables,
    steps: payloadSteps(options, timeout, releaseLine(options, `${baseUrl}/api/v4/projects/${job.projectId}/releases`)),
    image: payloadImage(options),
    services: payloadServices(options),
    artifacts: payloadArtifacts(options),
    cache: payloadCache(options),
    credentials: registryCredentials({ baseUrl, token }),
    dependencies: await payloadDependencies(db, job, token),
    features: { trace_sections: true, token_mask_prefixes: MASKED_PREFIXES, failure_reasons: FAILURE_REASONS },
    hooks: [],
    secrets: {},
    policy_options: {},
    inputs: [],
  };
}

function withCredentials(address: string, token: string): string {
  const url = new URL(address);
  url.username = TOKEN_USER;
  url.password = token;
  return url.href;
}
