import { OAuthApplication } from '#schema/applications/types.ts';
import { builder } from '#schema/builder.ts';
import { revokeAuthorized } from '#src/applications/authorized.ts';
import type { ApplicationRow } from '#src/applications/find.ts';
import { deleteApplication, registerApplication, renewSecret, updateApplication } from '#src/applications/save.ts';

const RegisterOAuthApplicationInput = builder.inputType('RegisterOAuthApplicationInput', {
  description: 'A new application of the caller.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'As users are told.' }),
    redirectUris: t.stringList({
      required: true,
      description:
        'Where users may be sent back to: absolute, of https, http or a scheme of its own, without a fragment.',
    }),
    scopes: t.stringList({ description: 'What it may ask for; `api` when nothing is said.' }),
    confidential: t.boolean({
      description:
        'Whether it can keep a secret, as programs on the machines of users cannot; true when nothing is said.',
    }),
  }),
});

const UpdateOAuthApplicationInput = builder.inputType('UpdateOAuthApplicationInput', {
  description: 'Changes to an application: unset means unchanged.',
  fields: (t) => ({
    databaseId: t.int({ required: true, description: 'Numeric ID.' }),
    name: t.string({ description: 'As users are told.' }),
    redirectUris: t.stringList({ description: 'Where users may be sent back to.' }),
    scopes: t.stringList({ description: 'What it may ask for. Whoever let it in for more must let it in anew.' }),
  }),
});

const RenewOAuthApplicationSecretInput = builder.inputType('RenewOAuthApplicationSecretInput', {
  description: 'Which application gets a new secret.',
  fields: (t) => ({ databaseId: t.int({ required: true, description: 'Numeric ID.' }) }),
});

const DeleteOAuthApplicationInput = builder.inputType('DeleteOAuthApplicationInput', {
  description: 'Which application to delete.',
  fields: (t) => ({ databaseId: t.int({ required: true, description: 'Numeric ID.' }) }),
});

const RevokeAuthorizedApplicationInput = builder.inputType('RevokeAuthorizedApplicationInput', {
  description: 'Which application is let in no more.',
  fields: (t) => ({
    applicationDatabaseId: t.int({
      description: 'Numeric ID of the application; null for what was given for the password, to no application.',
    }),
  }),
});

const OAuthApplicationPayload = builder
  .objectRef<{ oauthApplication: ApplicationRow }>('OAuthApplicationPayload')
  .implement({
    description: 'The application as it is now, or as it was last.',
    fields: (t) => ({
      oauthApplication: t.expose('oauthApplication', { type: OAuthApplication, description: 'The application.' }),
    }),
  });

const RevokeAuthorizedApplicationPayload = builder
  .objectRef<{ applicationId: number | null }>('RevokeAuthorizedApplicationPayload')
  .implement({
    description: 'Which application is out.',
    fields: (t) => ({
      applicationDatabaseId: t.exposeInt('applicationId', {
        nullable: true,
        description: 'Numeric ID, as it was given.',
      }),
    }),
  });

builder.mutationFields((t) => ({
  registerOAuthApplication: t.field({
    type: OAuthApplicationPayload,
    description: 'Registers an application. The answer has its secret, this once.',
    args: {
      input: t.arg({ type: RegisterOAuthApplicationInput, required: true, description: 'The new application.' }),
    },
    resolve: async (_root, { input }, context) => ({
      oauthApplication: await registerApplication(context, {
        ...input,
        scopes: input.scopes ?? ['api'],
        confidential: input.confidential ?? true,
      }),
    }),
  }),
  updateOAuthApplication: t.field({
    type: OAuthApplicationPayload,
    description: "Changes one of the caller's own applications; for administrators any.",
    args: { input: t.arg({ type: UpdateOAuthApplicationInput, required: true, description: 'The changes.' }) },
    resolve: async (_root, { input: { databaseId, ...changes } }, context) => ({
      oauthApplication: await updateApplication(context, databaseId, changes),
    }),
  }),
  renewOAuthApplicationSecret: t.field({
    type: OAuthApplicationPayload,
    description: 'Gives an application a new secret, which the answer has, this once. The old one is good for nothing.',
    args: { input: t.arg({ type: RenewOAuthApplicationSecretInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { databaseId } }, context) => ({
      oauthApplication: await renewSecret(context, databaseId),
    }),
  }),
  deleteOAuthApplication: t.field({
    type: OAuthApplicationPayload,
    description: 'Deletes an application with everything that it was given.',
    args: { input: t.arg({ type: DeleteOAuthApplicationInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { databaseId } }, context) => ({
      oauthApplication: await deleteApplication(context, databaseId),
    }),
  }),
  revokeAuthorizedApplication: t.field({
    type: RevokeAuthorizedApplicationPayload,
    description: 'Ends what the caller let an application do, with all of its tokens.',
    args: { input: t.arg({ type: RevokeAuthorizedApplicationInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { applicationDatabaseId } }, context) => {
      const applicationId = applicationDatabaseId ?? null;
      await revokeAuthorized(context, applicationId);
      return { applicationId };
    },
  }),
}));
