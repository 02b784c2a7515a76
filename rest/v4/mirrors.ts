import type { Route } from '#rest/engine/route.ts';
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
    operation: operations.CreateRemoteMirrorDocument,
    result: 'createRemoteMirror.remoteMirror',
    constants,
  },
  {
    method: 'PUT',
    path: mirror,
    operation: operations.UpdateRemoteMirrorDocument,
    result: 'updateRemoteMirror.remoteMirror',
    constants,
  },
  {
    method: 'DELETE',
    path: mirror,
    operation: operations.DeleteRemoteMirrorDocument,
    result: 'deleteRemoteMirror',
    status: 204,
  },
  {
    method: 'POST',
    path: `${mirror}/sync`,
    operation: operations.SyncRemoteMirrorDocument,
    result: 'syncRemoteMirror.remoteMirror',
    status: 204,
  },
  {
    method: 'GET',
    path: pull,
    operation: operations.ProjectPullMirrorDocument,
    result: 'project.pullMirror',
    nothing: { status: 404, message: '404 Pull Mirror Not Found' },
    constants: unfiltered,
  },
  {
    method: 'PUT',
    path: pull,
    operation: operations.SavePullMirrorDocument,
    names: {
      username: 'auth_user',
      password: 'auth_password',
      triggers_pipelines: 'mirror_trigger_builds',
      only_protected_branches: 'only_mirror_protected_branches',
      overwrites_diverged: 'mirror_overwrites_diverged_branches',
    },
    result: 'savePullMirror.pullMirror',
    constants: unfiltered,
  },
  {
    method: 'POST',
    path: pull,
    operation: operations.StartPullMirrorDocument,
    result: 'startPullMirror.pullMirror',
    status: 200,
    body: {},
  },
];
