import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { OF_MIRRORS } from '#rest/v4/unsupported.ts';
import * as operations from '#src/generated/operations.ts';

const mirrors = '/projects/:id/remote_mirrors';
const mirror = `${mirrors}/:mirror_id`;
/** Only keys of SSH have host keys, and the server signs in by passwords. */
const constants = { host_keys: [] };

const pull = '/projects/:id/mirror/pull';
/** Branches are not chosen by a pattern. */
const unfiltered = { mirror_branch_regex: null };

export const remoteMirrors: Route[] = [
  {
    method: 'GET',
    path: mirrors,
    operation: operations.ProjectRemoteMirrorsDocument,
    result: 'project.remoteMirrors',
    constants,
  },
  {
    method: 'GET',
    path: mirror,
    operation: operations.ProjectRemoteMirrorDocument,
    result: 'project.remoteMirror',
    constants,
  },
  {
    method: 'POST',
    path: mirrors,
    unsupported: OF_MIRRORS,
    ...mutation('CreateRemoteMirror', 'createRemoteMirror.remoteMirror', '...RemoteMirrorRecord'),
    constants,
  },
  {
    method: 'PUT',
    path: mirror,
    unsupported: OF_MIRRORS,
    ...mutation('UpdateRemoteMirror', 'updateRemoteMirror.remoteMirror', '...RemoteMirrorRecord'),
    constants,
  },
  {
    method: 'DELETE',
    path: mirror,
    ...mutation('DeleteRemoteMirror', 'deleteRemoteMirror', 'deletedRemoteMirrorId'),
    status: 204,
  },
  {
    method: 'POST',
    path: `${mirror}/sync`,
    ...mutation('SyncRemoteMirror', 'syncRemoteMirror.remoteMirror', 'databaseId'),
    status: 204,
  },
  {
    method: 'GET',
    path: pull,
    operation: operations.ProjectPullMirrorDocument,
    result: 'project.pullMirror',
    whenNull: { status: 404, message: '404 Pull Mirror Not Found' },
    constants: unfiltered,
  },
  {
    method: 'PUT',
    path: pull,
    ...mutation('SavePullMirror', 'savePullMirror.pullMirror', '...PullMirrorRecord'),
    names: {
      username: 'auth_user',
      password: 'auth_password',
      triggers_pipelines: 'mirror_trigger_builds',
      only_protected_branches: 'only_mirror_protected_branches',
      overwrites_diverged: 'mirror_overwrites_diverged_branches',
    },
    constants: unfiltered,
  },
  {
    method: 'POST',
    path: pull,
    ...mutation('StartPullMirror', 'startPullMirror.pullMirror', 'databaseId'),
    status: 200,
    body: {},
  },
];
