import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const numeric = ['id'];

export const emails: Route[] = [
  {
    method: 'GET',
    path: '/user/emails',
    operation: operations.OwnEmailsDocument,
    description: 'The secondary addresses of the caller, newest first.',
    result: 'viewer.secondaryEmails',
  },
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
    description: 'A secondary address of the caller by its ID.',
    result: 'viewer.secondaryEmail',
  },
  {
    method: 'POST',
    path: '/user/emails',
    ...mutation('CreateOwnEmail', 'createEmail.email', '...EmailRecord'),
    description:
      'Adds a secondary address to the account of the caller, which is mailed a link to confirm it where mail is sent.',
  },
  {
    method: 'POST',
    path: '/users/:id/emails',
    ...mutation('CreateUserEmail', 'createEmail.email', '...EmailRecord'),
    description: 'Adds a secondary address to the account of a user. For administrators.',
    numeric,
  },
  {
    method: 'DELETE',
    path: '/user/emails/:email_id',
    ...mutation('DeleteOwnEmail', 'deleteEmail.email', '...EmailRecord'),
    description: 'Deletes a secondary address of the caller. Nothing happens when there is none.',
  },
  {
    method: 'DELETE',
    path: '/users/:id/emails/:email_id',
    ...mutation('DeleteUserEmail', 'deleteEmail.email', '...EmailRecord'),
    description: 'Deletes a secondary address of a user. For administrators.',
    numeric,
  },
];
