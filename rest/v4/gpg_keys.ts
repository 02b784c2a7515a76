import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const gpgKeys: Route[] = [
  {
    method: 'GET',
    path: '/user/gpg_keys',
    operation: operations.OwnGpgKeysDocument,
    result: 'viewer.gpgKeys',
    description: 'The GPG keys of the caller, newest first.',
  },
  {
    method: 'GET',
    path: '/user/gpg_keys/:key_id',
    operation: operations.OwnGpgKeyDocument,
    result: 'viewer.gpgKey',
    description: 'A GPG key of the caller by its ID.',
    numeric: ['key_id'],
  },
  {
    method: 'POST',
    path: '/user/gpg_keys',
    ...mutation('CreateOwnGpgKey', 'createGpgKey.gpgKey', '...GpgKeyRecord'),
    description: 'Adds a GPG key to the account of the caller.',
  },
  {
    method: 'DELETE',
    path: '/user/gpg_keys/:key_id',
    ...mutation('DeleteOwnGpgKey', 'deleteGpgKey', 'deletedGpgKeyId'),
    description: 'Deletes a GPG key of the caller.',
    status: 204,
    numeric: ['key_id'],
  },
  {
    method: 'POST',
    path: '/user/gpg_keys/:key_id/revoke',
    ...mutation('RevokeOwnGpgKey', 'deleteGpgKey', 'deletedGpgKeyId'),
    description: 'Deletes a GPG key of the caller. Commits that it signed are no longer verified.',
    status: 202,
    body: {},
    numeric: ['key_id'],
  },
  {
    method: 'GET',
    path: '/users/:id/gpg_keys',
    operation: operations.UserGpgKeysDocument,
    result: 'user.gpgKeys',
    numeric: ['id'],
  },
  {
    method: 'GET',
    path: '/users/:id/gpg_keys/:key_id',
    operation: operations.UserGpgKeyDocument,
    result: 'user.gpgKey',
    numeric: ['id', 'key_id'],
  },
  {
    method: 'POST',
    path: '/users/:id/gpg_keys',
    ...mutation('CreateUserGpgKey', 'createGpgKey.gpgKey', '...GpgKeyRecord'),
    description: 'Adds a GPG key to the account of a user. For administrators.',
    numeric: ['id'],
  },
  {
    method: 'DELETE',
    path: '/users/:id/gpg_keys/:key_id',
    ...mutation('DeleteUserGpgKey', 'deleteGpgKey', 'deletedGpgKeyId'),
    description: 'Deletes a GPG key of a user. For administrators.',
    status: 204,
    numeric: ['id', 'key_id'],
  },
  {
    method: 'POST',
    path: '/users/:id/gpg_keys/:key_id/revoke',
    ...mutation('RevokeUserGpgKey', 'deleteGpgKey', 'deletedGpgKeyId'),
    description: 'Deletes a GPG key of a user. Commits that it signed are no longer verified. For administrators.',
    status: 202,
    body: {},
    numeric: ['id', 'key_id'],
  },
];
