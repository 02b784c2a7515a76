import { OAuthApplication } from '#schema/applications/types.ts';
import { builder } from '#schema/builder.ts';
import { OAuthScope } from '#schema/enums.ts';
import { type InputFields, namesOf } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
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

const RegisterOAuthApplicationInput = builder.inputType('RegisterOAuthApplicationInput', {
  description: 'A new application of the caller.',
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
});

const UpdateOAuthApplicationInput = builder.inputType('UpdateOAuthApplicationInput', {
  description: 'Changes to an application. What is left out stays as it is.',
  fields: (t) => ({
    id: application(t),
    name: t.string({ description: 'Name that users see when they authorize the application.' }),
    redirectUris: t.stringList({ description: 'All URLs that users can be redirected to.' }),
    scopes: t.field({
      type: [OAuthScope],
      description: 'The scopes that the application can request. Tokens with other scopes are revoked.',
    }),
  }),
});

const RenewOAuthApplicationSecretInput = builder.inputType('RenewOAuthApplicationSecretInput', {
  description: 'Which application gets a new secret.',
  fields: (t) => ({ id: application(t) }),
});

const DeleteOAuthApplicationInput = builder.inputType('DeleteOAuthApplicationInput', {
  description: 'Which application to delete.',
  fields: (t) => ({ id: application(t) }),
});

const RevokeAuthorizedApplicationInput = builder.inputType('RevokeAuthorizedApplicationInput', {
  description: 'Which application to revoke the access of.',
  fields: (t) => ({
    applicationId: t.field({
      ...idOf('OAuthApplication'),
      description: 'ID of the application; null for tokens granted in exchange for a password, without an application.',
    }),
  }),
});

type Saved = { oauthApplication: Pick<ApplicationRow, 'id' | 'secret'> };

function applicationPayload(mutation: string, description: string) {
  return builder.objectRef<Saved>(namesOf(mutation).payload).implement({
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
  });
}

const DeleteOAuthApplicationPayload = builder
  .objectRef<{ oauthApplication: Known<'OAuthApplication'> }>('DeleteOAuthApplicationPayload')
  .implement({
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
  });

const RevokeAuthorizedApplicationPayload = builder
  .objectRef<{ applicationId: number | null }>('RevokeAuthorizedApplicationPayload')
  .implement({
    description: 'The application whose access was revoked.',
    fields: (t) => ({
      revokedApplicationId: t.id({
        nullable: true,
        description: 'Global ID of the application; null if none was named.',
        resolve: ({ applicationId }) => (applicationId === null ? null : toGlobalId('OAuthApplication', applicationId)),
      }),
    }),
  });

builder.mutationFields((t) => ({
  registerOAuthApplication: t.field({
    type: applicationPayload('registerOAuthApplication', 'The new application. Its secret is only shown this once.'),
    description: 'Registers an application. For administrators, and for other users if the settings allow it.',
    args: {
      input: t.arg({
        type: RegisterOAuthApplicationInput,
        required: true,
        description: 'Name, redirect URIs and scopes of the application.',
      }),
    },
    resolve: async (_root, { input }, context) => ({ oauthApplication: await registerApplication(context, input) }),
  }),
  updateOAuthApplication: t.field({
    type: applicationPayload('updateOAuthApplication', 'The application as it is now.'),
    description: 'Changes an application of the caller. Administrators can change any.',
    args: {
      input: t.arg({
        type: UpdateOAuthApplicationInput,
        required: true,
        description: 'Names the application, and the changes.',
      }),
    },
    resolve: async (_root, { input: { id, ...changes } }, context) => ({
      oauthApplication: await updateApplication(context, id, changes),
    }),
  }),
  renewOAuthApplicationSecret: t.field({
    type: applicationPayload('renewOAuthApplicationSecret', 'The application. Its new secret is only shown this once.'),
    description:
      'Renews the secret of an application of the caller; the old one stops working immediately. Administrators can renew any.',
    args: {
      input: t.arg({
        type: RenewOAuthApplicationSecretInput,
        required: true,
        description: 'Names the application that gets a new secret.',
      }),
    },
    resolve: async (_root, { input: { id } }, context) => ({ oauthApplication: await renewSecret(context, id) }),
  }),
  deleteOAuthApplication: t.field({
    type: DeleteOAuthApplicationPayload,
    description: 'Deletes an application of the caller with all its tokens. Administrators can delete any.',
    args: {
      input: t.arg({
        type: DeleteOAuthApplicationInput,
        required: true,
        description: 'Names the application to delete.',
      }),
    },
    resolve: async (_root, { input: { id } }, context, info) => ({
      oauthApplication: await deleteApplication(context, id, selectionAt(info, 'OAuthApplication')),
    }),
  }),
  revokeAuthorizedApplication: t.field({
    type: RevokeAuthorizedApplicationPayload,
    description: 'Revokes the access that the caller granted to an application, with all its tokens.',
    args: {
      input: t.arg({
        type: RevokeAuthorizedApplicationInput,
        required: true,
        description: 'Names the application whose access to revoke.',
      }),
    },
    resolve: async (_root, { input }, context) => {
      const applicationId = input.applicationId ?? null;
      await revokeAuthorized(context, applicationId);
      return { applicationId };
    },
  }),
}));
