import { VISIBILITIES, type Visibility } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { Settings } from '#src/platform/settings/current.ts';

/** What limits the visibility of a project or group. */
export interface VisibilityBounds {
  /** That of the parent group; null at the top and in a personal namespace. */
  group: Visibility | null;
  /** That of the project it was forked from; null for others. */
  source?: Visibility | null;
}

/** Why the actor may not set this visibility on a project or group (behaviour.md 1.6); empty if allowed. */
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

/** The widest visibility that is no wider than the requested one and that the actor may set; else the requested one. */
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

/** Whether `visibility` is wider than `other`. */
export function isWider(visibility: Visibility, other: Visibility): boolean {
  return VISIBILITIES.indexOf(visibility) > VISIBILITIES.indexOf(other);
}
