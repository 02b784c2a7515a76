import type { AuthenticatedRunner } from '#src/domain/ci/runners/authenticate.ts';
import { payloadDependencies } from '#src/domain/ci/runners/payload/dependencies.ts';
import { payloadJob } from '#src/domain/ci/runners/payload/job.ts';
import {
  payloadArtifacts,
  payloadCache,
  payloadImage,
  payloadServices,
  payloadSteps,
} from '#src/domain/ci/runners/payload/options.ts';
import { releaseLine } from '#src/domain/ci/runners/payload/release.ts';
import { payloadVariables } from '#src/domain/ci/runners/payload/variables.ts';
import type { TakenJob } from '#src/domain/ci/runners/take.ts';
import { MERGE_REQUEST_REFS } from '#src/git/refs/name.ts';
import type { SshPlace } from '#src/platform/config/ssh_address.ts';
import type { Db } from '#src/platform/database/db.ts';

/** The user name for the token in URLs of repositories; any other works as well. */
const TOKEN_USER = 'gitlab-ci-token';
const NO_COMMIT = '0'.repeat(40);

export interface PayloadContext {
  db: Db;
  /** Key material for encrypted columns. */
  secret: string;
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
  ssh: SshPlace;
}

/** The payload for a runner that has taken a job (runner-protocol.md, Job); null if the job is gone. */
export async function jobPayload(context: PayloadContext, runner: AuthenticatedRunner, { id, token }: TakenJob) {
  const { db, secret, baseUrl, ssh } = context;
  const job = await payloadJob(db, id);
  if (!job) return null;
  const { options, timeout } = job;
  const repositoryUrl = withCredentials(`${baseUrl}/${job.fullPath}.git`, token);
  return {
    id,
    token,
    allow_git_fetch: true,
    job_info: { name: job.name, stage: job.stage, project_id: job.projectId, project_name: job.projectName },
    git_info: {
      repo_url: repositoryUrl,
      ref: job.ref,
      sha: job.sha,
      before_sha: job.beforeSha ?? NO_COMMIT,
      ref_type: job.tag ? 'tag' : 'branch',
      // Runners fetch branches and tags unless it is said.
      ...(job.ref.startsWith(MERGE_REQUEST_REFS) ? { refspecs: [`+${job.ref}:${job.ref}`] } : {}),
    },
    runner_info: { timeout },
    variables: await payloadVariables(db, job, { runner, token, repositoryUrl, baseUrl, ssh, secret }),
    steps: payloadSteps(options, timeout, releaseLine(options, `${baseUrl}/api/v4/projects/${job.projectId}/releases`)),
    image: payloadImage(options),
    services: payloadServices(options),
    artifacts: payloadArtifacts(options),
    cache: payloadCache(options),
    // There is no container registry to sign in to.
    credentials: [],
    dependencies: await payloadDependencies(db, job, token),
  };
}

function withCredentials(address: string, token: string): string {
  const url = new URL(address);
  url.username = TOKEN_USER;
  url.password = token;
  return url.href;
}
