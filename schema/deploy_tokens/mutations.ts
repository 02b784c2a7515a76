import { DeployToken, DeployTokenScope } from '#schema/deploy_tokens/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import { fromPlace } from '#schema/places/parents.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { createDeployToken, deleteDeployToken, revokeDeployToken } from '#src/domain/members/deploy_tokens/save.ts';
import { select } from '#src/platform/records/selection.ts';

const which = (t: InputFields) => ({
  ...placeFields(t, 'of the token'),
  id: t.field({ ...idOf('DeployToken'), required: true, description: 'Global or numeric ID of the token.' }),
});

function deployTokenPayload(description: string): Payload<{ deployToken: Known<'DeployToken'> }> {
  return {
    description: 'The deploy token after the change.',
    fields: (t) => ({ deployToken: t.expose('deployToken', { type: DeployToken, description }) }),
  };
}

mutation('createDeployToken', {
  description: 'Creates a deploy token. For masters of the project and owners of the group.',
  input: {
    description: 'A new deploy token of a project or group.',
    argument: 'Place, name, scopes and expiry of the token.',
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
  },
  resolve: async ({ project, group, ...input }, context, info) => ({
    deployToken: await createDeployToken(context, { project, group }, input, selectionAt(info, 'DeployToken')),
  }),
  payload: deployTokenPayload('The new token. Its text is only shown this once.'),
});

mutation('revokeDeployToken', {
  description:
    'Revokes a deploy token, which stops working immediately and stays in the list. For masters of the project and owners of the group.',
  input: { description: 'Which deploy token to revoke.', argument: 'Names place and token.', fields: which },
  resolve: async ({ project, group, id }, context, info) => ({
    deployToken: await revokeDeployToken(context, { project, group }, id, selectionAt(info, 'DeployToken')),
  }),
  payload: deployTokenPayload('The token as it is now.'),
});

mutation('deleteDeployToken', {
  description:
    'Deletes a deploy token, which stops working immediately. For masters of the project and owners of the group.',
  input: { description: 'Which deploy token to delete.', argument: 'Names place and token.', fields: which },
  resolve: ({ project, group, id }, context) =>
    deleteDeployToken(context, { project, group }, id, select('DeployToken', { id: true })),
  payload: { ...deleted('DeployToken', 'deploy token'), from: fromPlace },
});
