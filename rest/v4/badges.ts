import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** The routes of badges are the same below projects and groups. */
export const badges: Route[] = [
  ...routesOf('project', {
    list: operations.ProjectBadgesDocument,
    tried: operations.ProjectTriedBadgeDocument,
    one: operations.ProjectBadgeDocument,
  }),
  ...routesOf('group', {
    list: operations.GroupBadgesDocument,
    tried: operations.GroupTriedBadgeDocument,
    one: operations.GroupBadgeDocument,
  }),
];

type Operations = Record<'list' | 'tried' | 'one', Route['operation']>;

function routesOf(place: 'project' | 'group', { list, tried, one }: Operations): Route[] {
  const path = `/${place}s/:id/badges`;
  const noun = place === 'project' ? 'Project' : 'Group';
  const reading = place === 'project' ? ({ auth: 'optional' } as const) : {};
  const badge = { path: `${path}/:badge_id`, numeric: ['badge_id'] };
  return [
    { method: 'GET', path, operation: list, result: `${place}.badges`, ...reading },
    { method: 'GET', path: `${path}/render`, operation: tried, result: `${place}.badge`, constants: { name: null } },
    { method: 'GET', ...badge, operation: one, result: `${place}.badge`, ...reading },
    {
      method: 'POST',
      path,
      ...mutation(`Create${noun}Badge`, 'createBadge.badge', '...BadgeRecord'),
      required: ['link_url', 'image_url'],
    },
    { method: 'PUT', ...badge, ...mutation(`Update${noun}Badge`, 'updateBadge.badge', '...BadgeRecord') },
    { method: 'DELETE', ...badge, ...mutation(`Delete${noun}Badge`, 'deleteBadge', 'deletedBadgeId'), status: 204 },
  ];
}
