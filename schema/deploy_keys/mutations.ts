import { builder } from '#schema/builder.ts';
import { DeployKey } from '#schema/deploy_keys/types.ts';
import { namesOf, projectField } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { changedDeployKey } from '#src/domain/repository/deploy_keys/list.ts';
import { createDeployKey, deleteDeployKey, enableDeployKey } from '#src/domain/repository/deploy_keys/save.ts';

const CreateDeployKeyInput = builder.inputType('CreateDeployKeyInput', {
  description: 'A new deploy key of a project.',
  fields: (t) => ({
    project: projectField(t, 'that the key opens'),
    title: t.string({ required: true, description: 'What the key is for; at most 255 characters.' }),
    key: t.string({
      required: true,
      description: 'The public key in OpenSSH format, on one line: type, Base64 and comment.',
    }),
    canPush: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether the key can push, with the permissions of a developer.',
    }),
  }),
});

const EnableDeployKeyInput = builder.inputType('EnableDeployKeyInput', {
  description: 'Which deploy key to add to a project.',
  fields: (t) => ({
    project: projectField(t, 'that the key is to open'),
    id: t.field({ ...idOf('DeployKey'), required: true, description: 'ID of the deploy key.' }),
  }),
});

const DeleteDeployKeyInput = builder.inputType('DeleteDeployKeyInput', {
  description: 'Which deploy key to remove from a project.',
  fields: (t) => ({
    project: projectField(t, 'that the key no longer opens'),
    id: t.field({ ...idOf('DeployKey'), required: true, description: 'ID of the deploy key.' }),
  }),
});

function deployKeyPayload(mutation: string) {
  return builder.objectRef<ChangedRecord>(namesOf(mutation).payload).implement({
    description: 'The deploy key after the mutation.',
    fields: (t) => ({
      deployKey: t.field({
        type: DeployKey,
        description: 'The deploy key as it is now.',
        resolve: (changed, _args, context, info) => changedDeployKey(context, changed, selectionAt(info, 'DeployKey')),
      }),
    }),
  });
}

const DeleteDeployKeyPayload = builder.objectRef<{ id: number }>('DeleteDeployKeyPayload').implement({
  description: 'The deploy key that was removed from the project.',
  fields: (t) => ({
    deletedDeployKeyId: t.id({
      description: 'Global ID of the key; other projects that it opens keep it.',
      resolve: ({ id }) => toGlobalId('DeployKey', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createDeployKey: t.field({
    type: deployKeyPayload('createDeployKey'),
    description:
      'Adds a deploy key to a project. An identical deploy key of a project where the caller is a master is reused as it is. For masters of the project.',
    args: { input: t.arg({ type: CreateDeployKeyInput, required: true, description: 'The key and its project.' }) },
    resolve: (_root, { input: { project, ...key } }, context) => createDeployKey(context, project, key),
  }),
  enableDeployKey: t.field({
    type: deployKeyPayload('enableDeployKey'),
    description:
      'Adds an existing deploy key to another project. For masters of the project who are masters of one that has the key.',
    args: {
      input: t.arg({ type: EnableDeployKeyInput, required: true, description: 'Names the key and the project.' }),
    },
    resolve: (_root, { input: { project, id } }, context) => enableDeployKey(context, project, id),
  }),
  deleteDeployKey: t.field({
    type: DeleteDeployKeyPayload,
    description:
      'Removes a deploy key from a project, and deletes it if no other project has it. For masters of the project.',
    args: {
      input: t.arg({ type: DeleteDeployKeyInput, required: true, description: 'Names the key and the project.' }),
    },
    resolve: async (_root, { input }, context) => {
      await deleteDeployKey(context, input.project, input.id);
      return input;
    },
  }),
}));
