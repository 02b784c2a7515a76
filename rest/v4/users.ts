import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const users: Route[] = [
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
