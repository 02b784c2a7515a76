import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';

const precheck = 'read_repository';
const slashes = ['tag_name'];

export const tagsWrite: Route[] = [
  {
    method: 'POST',
    path: '/projects/:id/repository/tags',
    ...mutation('CreateTag', 'createTag.tag', '...TagRecord'),
    names: { name: 'tag_name' },
    precheck,
    failure: { BAD_REQUEST: 405 },
  },
  {
    method: 'DELETE',
    path: '/projects/:id/repository/tags/:tag_name',
    ...mutation('DeleteTag', 'deleteTag', 'deletedTagName'),
    changedAt: 'commit.committed_date',
    names: { name: 'tag_name' },
    precheck,
    slashes,
    status: 204,
  },
  {
    method: 'POST',
    path: '/projects/:id/repository/tags/:tag_name/release',
    ...mutation('CreateRelease', 'createRelease.release', '...ReleaseRecord'),
    names: { tag: 'tag_name' },
    hidden: ['assets', 'milestone_ids', 'milestones', 'name', 'ref', 'released_at', 'tag_message'],
    required: ['description'],
    precheck,
    slashes,
  },
  {
    method: 'PUT',
    path: '/projects/:id/repository/tags/:tag_name/release',
    ...mutation('UpdateRelease', 'updateRelease.release', '...ReleaseRecord'),
    names: { tag: 'tag_name' },
    hidden: ['milestone_ids', 'milestones', 'name', 'released_at'],
    required: ['description'],
    precheck,
    slashes,
  },
];
