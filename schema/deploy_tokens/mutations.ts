import { builder } from '#schema/builder.ts';
import { DeployToken, DeployTokenScope } from '#schema/deploy_tokens/types.ts';
import { type InputFields, namesOf } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { createDeployToken, deleteDeployToken, revokeDeployToken } from '#src/domain/members/deploy_tokens/save.ts';
import { select } from '#src/platform/records/selection.ts';

const CreateDeployTokenInput = builder.inputType('CreateDeployTokenInput', {
  description: 'A new deploy token of a project or group.',
  fields: (t) => ({
    ...placeFields(t, 'that the token is for'),
    name: t.string({ required: true, description: 'What the token is for; at most 255 characters.' }),
    scopes: t.field({ type: [DeployTokenScope], required: true, description: 'Scopes of the token; at least one.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the token stops working. It never expires when null or left out.',
    }),
    username: t.string({
      description: 'What clients send as the user name; `gitlab+deploy-token-N` when left out.',
    }),
  }),
});

const which = (t: InputFields) => ({
  ...placeFields(t, 'of the token'),
  id: t.field({ ...idOf('DeployToken'), required: true, description: 'Global or numeric ID of the token.' }),
});

const RevokeDeployTokenInput = builder.inputType('RevokeDeployTokenInput', {
  description: 'Which deploy token to revoke.',
  fields: which,
});

const DeleteDeployTokenInput = builder.inputType('DeleteDeployTokenInput', {
  description: 'Which deploy token to delete.',
  fields: which,
});

function deployTokenPayload(mutation: string, description: string) {
  return builder.objectRef<{ deployToken: Known<'DeployToken'> }>(namesOf(mutation).payload).implement({
    description: 'The deploy token after the change.',
    fields: (t) => ({ deployToken: t.expose('deployToken', { type: DeployToken, description }) }),
  });
}

const DeleteDeployTokenPayload = builder.objectRef<{ id: number }>('DeleteDeployTokenPayload').implement({
  description: 'The deploy token that was deleted.',
  fields: (t) => ({
    deletedDeployTokenId: t.id({
      description: 'Global ID of the deploy token that was deleted.',
      resolve: ({ id }) => toGlobalId('DeployToken', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createDeployToken: t.field({
    type: deployTokenPayload('createDeployToken', 'The new token. Its text is only shown this once.'),
    description: 'Creates a deploy token. For masters of the project and owners of the group.',
    args: {
      input: t.arg({
        type: CreateDeployTokenInput,
        required: true,
        description: 'Place, name, scopes and expiry of the token.',
      }),
    },
    resolve: async (_root, { input: { project, group, ...input } }, context, info) => ({
      deployToken: await createDeployToken(context, { project, group }, input, selectionAt(info, 'DeployToken')),
    }),
  }),
  revokeDeployToken: t.field({
    type: deployTokenPayload('revokeDeployToken', 'The token as it is now.'),
    description:
      'Revokes a deploy token, which stops working immediately and stays in the list. For masters of the project and owners of the group.',
    args: { input: t.arg({ type: RevokeDeployTokenInput, required: true, description: 'Names place and token.' }) },
    resolve: async (_root, { input: { project, group, id } }, context, info) => ({
      deployToken: await revokeDeployToken(context, { project, group }, id, selectionAt(info, 'DeployToken')),
    }),
  }),
  deleteDeployToken: t.field({
    type: DeleteDeployTokenPayload,
    description:
      'Deletes a deploy token, which stops working immediately. For masters of the project and owners of the group.',
    args: { input: t.arg({ type: DeleteDeployTokenInput, required: true, description: 'Names place and token.' }) },
    resolve: (_root, { input: { project, group, id } }, context) =>
      deleteDeployToken(context, { project, group }, id, select('DeployToken', { id: true })),
  }),
}));
