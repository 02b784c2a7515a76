import {
  authorize,
  type GroupAbility,
  groupAbilities,
  type ProjectAbility,
  projectAbilities,
} from '#src/access/abilities.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/actor.ts';
import { findGroup, type Ref } from '#src/groups/find.ts';
import { findProject } from '#src/projects/find.ts';

/** What may be checked before anything else of a request is: an ability in a project or group, or administration. */
export type Precheck = ProjectAbility | GroupAbility | 'administrate';

/** Throws the DomainError that the command behind it would throw for want of the ability. */
export async function precheck(context: Context, ability: Precheck, ref: Ref): Promise<void> {
  if (ability === 'administrate') requireAdmin(context);
  else if (Object.hasOwn(projectAbilities, ability)) authorize(context.actor, ability, await findProject(context, ref));
  else if (Object.hasOwn(groupAbilities, ability))
    authorize(requireActor(context), ability, await findGroup(context, ref));
  else throw new Error(`no rule for ${ability}`);
}
