import { GpgKey } from '#schema/gpg_keys/types.ts';
import { accountField } from '#schema/inputs.ts';
import { deleted, mutation } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { createGpgKey, deleteGpgKey } from '#src/domain/users/gpg_keys/save.ts';

mutation('createGpgKey', {
  description: 'Adds a GPG key to an account. For its user and administrators.',
  input: {
    description: 'A new GPG key of an account.',
    argument: 'The key and its owner.',
    fields: (t) => ({
      userId: accountField(t),
      key: t.string({
        required: true,
        description: 'One public key in its armor, with at most 65,536 characters.',
      }),
    }),
  },
  resolve: async (input, context, info) => ({
    gpgKey: await createGpgKey(context, input, selectionAt(info, 'GpgKey')),
  }),
  payload: {
    description: 'The key that was added.',
    fields: (t) => ({ gpgKey: t.expose('gpgKey', { type: GpgKey, description: 'The key with its fingerprint.' }) }),
  },
});

mutation('deleteGpgKey', {
  description:
    'Deletes a GPG key of an account: commits that it signed are no longer verified. For its user and administrators.',
  input: {
    description: 'Which GPG key to delete.',
    argument: 'Names the key to delete.',
    fields: (t) => ({
      userId: accountField(t),
      id: t.field({ ...idOf('GpgKey'), required: true, description: 'Global or numeric ID of the key.' }),
    }),
  },
  resolve: (input, context) => deleteGpgKey(context, input),
  payload: deleted('GpgKey', 'key'),
});
