import { builder } from '#schema/builder.ts';
import { SshKey } from '#schema/keys/types.ts';
import type { KeyRow } from '#src/keys/list.ts';
import { createKey, deleteKey } from '#src/keys/save.ts';

const CreateSshKeyInput = builder.inputType('CreateSshKeyInput', {
  description: 'A new key.',
  fields: (t) => ({
    userId: t.int({ description: "Numeric ID of the user; the caller when absent. Others' are for administrators." }),
    title: t.string({ required: true, description: 'What to call it.' }),
    key: t.string({ required: true, description: 'One line of type, base64 and comment, in the form of OpenSSH.' }),
  }),
});

const DeleteSshKeyInput = builder.inputType('DeleteSshKeyInput', {
  description: 'Which key to delete.',
  fields: (t) => ({
    userId: t.int({ description: "Numeric ID of the user; the caller when absent. Others' are for administrators." }),
    databaseId: t.int({ required: true, description: 'Numeric ID of the key.' }),
  }),
});

const SshKeyPayload = builder.objectRef<{ sshKey: KeyRow }>('SshKeyPayload').implement({
  description: 'The key as it is now.',
  fields: (t) => ({ sshKey: t.expose('sshKey', { type: SshKey, description: 'The key.' }) }),
});

const DeleteSshKeyPayload = builder.objectRef<{ sshKey: KeyRow | null }>('DeleteSshKeyPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({
    sshKey: t.expose('sshKey', {
      type: SshKey,
      nullable: true,
      description: 'The key as it was; null when the caller had none of that ID.',
    }),
  }),
});

builder.mutationFields((t) => ({
  createSshKey: t.field({
    type: SshKeyPayload,
    description: 'Adds a key.',
    args: { input: t.arg({ type: CreateSshKeyInput, required: true, description: 'The new key.' }) },
    resolve: async (_root, { input }, context) => ({ sshKey: await createKey(context, input) }),
  }),
  deleteSshKey: t.field({
    type: DeleteSshKeyPayload,
    description: 'Deletes a key.',
    args: { input: t.arg({ type: DeleteSshKeyInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { userId, databaseId } }, context) => ({
      sshKey: await deleteKey(context, { userId, id: databaseId }),
    }),
  }),
}));
