import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const numeric = ['id'];

export const emails: Route[] = [
  { method: 'GET', path: '/user/emails', operation: operations.OwnEmailsDocument, result: 'viewer.secondaryEmails' },
  {
    method: 'GET',
    path: '/users/:id/emails',
    operation: operations.UserEmailsDocument,
    result: 'user.secondaryEmails',
    numeric,
    precheck: 'read_accounts',
  },
  {
    method: 'GET',
    path: '/user/emails/:email_id',
    operation: operations.OwnEmailDocument,
    result: 'viewer.secondaryEmail',
  },
  { method: 'POST', path: '/user/emails', operation: operations.CreateOwnEmailDocument, result: 'createEmail.email' },
  {
    method: 'POST',
    path: '/users/:id/emails',
    operation: operations.CreateUserEmailDocument,
    result: 'createEmail.email',
    numeric,
  },
  {
    method: 'DELETE',
    path: '/user/emails/:email_id',
    operation: operations.DeleteOwnEmailDocument,
    result: 'deleteEmail.email',
  },
  {
    method: 'DELETE',
    path: '/users/:id/emails/:email_id',
    operation: operations.DeleteUserEmailDocument,
    result: 'deleteEmail.email',
    numeric,
  },
];
