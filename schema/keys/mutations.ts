import { accountField } from '#schema/inputs.ts';
import { SshKey, SshKeyUsage } from '#schema/keys/types.ts';
import { mutation } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { createKey, deleteKey } from '#src/domain/users/keys/save.ts';

mutation('createSshKey', {
  description: 'Adds an SSH key to an account. For its user and administrators.',
  input: {
    description: 'A new SSH key of an account.',
    argument: 'The key and its owner.',
    fields: (t) => ({
      userId: accountField(t),
      title: t.string({ required: true, description: 'A name for the key; at most 255 characters.' }),
      key: t.string({
        required: true,
        description: 'The public key in OpenSSH format, on one line: type, Base64 and comment.',
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description: 'From when on nobody is let in by the key. It never expires when null or left out.',
      }),
      usageType: t.field({ type: SshKeyUsage, description: 'What the key is for; both when null or left out.' }),
    }),
  },
  resolve: async (input, context) => ({ sshKey: await createKey(context, input) }),
  payload: {
    description: 'The key that was added.',
    fields: (t) => ({ sshKey: t.expose('sshKey', { type: SshKey, description: 'The key with its fingerprint.' }) }),
  },
});

mutation('deleteSshKey', {
  description: 'Deletes an SSH key of an account. For its user and administrators.',
  input: {
    description: 'Which SSH key to delete.',
    argument: 'Names the key to delete.',
    fields: (t) => ({
      userId: accountField(t),
      id: t.field({ ...idOf('SshKey'), required: true, description: 'ID of the SSH key.' }),
    }),
  },
  resolve: async (input, context) => ({ sshKey: await deleteKey(context, input) }),
  payload: {
    description: 'The key that was deleted; both fields are null if the caller had none with that ID.',
    fields: (t) => ({
      deletedSshKeyId: t.id({
        nullable: true,
        description: 'Global ID of the key that was deleted.',
        resolve: ({ sshKey }) => sshKey && toGlobalId('SshKey', sshKey.id),
      }),
      sshKey: t.expose('sshKey', { type: SshKey, nullable: true, description: 'The key as it was.' }),
    }),
  },
});
