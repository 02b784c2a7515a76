import {
  CREATED_RUNNER_TOKEN,
  JOB_TOKEN,
  REGISTRATION_TOKEN,
  RUNNER_TOKEN,
} from '#src/access/credentials/tokens/runner_tokens.ts';
import { knownForUrl } from '#src/domain/ci/environments/url.ts';
import { markDebugLog, printsVariables } from '#src/domain/ci/job_logs/debug.ts';
import { FAILURE_REASONS } from '#src/domain/ci/jobs/failure_reason.ts';
import type { AuthenticatedRunner } from '#src/domain/ci/runners/authenticate.ts';
import { resolveCrossNeeds } from '#src/domain/ci/runners/payload/cross_needs.ts';
import { demandedFeatures } from '#src/domain/ci/runners/payload/demands.ts';
import { payloadDependencies } from '#src/domain/ci/runners/payload/dependencies.ts';
import { payloadGit } from '#src/domain/ci/runners/payload/git.ts';
import { type PayloadJob, payloadJob } from '#src/domain/ci/runners/payload/job.ts';
import {
  payloadArtifacts,
  payloadCache,
  payloadImage,
  payloadServices,
  payloadSteps,
} from '#src/domain/ci/runners/payload/options.ts';
import { registryCredentials } from '#src/domain/ci/runners/payload/registry.ts';
import { releaseLine } from '#src/domain/ci/runners/payload/release.ts';
import { type JobVariables, payloadVariables } from '#src/domain/ci/runners/payload/variables.ts';
import type { TakenJob } from '#src/domain/ci/runners/take.ts';
import type { SiteSettings } from '#src/platform/config/pages_host.ts';
import type { SshPlace } from '#src/platform/config/ssh_address.ts';
import type { Db } from '#src/platform/database/db.ts';

/** The user name for the token in URLs of repositories; any other works as well. */
const TOKEN_USER = 'gitlab-ci-token';
/** How tokens begin that runners hide in logs. */
const MASKED_PREFIXES = [RUNNER_TOKEN, CREATED_RUNNER_TOKEN, JOB_TOKEN, REGISTRATION_TOKEN];

/** Characters of the longest name of an image, key of a cache or name of artifacts with variables in it. */
const MAX_TEXT_LENGTH = 1_000;

export interface PayloadContext {
  db: Db;
  /** Key material for encrypted columns. */
  secret: string;
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
  ssh: SshPlace;
  /** Where sites are; they are not where absent. */
  sites?: SiteSettings | undefined;
}

/**
 * The payload for a runner that has taken a job (runner-protocol.md, Job); null if the job is gone, `unsupported` if the runner lacks
 * a feature that the job needs, `missing` if it needs artifacts of a job of another pipeline that are not there.
 */
export async function jobPayload(context: PayloadContext, runner: AuthenticatedRunner, { id, token }: TakenJob) {
  const { db, secret, baseUrl, ssh, sites } = context;
  const job = await payloadJob(db, id);
  if (!job) return null;
  const { options, timeout } = job;
  const missing = demandedFeatures(job).filter((feature) => !runner.features.has(feature));
  if (missing.length > 0) return 'unsupported';
  const crossJobs = await resolveCrossNeeds(db, job);
  if (crossJobs === null) return 'missing';
  job.crossJobs = crossJobs;
  const repositoryUrl = withCredentials(`${baseUrl}/${job.fullPath}.git`, token);
  const given = await payloadVariables(db, job, { runner, token, repositoryUrl, baseUrl, ssh, secret, sites });
  const variables = given.list;
  const expand = (text: string) => given.expansion.text(text, MAX_TEXT_LENGTH);
  await keepForUrl(db, job, given);
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
    image: payloadImage(options, expand),
    services: payloadServices(options, expand),
    artifacts: payloadArtifacts(options, expand),
    cache: payloadCache(options, expand, job),
    credentials: registryCredentials({ baseUrl, token }),
    dependencies: await payloadDependencies(db, job, token),
    features: { trace_sections: true, token_mask_prefixes: MASKED_PREFIXES, failure_reasons: FAILURE_REASONS },
    hooks: [],
    secrets: {},
    policy_options: {},
    inputs: [],
  };
}

/** Keeps what the URL of the environment refers to, for when the job ends. */
async function keepForUrl(db: Db, { id, environmentUrl }: PayloadJob, variables: JobVariables): Promise<void> {
  if (environmentUrl === null) return;
  const known = knownForUrl(environmentUrl, variables.expansion, variables);
  await db.$executeRaw`
    UPDATE jobs SET options = jsonb_set(options, '{environment}', COALESCE(options->'environment', '{}')
      || jsonb_build_object('known', ${JSON.stringify(known)}::jsonb)) WHERE id = ${id} AND options IS NOT NULL`;
}

function withCredentials(address: string, token: string): string {
  const url = new URL(address);
  url.username = TOKEN_USER;
  url.password = token;
  return url.href;
}
