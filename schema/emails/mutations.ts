import { Email } from '#schema/emails/types.ts';
import { accountField } from '#schema/inputs.ts';
import { mutation } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { createEmail, deleteEmail } from '#src/domain/users/emails/save.ts';

mutation('createEmail', {
  description:
    'Adds a secondary address to an account. If the server sends mail, the address gets a confirmation link.',
  input: {
    description: 'A new secondary e-mail address.',
    argument: 'The address and its owner.',
    fields: (t) => ({
      userId: accountField(t),
      email: t.string({ required: true, description: 'The address, which must not be in use. Stored in lower case.' }),
    }),
  },
  resolve: async (input, context) => ({ email: await createEmail(context, input) }),
  payload: {
    description: 'The address that was added.',
    fields: (t) => ({ email: t.expose('email', { type: Email, description: 'The new secondary address.' }) }),
  },
});

mutation('deleteEmail', {
  description: 'Deletes a secondary address of an account. For its user and administrators.',
  input: {
    description: 'Which secondary e-mail address to delete.',
    argument: 'Names the address to delete.',
    fields: (t) => ({
      userId: accountField(t),
      id: t.field({
        ...idOf('Email'),
        required: true,
        description: 'Global or numeric ID of the secondary address.',
      }),
    }),
  },
  resolve: async (input, context) => ({ email: await deleteEmail(context, input) }),
  payload: {
    description: 'The address that was deleted; both fields are null if the caller had none with that ID.',
    fields: (t) => ({
      deletedEmailId: t.id({
        nullable: true,
        description: 'Global ID of the address that was deleted.',
        resolve: ({ email }) => email && toGlobalId('Email', email.id),
      }),
      email: t.expose('email', { type: Email, nullable: true, description: 'The address as it was.' }),
    }),
  },
});
