import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'administrate';

/** The OAuth applications of the server, for administrators. */
export const applications: Route[] = [
  {
    method: 'GET',
    path: '/applications',
    operation: operations.ListApplicationsDocument,
    result: 'oauthApplications',
    precheck,
  },
  {
    method: 'POST',
    path: '/applications',
    operation: operations.CreateApplicationDocument,
    names: { redirect_uris: 'redirect_uri' },
    required: ['name', 'redirect_uri', 'scopes'],
    description: 'Registers an application. For administrators.',
    result: 'registerOAuthApplication.oauthApplication',
    precheck,
    commaSeparated: ['scopes'],
  },
  {
    method: 'DELETE',
    path: '/applications/:id',
    ...mutation('DeleteApplication', 'deleteOAuthApplication.oauthApplication', 'id'),
    description: 'Deletes an application with all its tokens. For administrators.',
    numeric: ['id'],
    status: 204,
    precheck,
  },
  {
    method: 'POST',
    path: '/applications/:id/renew-secret',
    operation: operations.RenewApplicationSecretDocument,
    description: 'Gives an application a new secret. For administrators.',
    result: 'renewOAuthApplicationSecret.oauthApplication',
    numeric: ['id'],
    precheck,
  },
];
