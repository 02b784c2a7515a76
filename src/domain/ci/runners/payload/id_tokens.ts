import { randomUUID } from 'node:crypto';
import { signJwt } from '#src/access/oauth/jwt.ts';
import { currentKeys, RETIRED_KEY_SECONDS } from '#src/access/oauth/keys.ts';
import type { PayloadJob } from '#src/domain/ci/runners/payload/job.ts';
import type { Db } from '#src/platform/database/db.ts';

/** Who signs tokens, and for which runner. */
interface Signer {
  secret: string;
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
  runnerId: number;
}

/** The tokens that a job proves itself with to others, by the names of their variables: signed as those of OpenID Connect are. */
export async function idTokens(db: Db, job: PayloadJob, signer: Signer): Promise<Record<string, string>> {
  const { id_tokens: wanted } = job.options as { id_tokens?: Record<string, string[]> };
  if (!wanted || Object.keys(wanted).length === 0) return {};
  const { signing } = await currentKeys(db, signer.secret);
  const claims = { ...claimsOf(job, signer), ...(await identitiesOf(db, job.userId)) };
  const [key] = signing;
  if (!key) throw new Error('There is no key to sign tokens with');
  const tokens = Object.entries(wanted).map(([name, audiences]) => {
    const aud = audiences.length === 1 ? audiences[0] : audiences;
    return [name, signJwt(key, { ...claims, aud, jti: randomUUID() })];
  });
  return Object.fromEntries(tokens);
}

/** How other identity providers know the user, who chose to tell. */
async function identitiesOf(db: Db, userId: number): Promise<{ user_identities?: object[] }> {
  const user = await db.user.findFirst({
    where: { id: userId, passUserIdentitiesToCiJwt: true },
    select: { identities: { select: { provider: true, externUid: true }, orderBy: { id: 'asc' } } },
  });
  if (!user) return {};
  const told = user.identities.map(({ provider, externUid }) => ({ provider, extern_uid: externUid }));
  return { user_identities: told };
}

function claimsOf(job: PayloadJob, { baseUrl, runnerId }: Signer): Record<string, unknown> {
  const { fullPath, ref, tag, environment } = job;
  const known = (job.predefined ?? {}) as Record<string, string | undefined>;
  const now = Math.floor(Date.now() / 1_000);
  const type = tag ? 'tag' : 'branch';
  return {
    iss: baseUrl,
    sub: `project_path:${fullPath}:ref_type:${type}:ref:${ref}`,
    ...{ iat: now, nbf: now, exp: now + Math.min(job.timeout, RETIRED_KEY_SECONDS) },
    namespace_id: known.CI_PROJECT_NAMESPACE_ID ?? '',
    namespace_path: fullPath.split('/').slice(0, -1).join('/'),
    project_id: String(job.projectId),
    project_path: fullPath,
    ...{ user_id: String(job.userId), user_login: job.username, user_email: job.userEmail },
    ...{ pipeline_id: String(job.pipelineId), pipeline_source: job.source, job_id: String(job.id) },
    ref,
    ref_type: type,
    ref_path: ref.startsWith('refs/') ? ref : `refs/${tag ? 'tags' : 'heads'}/${ref}`,
    ref_protected: known.CI_COMMIT_REF_PROTECTED ?? 'false',
    ...{ runner_id: runnerId, runner_environment: 'self-hosted', sha: job.sha },
    ...(environment === null ? {} : { environment, environment_action: job.environmentAction ?? 'start' }),
  };
}
