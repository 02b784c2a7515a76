import { can } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';

/** Whether the actor may set created_at and updated_at: administrators and owners of the personal namespace (behaviour.md 6). */
export function maySetTimestamps(actor: Actor, project: ProjectRow): boolean {
  return can(actor, 'set_timestamps', project) || project.ownerId === actor.id;
}
