import { activeUser } from '#src/access/credentials/authenticate.ts';
import { jobOfToken } from '#src/access/credentials/tokens/job_token.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { Db } from '#src/platform/database/db.ts';

/**
 * The user who started the running job of this token, restricted to the project of the job (`jobProjectId`), which callers check;
 * null for unknown tokens, those of ended jobs, and blocked users.
 */
export async function actorOfJob(db: Db, token: string): Promise<(Actor & { jobProjectId: number }) | null> {
  const job = await jobOfToken(db, token);
  const user = job && (await activeUser(db, job.userId));
  return user ? { ...user, credential: 'job', jobId: job.id, jobProjectId: job.projectId } : null;
}
