import { path } from '#pages/engine/helpers.ts';
import type { ProjectFrameFragment } from '#src/generated/page_operations.ts';

/** Projects and groups, which have some pages in common. */
export type PlaceKind = 'project' | 'group';

/** What is before the resources of a place in the paths of rows. */
export const PLACES = { project: '/:project/-', group: '/groups/:group/-' } as const satisfies Record<
  PlaceKind,
  string
>;

/** What the templates of pages that projects and groups have in common get of their place, which is a project or a group. */
export type ShownPlace<Place> = Place extends ProjectFrameFragment
  ? { project: Place; group: undefined; place: Place; base: string }
  : { project: undefined; group: Place; place: Place; base: string };

/** What is of a place in the values of a template. */
export function shownIn<Place extends { fullPath: string }>(kind: PlaceKind, place: Place): ShownPlace<Place> {
  const [project, group] = kind === 'project' ? [place, undefined] : [undefined, place];
  return { project, group, place, base: `${basePath(kind, place.fullPath)}/-` } as ShownPlace<Place>;
}

/** The address of something in the place that the parameters of a path name. */
export function inPlace(given: Readonly<Record<string, unknown>>, ...parts: readonly (string | number)[]): string {
  const base =
    given.group === undefined ? basePath('project', String(given.project)) : basePath('group', String(given.group));
  return `${base}/-${path(...parts)}`;
}

function basePath(kind: PlaceKind, fullPath: string): string {
  return kind === 'group' ? path('groups', fullPath) : path(fullPath);
}
