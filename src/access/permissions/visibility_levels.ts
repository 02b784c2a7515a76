import { VISIBILITIES, type Visibility } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { Settings } from '#src/platform/settings/current.ts';

/** What the visibility of a project or group is held against. */
export interface VisibilityBounds {
  /** That of the group around it; null at the top and in a personal namespace. */
  group: Visibility | null;
  /** That of the project of which it is a fork; null for others. */
  source?: Visibility | null;
}

/** Why the actor may not give a project or group this visibility (behaviour.md 1.6); empty when nothing is wrong. */
export function visibilityErrors(
  actor: Pick<Actor, 'admin'>,
  { restrictedVisibilityLevels }: Settings,
  visibility: Visibility,
  { group, source }: VisibilityBounds,
): string[] {
  if (!actor.admin && restrictedVisibilityLevels?.includes(visibility)) {
    return [`${visibility} has been restricted by your administrator`];
  }
  if (group && isWider(visibility, group)) return [`${visibility} is not allowed in a ${group} group.`];
  if (source && isWider(visibility, source)) {
    return [`${visibility} is not allowed since the fork source project has lower visibility.`];
  }
  return [];
}

/** The widest visibility that is no wider than the wanted one and that the actor may give; the wanted one if none is. */
export function closestVisibility(
  actor: Pick<Actor, 'admin'>,
  settings: Settings,
  wanted: Visibility,
  bounds: VisibilityBounds,
): Visibility {
  const allowed = VISIBILITIES.filter(
    (level) => !isWider(level, wanted) && visibilityErrors(actor, settings, level, bounds).length === 0,
  );
  return allowed.at(-1) ?? wanted;
}

/** Whether more people see what is `visibility` than what is `other`. */
export function isWider(visibility: Visibility, other: Visibility): boolean {
  return VISIBILITIES.indexOf(visibility) > VISIBILITIES.indexOf(other);
}
