import { can } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';

/** Whether the actor may resolve the threads of a merge request: developers and its author may, unless the project is archived. */
export function mayResolve(actor: Actor, project: ProjectRow, { authorId }: { authorId: number }): boolean {
  if (!can(actor, 'read_merge_request', project) || project.archived) return false;
  return can(actor, 'resolve_note', project) || authorId === actor.id;
}
