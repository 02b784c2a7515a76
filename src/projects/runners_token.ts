import { can } from '#src/access/abilities.ts';
import type { Context } from '#src/access/actor.ts';
import { decrypt } from '#src/platform/secrets.ts';
import type { ProjectRow } from '#src/projects/find.ts';

/** What runners register with; null unless the actor administers the project (behaviour.md 7). */
export async function runnersToken({ db, actor, secret }: Context, project: ProjectRow): Promise<string | null> {
  if (!can(actor, 'admin_runner', project)) return null;
  const row = await db.project.findUnique({ where: { id: project.id }, select: { runnersToken: true } });
  return row ? decrypt(row.runnersToken, secret) : null;
}
