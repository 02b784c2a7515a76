import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const numeric = ['id'];

export const keys: Route[] = [
  {
    method: 'GET',
    path: '/user/keys',
    operation: operations.OwnSshKeysDocument,
    description: 'The SSH keys of the caller, newest first.',
    result: 'viewer.sshKeys',
  },
  {
    method: 'GET',
    path: '/users/:id/keys',
    operation: operations.UserSshKeysDocument,
    result: 'user.sshKeys',
    numeric,
    precheck: 'read_accounts',
  },
  {
    method: 'GET',
    path: '/user/keys/:key_id',
    operation: operations.OwnSshKeyDocument,
    description: 'An SSH key of the caller by its ID.',
    result: 'viewer.sshKey',
  },
  {
    method: 'POST',
    path: '/user/keys',
    ...mutation('CreateOwnSshKey', 'createSshKey.sshKey', '...SshKeyRecord'),
    required: ['title', 'key'],
    description: 'Adds an SSH key to the account of the caller.',
  },
  {
    method: 'POST',
    path: '/users/:id/keys',
    ...mutation('CreateUserSshKey', 'createSshKey.sshKey', '...SshKeyRecord'),
    required: ['title', 'key'],
    description: 'Adds an SSH key to the account of a user. For administrators.',
    numeric,
  },
  {
    method: 'DELETE',
    path: '/user/keys/:key_id',
    ...mutation('DeleteOwnSshKey', 'deleteSshKey.sshKey', '...SshKeyRecord'),
    description: 'Deletes an SSH key of the caller. Nothing happens when there is none.',
  },
  {
    method: 'DELETE',
    path: '/users/:id/keys/:key_id',
    ...mutation('DeleteUserSshKey', 'deleteSshKey.sshKey', '...SshKeyRecord'),
    description: 'Deletes an SSH key of a user. For administrators.',
    numeric,
  },
  {
    method: 'GET',
    path: '/users/:id/keys/:key_id',
    operation: operations.UserSshKeyDocument,
    result: 'user.sshKey',
    numeric: ['id', 'key_id'],
    precheck: 'read_accounts',
  },
  {
    method: 'GET',
    path: '/keys',
    operation: operations.KeyByFingerprintDocument,
    result: 'keyByFingerprint',
    omitNull: ['deploy_keys_projects'],
    omitEmpty: ['deploy_keys_projects'],
  },
  { method: 'GET', path: '/keys/:id', operation: operations.AnySshKeyDocument, result: 'sshKey' },
];
