import type { IncomingHttpHeaders } from 'node:http';
import { readDeployToken, readJobToken } from '#src/access/credentials/credentials.ts';
import { actorOfJob } from '#src/access/credentials/job_actor.ts';
import { actorOfDeployToken } from '#src/access/credentials/tokens/deploy_token.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { actorWithin } from '#src/domain/projects/job_token_scope.ts';
import type { Db } from '#src/platform/database/db.ts';
import { DomainError, UnknownToken } from '#src/platform/errors.ts';

/** Where a request may carry the token of a job or a deploy token. */
export interface Sent {
  headers: IncomingHttpHeaders;
  parameters: Record<string, unknown>;
  /** Of Basic authentication, where that is accepted. */
  password: string | undefined;
}

/** Which of the two an endpoint accepts: the token of a job within a project, or `own` where it is about the job itself. */
export interface Accepted {
  jobToken?: true | 'own';
  deployToken?: true;
  /** The project that the request names. */
  project: IdOrPath | undefined;
}

/**
 * Who uses the token of a job, or the deploy token, that a request carries, where it is accepted; otherwise the user whom
 * `findUser` finds by the other credentials. One good credential is enough. Throws UnknownToken where none is good, and what
 * `findUser` throws.
 */
export async function bearerOrUser(
  db: Db,
  sent: Sent,
  accepted: Accepted,
  findUser: () => Promise<Actor | null>,
): Promise<Actor | null> {
  const bearer = await bearerOf(db, sent, accepted);
  if (!bearer) return findUser();
  if (bearer.actor) return bearer.actor;
  // A token that is good, but not accepted here, may stand where those of users do: they do not know it.
  if (bearer.isGood) return findUser().catch(nobody);
  const user = await findUser();
  if (!user) throw new UnknownToken();
  return user;
}

/** Whether the token is good at all, and who uses it here, where it may count for nothing; undefined without one. */
async function bearerOf(
  db: Db,
  { headers, parameters, password }: Sent,
  accepted: Accepted,
): Promise<{ isGood: boolean; actor: Actor | null } | undefined> {
  const jobToken = readJobToken(headers, parameters, password);
  if (jobToken !== undefined) {
    const job = await actorOfJob(db, jobToken);
    if (!job || accepted.jobToken === undefined) return { isGood: job !== null, actor: null };
    return { isGood: true, actor: accepted.jobToken === 'own' ? job : await jobWithin(db, job, accepted.project) };
  }
  const deployToken = readDeployToken(headers);
  if (!deployToken) return undefined;
  const actor = await actorOfDeployToken(db, deployToken.token, deployToken.username);
  return { isGood: actor !== null, actor: accepted.deployToken ? actor : null };
}

/**
 * The user of a running job, if `ref` is the project of the job or one that lets its jobs in; null otherwise: elsewhere the token of
 * the job counts for nothing, and its bearer is anonymous.
 */
async function jobWithin(
  db: Db,
  actor: Actor & { jobProjectId: number },
  ref: IdOrPath | undefined,
): Promise<Actor | null> {
  if (ref === undefined) return null;
  if (typeof ref === 'number') return actorWithin(db, actor, { id: ref });
  const [project] = await db.$queryRaw<
    { id: number }[]
  >`SELECT p.id FROM projects p JOIN namespaces n ON n.id = p.namespace_id
    WHERE lower(n.full_path || '/' || p.path) = lower(${ref}) AND p.deleted_at IS NULL`;
  return project ? actorWithin(db, actor, project) : null;
}

function nobody(error: unknown): null {
  if (error instanceof DomainError && error.code === 'UNAUTHENTICATED') return null;
  throw error;
}
