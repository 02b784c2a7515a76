import { builder } from '#schema/builder.ts';
import { GpgKey } from '#schema/gpg_keys/types.ts';
import { accountField } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { createGpgKey, deleteGpgKey } from '#src/domain/users/gpg_keys/save.ts';

const CreateGpgKeyInput = builder.inputType('CreateGpgKeyInput', {
  description: 'A new GPG key of an account.',
  fields: (t) => ({
    userId: accountField(t),
    key: t.string({
      required: true,
      description: 'One public key in its armor, with at most 65,536 characters.',
    }),
  }),
});

const DeleteGpgKeyInput = builder.inputType('DeleteGpgKeyInput', {
  description: 'Which GPG key to delete.',
  fields: (t) => ({
    userId: accountField(t),
    id: t.field({ ...idOf('GpgKey'), required: true, description: 'Global or numeric ID of the key.' }),
  }),
});

const CreateGpgKeyPayload = builder.objectRef<{ gpgKey: Known<'GpgKey'> }>('CreateGpgKeyPayload').implement({
  description: 'The key that was added.',
  fields: (t) => ({ gpgKey: t.expose('gpgKey', { type: GpgKey, description: 'The key with its fingerprint.' }) }),
});

const DeleteGpgKeyPayload = builder.objectRef<{ id: number }>('DeleteGpgKeyPayload').implement({
  description: 'The key that was deleted.',
  fields: (t) => ({
    deletedGpgKeyId: t.id({
      description: 'Global ID of the key that was deleted.',
      resolve: ({ id }) => toGlobalId('GpgKey', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createGpgKey: t.field({
    type: CreateGpgKeyPayload,
    description: 'Adds a GPG key to an account. For its user and administrators.',
    args: { input: t.arg({ type: CreateGpgKeyInput, required: true, description: 'The key and its owner.' }) },
    resolve: async (_root, { input }, context, info) => ({
      gpgKey: await createGpgKey(context, input, selectionAt(info, 'GpgKey')),
    }),
  }),
  deleteGpgKey: t.field({
    type: DeleteGpgKeyPayload,
    description:
      'Deletes a GPG key of an account: commits that it signed are no longer verified. For its user and administrators.',
    args: { input: t.arg({ type: DeleteGpgKeyInput, required: true, description: 'Names the key to delete.' }) },
    resolve: (_root, { input }, context) => deleteGpgKey(context, input),
  }),
}));
