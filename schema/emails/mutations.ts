import { builder } from '#schema/builder.ts';
import { Email } from '#schema/emails/types.ts';
import type { EmailRow } from '#src/emails/list.ts';
import { createEmail, deleteEmail } from '#src/emails/save.ts';

const CreateEmailInput = builder.inputType('CreateEmailInput', {
  description: 'A new secondary address.',
  fields: (t) => ({
    userId: t.int({ description: "Numeric ID of the user; the caller when absent. Others' are for administrators." }),
    email: t.string({ required: true, description: 'The address; nobody has it as primary or secondary one.' }),
  }),
});

const DeleteEmailInput = builder.inputType('DeleteEmailInput', {
  description: 'Which secondary address to delete.',
  fields: (t) => ({
    userId: t.int({ description: "Numeric ID of the user; the caller when absent. Others' are for administrators." }),
    databaseId: t.int({ required: true, description: 'Numeric ID of the address.' }),
  }),
});

const EmailPayload = builder.objectRef<{ email: EmailRow }>('EmailPayload').implement({
  description: 'The address as it is now.',
  fields: (t) => ({ email: t.expose('email', { type: Email, description: 'The address.' }) }),
});

const DeleteEmailPayload = builder.objectRef<{ email: EmailRow | null }>('DeleteEmailPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({
    email: t.expose('email', {
      type: Email,
      nullable: true,
      description: 'The address as it was; null when the caller had none of that ID.',
    }),
  }),
});

builder.mutationFields((t) => ({
  createEmail: t.field({
    type: EmailPayload,
    description: 'Adds a secondary address.',
    args: { input: t.arg({ type: CreateEmailInput, required: true, description: 'The new address.' }) },
    resolve: async (_root, { input }, context) => ({ email: await createEmail(context, input) }),
  }),
  deleteEmail: t.field({
    type: DeleteEmailPayload,
    description: 'Deletes a secondary address.',
    args: { input: t.arg({ type: DeleteEmailInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { userId, databaseId } }, context) => ({
      email: await deleteEmail(context, { userId, id: databaseId }),
    }),
  }),
}));
