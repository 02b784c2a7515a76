import { path } from '#src/entrances/web/pages/helpers.ts';

/** Projects and groups, which have some pages in common. */
export type PlaceKind = 'project' | 'group';

/** What is before the resources of a place in the paths of rows. */
export const PLACES = { project: '/:project/-', group: '/groups/:group/-' } as const satisfies Record<
  PlaceKind,
  string
>;

/** What the templates of pages that projects and groups have in common get of their place. */
export function shownIn<Place extends { fullPath: string }>(kind: PlaceKind, place: Place) {
  const [project, group] = kind === 'project' ? [place, undefined] : [undefined, place];
  return { project, group, place, base: `${basePath(kind, place.fullPath)}/-` };
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
