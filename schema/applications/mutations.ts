import { OAuthApplication } from '#schema/applications/types.ts';
import { builder } from '#schema/builder.ts';
import { OAuthScope } from '#schema/enums.ts';
import { type InputFields, namesOf } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { revokeAuthorized } from '#src/applications/authorized.ts';
import type { ApplicationRow } from '#src/applications/find.ts';
import { deleteApplication, registerApplication, renewSecret, updateApplication } from '#src/applications/save.ts';

const application = (t: InputFields) =>
  t.field({ ...idOf('OAuthApplication'), required: true, description: 'ID of the application, not its client_id.' });

const RegisterOAuthApplicationInput = builder.inputType('RegisterOAuthApplicationInput', {
  description: 'A new application of the caller.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name under which users are asked to authorize it.' }),
    redirectUris: t.stringList({
      required: true,
      description:
        'Addresses that users may be sent back to: absolute, of https, http or a scheme of its own, without a fragment.',
    }),
    scopes: t.field({
      type: [OAuthScope],
      required: true,
      defaultValue: ['api'],
      description: 'What the application may ask users for, at most.',
    }),
    confidential: t.boolean({
      required: true,
      defaultValue: true,
      description: 'Whether it can keep a secret, as programs on the machines of users cannot.',
    }),
  }),
});

const UpdateOAuthApplicationInput = builder.inputType('UpdateOAuthApplicationInput', {
  description: 'Changes to an application. What is left out stays as it is.',
  fields: (t) => ({
    id: application(t),
    name: t.string({ description: 'Name under which users are asked to authorize it.' }),
    redirectUris: t.stringList({ description: 'All addresses that users may be sent back to from now on.' }),
    scopes: t.field({
      type: [OAuthScope],
      description: 'What it may ask users for. Tokens that reach further are revoked.',
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
  description: 'Which application loses the access that the caller gave it.',
  fields: (t) => ({
    applicationId: t.field({
      ...idOf('OAuthApplication'),
      description: 'ID of the application; null for tokens that were given for the password, to no application.',
    }),
  }),
});

type Saved = { oauthApplication: ApplicationRow };

const field = (description: string) => ({ type: OAuthApplication, description }) as const;

function applicationPayload(mutation: string, description: string) {
  return builder.objectRef<Saved>(namesOf(mutation).payload).implement({
    description: 'The application after the mutation.',
    fields: (t) => ({ oauthApplication: t.expose('oauthApplication', field(description)) }),
  });
}

const DeleteOAuthApplicationPayload = builder.objectRef<Saved>('DeleteOAuthApplicationPayload').implement({
  description: 'The application that was deleted.',
  fields: (t) => ({
    deletedOAuthApplicationId: t.id({
      description: 'Global ID of the application that is gone.',
      resolve: ({ oauthApplication }) => toGlobalId('OAuthApplication', oauthApplication.id),
    }),
    oauthApplication: t.expose('oauthApplication', field('The application as it was.')),
  }),
});

const RevokeAuthorizedApplicationPayload = builder
  .objectRef<{ applicationId: number | null }>('RevokeAuthorizedApplicationPayload')
  .implement({
    description: 'Which application has no access any more.',
    fields: (t) => ({
      revokedApplicationId: t.id({
        nullable: true,
        description: 'Global ID of the application; null where none was named.',
        resolve: ({ applicationId }) => (applicationId === null ? null : toGlobalId('OAuthApplication', applicationId)),
      }),
    }),
  });

builder.mutationFields((t) => ({
  registerOAuthApplication: t.field({
    type: applicationPayload('registerOAuthApplication', 'The new application, with its secret, this once.'),
    description:
      'Registers an application. For signed-in users, where the settings allow that; and for administrators.',
    args: {
      input: t.arg({
        type: RegisterOAuthApplicationInput,
        required: true,
        description: 'Name, addresses and scopes of the application.',
      }),
    },
    resolve: async (_root, { input }, context) => ({ oauthApplication: await registerApplication(context, input) }),
  }),
  updateOAuthApplication: t.field({
    type: applicationPayload('updateOAuthApplication', 'The application as it is now.'),
    description: "Changes one of the caller's own applications; for administrators any.",
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
    type: applicationPayload('renewOAuthApplicationSecret', 'The application with its new secret, this once.'),
    description:
      "Gives one of the caller's own applications a new secret; for administrators any. The old one stops working immediately.",
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
    description: "Deletes one of the caller's own applications with all its tokens; for administrators any.",
    args: {
      input: t.arg({
        type: DeleteOAuthApplicationInput,
        required: true,
        description: 'Names the application to delete.',
      }),
    },
    resolve: async (_root, { input: { id } }, context) => ({ oauthApplication: await deleteApplication(context, id) }),
  }),
  revokeAuthorizedApplication: t.field({
    type: RevokeAuthorizedApplicationPayload,
    description: 'Takes the access away that the caller gave an application, with all of its tokens.',
    args: {
      input: t.arg({
        type: RevokeAuthorizedApplicationInput,
        required: true,
        description: 'Names the application that loses its access.',
      }),
    },
    resolve: async (_root, { input }, context) => {
      const applicationId = input.applicationId ?? null;
      await revokeAuthorized(context, applicationId);
      return { applicationId };
    },
  }),
}));
