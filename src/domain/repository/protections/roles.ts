import { MASTER, OWNER } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ADMINISTRATORS, reaches } from '#src/domain/repository/protections/levels.ts';
import type { ContainerProtectionRole } from '#src/generated/prisma/client.ts';

/** From which role on a rule about images or packages lets users do something. */
export type ProtectionRole = ContainerProtectionRole;

/** The access level of each. */
const ROLES: Record<ProtectionRole, number> = { maintainer: MASTER, owner: OWNER, admin: ADMINISTRATORS };

/** Who does something in a project. */
export interface Doer {
  actor: Actor | null;
  project: Pick<ProjectRow, 'id' | 'accessLevel'>;
}

/** Whether somebody has a role in the project. */
export function hasRole(role: ProtectionRole, { actor, project }: Doer): boolean {
  return actor !== null && reaches(ROLES[role], actor, project);
}

/** The roles of a rule: null for what it leaves to everyone who may do it anyway. */
export interface RuleRoles {
  minimumAccessLevelForPush?: ProtectionRole | null | undefined;
  minimumAccessLevelForDelete?: ProtectionRole | null | undefined;
}

/** The roles after a change, which leaves those that are absent. */
export function changedRoles(
  known: Required<RuleRoles>,
  { minimumAccessLevelForPush: push, minimumAccessLevelForDelete: remove }: RuleRoles,
) {
  return {
    minimumAccessLevelForPush: (push === undefined ? known.minimumAccessLevelForPush : push) ?? null,
    minimumAccessLevelForDelete: (remove === undefined ? known.minimumAccessLevelForDelete : remove) ?? null,
  };
}
