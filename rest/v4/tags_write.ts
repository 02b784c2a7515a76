import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'read_repository';
const slashes = ['tag_name'];

export const tagsWrite: Route[] = [
  {
    method: 'POST',
    path: '/projects/:id/repository/tags',
    operation: operations.CreateTagDocument,
    names: { name: 'tag_name' },
    result: 'createTag.tag',
    precheck,
    failure: { BAD_REQUEST: 405 },
  },
  {
    method: 'DELETE',
    path: '/projects/:id/repository/tags/:tag_name',
    operation: operations.DeleteTagDocument,
    names: { name: 'tag_name' },
    result: 'deleteTag',
    precheck,
    slashes,
    status: 204,
  },
  {
    method: 'POST',
    path: '/projects/:id/repository/tags/:tag_name/release',
    operation: operations.CreateReleaseDocument,
    names: { tag: 'tag_name' },
    hidden: ['assets', 'milestone_ids', 'milestones', 'name', 'ref', 'released_at', 'tag_message'],
    required: ['description'],
    result: 'createRelease.release',
    precheck,
    slashes,
  },
  {
    method: 'PUT',
    path: '/projects/:id/repository/tags/:tag_name/release',
    operation: operations.UpdateReleaseDocument,
    names: { tag: 'tag_name' },
    hidden: ['milestone_ids', 'milestones', 'name', 'released_at'],
    required: ['description'],
    result: 'updateRelease.release',
    precheck,
    slashes,
  },
];
