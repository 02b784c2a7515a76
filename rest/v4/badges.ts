import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** The routes of badges are the same below projects and groups. */
export const badges: Route[] = [
  ...routesOf('project', {
    list: operations.ProjectBadgesDocument,
    tried: operations.ProjectTriedBadgeDocument,
    one: operations.ProjectBadgeDocument,
    create: mutation('CreateProjectBadge', 'createBadge.badge', '...BadgeRecord').operation,
    update: mutation('UpdateProjectBadge', 'updateBadge.badge', '...BadgeRecord').operation,
    remove: mutation('DeleteProjectBadge', 'deleteBadge', 'deletedBadgeId').operation,
  }),
  ...routesOf('group', {
    list: operations.GroupBadgesDocument,
    tried: operations.GroupTriedBadgeDocument,
    one: operations.GroupBadgeDocument,
    create: mutation('CreateGroupBadge', 'createBadge.badge', '...BadgeRecord').operation,
    update: mutation('UpdateGroupBadge', 'updateBadge.badge', '...BadgeRecord').operation,
    remove: mutation('DeleteGroupBadge', 'deleteBadge', 'deletedBadgeId').operation,
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
