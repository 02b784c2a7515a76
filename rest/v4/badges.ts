import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** The routes of badges are the same below projects and groups. */
export const badges: Route[] = [
  ...routesOf('project', {
    list: operations.ProjectBadgesDocument,
    tried: operations.ProjectTriedBadgeDocument,
    one: operations.ProjectBadgeDocument,
    create: operations.CreateProjectBadgeDocument,
    update: operations.UpdateProjectBadgeDocument,
    remove: operations.DeleteProjectBadgeDocument,
  }),
  ...routesOf('group', {
    list: operations.GroupBadgesDocument,
    tried: operations.GroupTriedBadgeDocument,
    one: operations.GroupBadgeDocument,
    create: operations.CreateGroupBadgeDocument,
    update: operations.UpdateGroupBadgeDocument,
    remove: operations.DeleteGroupBadgeDocument,
  }),
];

type Operations = Record<'list' | 'tried' | 'one' | 'create' | 'update' | 'remove', Route['operation']>;

function routesOf(place: 'project' | 'group', { list, tried, one, create, update, remove }: Operations): Route[] {
  const path = `/${place}s/:id/badges`;
  const reading = place === 'project' ? ({ auth: 'optional' } as const) : {};
  const badge = { path: `${path}/:badge_id`, numeric: ['badge_id'] };
  return [
    { method: 'GET', path, operation: list, result: `${place}.badges`, ...reading },
    { method: 'GET', path: `${path}/render`, operation: tried, result: `${place}.badge`, constants: { name: null } },
    { method: 'GET', ...badge, operation: one, result: `${place}.badge`, ...reading },
    { method: 'POST', path, operation: create, required: ['link_url', 'image_url'], result: 'createBadge.badge' },
    { method: 'PUT', ...badge, operation: update, result: 'updateBadge.badge' },
    { method: 'DELETE', ...badge, operation: remove, result: 'deleteBadge', status: 204 },
  ];
}
