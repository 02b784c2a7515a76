import type { Visibility } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { PagesAccess } from '#src/generated/prisma/client.ts';
import type { Db } from '#src/platform/database/db.ts';
import { nullIfNotFound } from '#src/platform/errors.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** Who can visit the site of a project. */
export type PagesLevel = PagesAccess;

/** What decides who may visit a site. */
interface Visited {
  access: PagesAccess;
  visibility: Visibility;
}

/** Whether anybody may visit a site, without signing in: not where public projects are closed to visitors, too. */
export async function isOpen(db: Db, { access, visibility }: Visited): Promise<boolean> {
  if (access !== 'public' && !(access === 'enabled' && visibility === 'public')) return false;
  return !(await currentSettings(db)).restrictedVisibilityLevels?.includes('public');
}

/** Whether the actor, who sees the project, may visit its site. */
export function mayVisit(
  actor: Actor | null,
  { access, accessLevel }: { access: PagesAccess; accessLevel: number },
): boolean {
  if (access === 'disabled') return false;
  return access !== 'private' || accessLevel > 0 || actor?.admin === true;
}

/** Whether a signed-in user may visit a site. */
export async function mayVisitSite(
  context: Context & { actor: Actor },
  { projectId, access }: Visited & { projectId: number },
): Promise<boolean> {
  if (access === 'public') return true;
  const project = await findProject(context, projectId).catch(nullIfNotFound);
  return project !== null && mayVisit(context.actor, { access, accessLevel: project.accessLevel });
}
