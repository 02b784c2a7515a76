import { can, type ProjectSubject } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';

/** Whether the actor can propose changes to the project: with a branch of their own in it, or in a fork of it. */
export function canContribute(actor: Actor | null, project: ProjectSubject): boolean {
  if (project.archived || !can(actor, 'read_merge_request', project)) return false;
  return can(actor, 'push_code', project) || can(actor, 'fork_project', project);
}
