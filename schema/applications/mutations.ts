import { OAuthApplication } from '#schema/applications/types.ts';
import { OAuthScope } from '#schema/enums.ts';
import type { InputFields } from '#schema/inputs.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { revokeAuthorized } from '#src/domain/applications/authorized.ts';
import { type ApplicationRow, findApplication } from '#src/domain/applications/find.ts';
import {
  deleteApplication,
  registerApplication,
  renewSecret,
  updateApplication,
} from '#src/domain/applications/save.ts';

const application = (t: InputFields) =>
  t.field({ ...idOf('OAuthApplication'), required: true, description: 'ID of the application (not its `client_id`).' });

type Saved = { oauthApplication: Pick<ApplicationRow, 'id' | 'secret'> };

function applicationPayload(description: string): Payload<Saved> {
  return {
    description: 'The application after the mutation.',
    fields: (t) => ({
      oauthApplication: t.field({
        type: OAuthApplication,
        description,
        resolve: async ({ oauthApplication: { id, secret } }, _args, context, info) => {
          const found = await findApplication(context, id, selectionAt(info, 'OAuthApplication'));
          return secret === undefined ? found : { ...found, secret };
        },
      }),
    }),
  };
}

mutation('registerOAuthApplication', {
  description: 'Registers an application. For administrators, and for other users if the settings allow it.',
  input: {
    description: 'A new application of the caller.',
    argument: 'Name, redirect URIs and scopes of the application.',
    fields: (t) => ({
      name: t.string({ required: true, description: 'Name that users see when they authorize the application.' }),
      redirectUris: t.stringList({
        required: true,
        description:
          'URLs that users can be redirected to: absolute, with https, http or a custom scheme, without a fragment.',
      }),
      scopes: t.field({
        type: [OAuthScope],
        required: true,
        defaultValue: ['api'],
        description: 'The scopes that the application can request.',
      }),
      confidential: t.boolean({
        required: true,
        defaultValue: true,
        description: 'Whether the application can keep a secret. Native and single-page apps cannot.',
      }),
    }),
  },
  resolve: async (input, context) => ({ oauthApplication: await registerApplication(context, input) }),
  payload: applicationPayload('The new application. Its secret is only shown this once.'),
});

mutation('updateOAuthApplication', {
  description: 'Changes an application of the caller. Administrators can change any.',
  input: {
    description: 'Changes to an application. What is left out stays as it is.',
    argument: 'Names the application, and the changes.',
    fields: (t) => ({
      id: application(t),
      name: t.string({ description: 'Name that users see when they authorize the application.' }),
      redirectUris: t.stringList({ description: 'All URLs that users can be redirected to.' }),
      scopes: t.field({
        type: [OAuthScope],
        description: 'The scopes that the application can request. Tokens with other scopes are revoked.',
      }),
    }),
  },
  resolve: async ({ id, ...changes }, context) => ({ oauthApplication: await updateApplication(context, id, changes) }),
  payload: applicationPayload('The application as it is now.'),
});

mutation('renewOAuthApplicationSecret', {
  description:
    'Renews the secret of an application of the caller; the old one stops working immediately. Administrators can renew any.',
  input: {
    description: 'Which application gets a new secret.',
    argument: 'Names the application that gets a new secret.',
    fields: (t) => ({ id: application(t) }),
  },
  resolve: async ({ id }, context) => ({ oauthApplication: await renewSecret(context, id) }),
  payload: applicationPayload('The application. Its new secret is only shown this once.'),
});

mutation('deleteOAuthApplication', {
  description: 'Deletes an application of the caller with all its tokens. Administrators can delete any.',
  input: {
    description: 'Which application to delete.',
    argument: 'Names the application to delete.',
    fields: (t) => ({ id: application(t) }),
  },
  resolve: async ({ id }, context, info) => ({
    oauthApplication: await deleteApplication(context, id, selectionAt(info, 'OAuthApplication')),
  }),
  payload: {
    description: 'The application that was deleted.',
    fields: (t) => ({
      deletedOAuthApplicationId: t.id({
        description: 'Global ID of the application that was deleted.',
        resolve: ({ oauthApplication }) => toGlobalId('OAuthApplication', oauthApplication.id),
      }),
      oauthApplication: t.expose('oauthApplication', {
        type: OAuthApplication,
        description: 'The application as it was.',
      }),
    }),
  },
});

mutation('revokeAuthorizedApplication', {
  description: 'Revokes the access that the caller granted to an application, with all its tokens.',
  input: {
    description: 'Which application to revoke the access of.',
    argument: 'Names the application whose access to revoke.',
    fields: (t) => ({
      applicationId: t.field({
        ...idOf('OAuthApplication'),
        description:
          'ID of the application; null for tokens granted in exchange for a password, without an application.',
      }),
    }),
  },
  resolve: async (input, context) => {
    const applicationId = input.applicationId ?? null;
    await revokeAuthorized(context, applicationId);
    return { applicationId };
  },
  payload: {
    description: 'The application whose access was revoked.',
    fields: (t) => ({
      revokedApplicationId: t.id({
        nullable: true,
        description: 'Global ID of the application; null if none was named.',
        resolve: ({ applicationId }) => (applicationId === null ? null : toGlobalId('OAuthApplication', applicationId)),
      }),
    }),
  },
});
