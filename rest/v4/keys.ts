import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const numeric = ['id'];

export const keys: Route[] = [
  { method: 'GET', path: '/user/keys', operation: operations.OwnSshKeysDocument, result: 'viewer.sshKeys' },
  {
    method: 'GET',
    path: '/users/:id/keys',
    operation: operations.UserSshKeysDocument,
    result: 'user.sshKeys',
    numeric,
    precheck: 'read_accounts',
  },
  { method: 'GET', path: '/user/keys/:key_id', operation: operations.OwnSshKeyDocument, result: 'viewer.sshKey' },
  { method: 'POST', path: '/user/keys', operation: operations.CreateOwnSshKeyDocument, result: 'createSshKey.sshKey' },
  {
    method: 'POST',
    path: '/users/:id/keys',
    operation: operations.CreateUserSshKeyDocument,
    result: 'createSshKey.sshKey',
    numeric,
  },
  {
    method: 'DELETE',
    path: '/user/keys/:key_id',
    operation: operations.DeleteOwnSshKeyDocument,
    result: 'deleteSshKey.sshKey',
  },
  {
    method: 'DELETE',
    path: '/users/:id/keys/:key_id',
    operation: operations.DeleteUserSshKeyDocument,
    result: 'deleteSshKey.sshKey',
    numeric,
  },
  { method: 'GET', path: '/keys/:id', operation: operations.AnySshKeyDocument, result: 'sshKey' },
];
