import { builder } from '#schema/builder.ts';
import { Email } from '#schema/emails/types.ts';
import { accountField } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import type { EmailRow } from '#src/domain/users/emails/list.ts';
import { createEmail, deleteEmail } from '#src/domain/users/emails/save.ts';

const CreateEmailInput = builder.inputType('CreateEmailInput', {
  description: 'A new secondary e-mail address.',
  fields: (t) => ({
    userId: accountField(t),
    email: t.string({ required: true, description: 'The address, which must not be in use. Stored in lower case.' }),
  }),
});

const DeleteEmailInput = builder.inputType('DeleteEmailInput', {
  description: 'Which secondary e-mail address to delete.',
  fields: (t) => ({
    userId: accountField(t),
    id: t.field({
      ...idOf('Email'),
      required: true,
      description: 'Global or numeric ID of the secondary address.',
    }),
  }),
});

const CreateEmailPayload = builder.objectRef<{ email: EmailRow }>('CreateEmailPayload').implement({
  description: 'The address that was added.',
  fields: (t) => ({ email: t.expose('email', { type: Email, description: 'The new secondary address.' }) }),
});

const DeleteEmailPayload = builder.objectRef<{ email: EmailRow | null }>('DeleteEmailPayload').implement({
  description: 'The address that was deleted; both fields are null if the caller had none with that ID.',
  fields: (t) => ({
    deletedEmailId: t.id({
      nullable: true,
      description: 'Global ID of the address that was deleted.',
      resolve: ({ email }) => email && toGlobalId('Email', email.id),
    }),
    email: t.expose('email', { type: Email, nullable: true, description: 'The address as it was.' }),
  }),
});

builder.mutationFields((t) => ({
  createEmail: t.field({
    type: CreateEmailPayload,
    description:
      'Adds a secondary address to an account. If the server sends mail, the address gets a confirmation link.',
    args: {
      input: t.arg({ type: CreateEmailInput, required: true, description: 'The address and its owner.' }),
    },
    resolve: async (_root, { input }, context) => ({ email: await createEmail(context, input) }),
  }),
  deleteEmail: t.field({
    type: DeleteEmailPayload,
    description: 'Deletes a secondary address of an account. For its user and administrators.',
    args: { input: t.arg({ type: DeleteEmailInput, required: true, description: 'Names the address to delete.' }) },
    resolve: async (_root, { input }, context) => ({ email: await deleteEmail(context, input) }),
  }),
}));
