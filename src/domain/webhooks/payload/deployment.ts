import { tierOf } from '#src/domain/ci/environments/tier.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import {
  commitRecord,
  type Payload,
  projectRecord,
  type Surroundings,
  time,
  userRecord,
} from '#src/domain/webhooks/payload/common.ts';
import type { ProjectFacts, UserFacts } from '#src/domain/webhooks/payload/facts.ts';

interface DeploymentFacts {
  /** Columns of the deployment and of its environment. */
  deployment: { id: number; job_id: number | null; ref: string; sha: string; status: string; updated_at: string };
  environment: { name: string; slug: string; tier: string | null; external_url: string | null };
  project: ProjectFacts;
  user: UserFacts | null;
}

/** Characters of a short hash. */
const SHORT = 8;

/** The payload for a deployment whose status is another one. */
export async function deploymentPayload(
  { deployment, environment, project, user }: DeploymentFacts,
  around: Surroundings,
): Promise<Payload> {
  const { id, job_id: job, ref, sha, status, updated_at } = deployment;
  const commit = await commitRecord(sha, project, around);
  return {
    object_kind: 'deployment',
    status,
    status_changed_at: time(updated_at),
    deployment_id: id,
    deployable_id: job,
    deployable_url: job === null ? null : around.baseUrl + pagePath(project.fullPath, 'jobs', job),
    environment: environment.name,
    environment_tier: tierOf(environment),
    environment_slug: environment.slug,
    environment_external_url: environment.external_url,
    project: projectRecord(project, around),
    ref,
    short_sha: sha.slice(0, SHORT),
    user: userRecord(user, around),
    user_url: user && `${around.baseUrl}/${user.username}`,
    commit_url: around.baseUrl + pagePath(project.fullPath, 'commit', sha),
    commit_title: commit?.title ?? null,
  };
}
