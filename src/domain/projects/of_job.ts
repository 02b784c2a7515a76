import { actorOfJob } from '#src/access/credentials/job_actor.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { Db } from '#src/platform/database/db.ts';

/**
 * The user of the running job that has this token, if `ref` is the project of the job; null otherwise: elsewhere the token counts for
 * nothing, and its bearer is anonymous.
 */
export async function actorOfJobIn(db: Db, token: string, ref: IdOrPath | undefined): Promise<Actor | null> {
  const actor = await actorOfJob(db, token);
  if (!actor || ref === undefined) return null;
  if (typeof ref === 'number') return ref === actor.jobProjectId ? actor : null;
  const [own] = await db.$queryRaw<object[]>`SELECT 1 FROM projects p JOIN namespaces n ON n.id = p.namespace_id
    WHERE p.id = ${actor.jobProjectId} AND lower(n.full_path || '/' || p.path) = lower(${ref})`;
  return own ? actor : null;
}
