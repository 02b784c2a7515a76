import {
  authorize,
  type GroupAbility,
  groupAbilities,
  type ProjectAbility,
  projectAbilities,
} from '#src/access/permissions/abilities.ts';
import { type Context, readerOf, requireAccount, requireAdmin } from '#src/access/permissions/actor.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { Forbidden } from '#src/platform/errors.ts';

/**
 * What can be checked before the rest of a request: an ability in a project or group, administration, or the administrator's
 * right to read accounts, which `read_user` also allows.
 */
export type Precheck = ProjectAbility | GroupAbility | 'administrate' | 'read_accounts';

/** Throws the same DomainError as the command would if the ability is missing. */
export async function precheck(context: Context, ability: Precheck, ref: IdOrPath): Promise<void> {
  if (ability === 'administrate') requireAdmin(context);
  else if (ability === 'read_accounts') requireAccountReader(context);
  else if (Object.hasOwn(projectAbilities, ability)) authorize(context.actor, ability, await findProject(context, ref));
  else if (Object.hasOwn(groupAbilities, ability)) authorize(readerOf(context), ability, await findGroup(context, ref));
  else throw new Error(`no rule for ${ability}`);
}

function requireAccountReader(context: Context): void {
  if (!requireAccount(context).admin) throw new Forbidden();
}
