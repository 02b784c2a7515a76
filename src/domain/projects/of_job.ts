import type { Actor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { actorWithin } from '#src/domain/projects/job_token_scope.ts';
import type { Db } from '#src/platform/database/db.ts';

/**
 * The user of a running job, if `ref` is the project of the job or one that lets its jobs in; null otherwise: elsewhere the token of
 * the job counts for nothing, and its bearer is anonymous.
 */
export async function jobWithin(
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
