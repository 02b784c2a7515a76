import { can, DEVELOPER, MASTER } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';

/** Nobody, administrators included. */
export const NOBODY = 0;
/** Administrators of the server alone. */
export const ADMINISTRATORS = 60;

/** The access levels that a protection may name. */
export const LEVELS = [NOBODY, DEVELOPER, MASTER, ADMINISTRATORS] as const;

/** Whom a protection lets do something: users from an access level on, or a deploy key. */
export interface Level {
  readonly accessLevel: number | null;
  readonly deployKeyId: number | null;
}

/** Who pushes: a user, by a deploy key if they do not push in person. */
export interface Pusher {
  readonly actor: Actor;
  readonly project: ProjectRow;
  readonly deployKeyId?: number | undefined;
}

/** A push over HTTP or SSH. */
export interface RemotePush {
  /** The deploy key that it is made with. */
  deployKeyId?: number | undefined;
}

/** Whether one of the levels lets the pusher do something; each level is enough by itself. */
export function allows(levels: readonly Level[], { actor, project, deployKeyId }: Pusher): boolean {
  if (!can(actor, 'push_code', project)) return false;
  return levels.some((level) => {
    if (level.accessLevel === null) return deployKeyId !== undefined && level.deployKeyId === deployKeyId;
    return reaches(level.accessLevel, actor, project);
  });
}

/** Whether a user has a level in a project. */
export function reaches(accessLevel: number, actor: Actor, project: Pick<ProjectRow, 'accessLevel'>): boolean {
  if (accessLevel === NOBODY) return false;
  return actor.admin || (accessLevel !== ADMINISTRATORS && project.accessLevel >= accessLevel);
}

/** Whether one of the levels is that of developers. */
export function letsDevelopers(levels: readonly Level[]): boolean {
  return levels.some(({ accessLevel }) => accessLevel !== null && accessLevel > NOBODY && accessLevel <= DEVELOPER);
}
