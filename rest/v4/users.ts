import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const numeric = ['id'];
const allOrNone = ['extern_uid', 'provider'];

export const users: Route[] = [
  { method: 'GET', path: '/users', operation: operations.ListUsersDocument, result: 'users' },
  { method: 'GET', path: '/users/:id', operation: operations.GetUserDocument, result: 'user', numeric },
  {
    method: 'POST',
    path: '/users',
    operation: operations.CreateUserDocument,
    result: 'createUser.user',
    atLeastOne: ['password', 'reset_password'],
    allOrNone,
  },
  {
    method: 'PUT',
    path: '/users/:id',
    operation: operations.UpdateUserDocument,
    result: 'updateUser.user',
    numeric,
    failure: 404,
    atLeastOne: [
      'email',
      'username',
      'name',
      'password',
      'skype',
      'linkedin',
      'twitter',
      'website_url',
      'organization',
      'projects_limit',
      'extern_uid',
      'provider',
      'bio',
      'location',
      'admin',
      'can_create_group',
      'external',
    ],
    allOrNone,
  },
  {
    method: 'DELETE',
    path: '/users/:id',
    operation: operations.DeleteUserDocument,
    result: 'deleteUser.user',
    numeric,
  },
  {
    method: 'POST',
    path: '/users/:id/block',
    operation: operations.BlockUserDocument,
    result: 'blockUser.changed',
    numeric,
  },
  {
    method: 'POST',
    path: '/users/:id/unblock',
    operation: operations.UnblockUserDocument,
    result: 'unblockUser.changed',
    numeric,
  },
  {
    method: 'GET',
    path: '/user/activities',
    operation: operations.UserActivitiesDocument,
    result: 'userActivities',
  },
  {
    method: 'GET',
    path: '/user',
    operation: operations.CurrentUserDocument,
    result: 'viewer',
    omitNull: ['private_token'],
  },
  {
    method: 'POST',
    path: '/session',
    operation: operations.CreateSessionDocument,
    result: 'signIn.viewer',
    auth: 'optional',
    atLeastOne: ['login', 'email'],
  },
  { method: 'GET', path: '/version', operation: operations.VersionDocument, result: 'version' },
];
