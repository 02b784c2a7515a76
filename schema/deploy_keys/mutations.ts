import { DeployKey } from '#schema/deploy_keys/types.ts';
import { type InputFields, projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { changedDeployKey, findAnyDeployKey } from '#src/domain/repository/deploy_keys/list.ts';
import {
  createDeployKey,
  createPublicDeployKey,
  deleteDeployKey,
  deletePublicDeployKey,
  enableDeployKey,
} from '#src/domain/repository/deploy_keys/save.ts';

const deployKeyPayload: Payload<ChangedRecord> = changed('deployKey', DeployKey, 'DeployKey', changedDeployKey);

const anyDeployKeyPayload: Payload<{ id: number }> = changed('deployKey', DeployKey, 'DeployKey', findAnyDeployKey);

const newKey = (t: InputFields) => ({
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
});

mutation('createDeployKey', {
  description:
    'Adds a deploy key to a project. An identical deploy key of a project where the caller is a master is reused as it is. For masters of the project.',
  input: {
    description: 'A new deploy key of a project.',
    argument: 'The key and its project.',
    fields: (t) => ({
      project: projectField(t, 'that the key opens'),
      ...newKey(t),
    }),
  },
  resolve: ({ project, ...key }, context) => createDeployKey(context, project, key),
  payload: deployKeyPayload,
});

mutation('enableDeployKey', {
  description:
    'Adds an existing deploy key to another project. For masters of the project who are masters of one that has the key.',
  input: {
    description: 'Which deploy key to add to a project.',
    argument: 'Names the key and the project.',
    fields: (t) => ({
      project: projectField(t, 'that the key is to open'),
      id: t.field({ ...idOf('DeployKey'), required: true, description: 'ID of the deploy key.' }),
    }),
  },
  resolve: ({ project, id }, context) => enableDeployKey(context, project, id),
  payload: deployKeyPayload,
});

mutation('deleteDeployKey', {
  description:
    'Removes a deploy key from a project, and deletes it if no other project has it. For masters of the project.',
  input: {
    description: 'Which deploy key to remove from a project.',
    argument: 'Names the key and the project.',
    fields: (t) => ({
      project: projectField(t, 'that the key no longer opens'),
      id: t.field({ ...idOf('DeployKey'), required: true, description: 'ID of the deploy key.' }),
    }),
  },
  resolve: async (input, context) => {
    await deleteDeployKey(context, input.project, input.id);
    return input;
  },
  payload: {
    from: fromProject,
    description: 'The deploy key that was removed from the project.',
    fields: (t) => ({
      deletedDeployKeyId: t.id({
        description: 'Global ID of the key; other projects that it opens keep it.',
        resolve: ({ id }) => toGlobalId('DeployKey', id),
      }),
    }),
  },
});

mutation('createPublicDeployKey', {
  description:
    'Adds a deploy key to the server that masters of any project can enable there. For administrators. VALIDATION_FAILED if the key is there already.',
  input: {
    description: 'A new public deploy key.',
    argument: 'The deploy key to add.',
    fields: newKey,
  },
  resolve: (key, context) => createPublicDeployKey(context, key),
  payload: anyDeployKeyPayload,
});

mutation('deletePublicDeployKey', {
  description: 'Deletes a public deploy key, and removes it from all projects. For administrators.',
  input: {
    description: 'Which public deploy key to delete.',
    argument: 'Names the key to delete.',
    fields: (t) => ({
      id: t.field({ ...idOf('DeployKey'), required: true, description: 'ID of the deploy key.' }),
    }),
  },
  resolve: async ({ id }, context) => {
    await deletePublicDeployKey(context, id);
    return { id };
  },
  payload: deleted('DeployKey', 'deploy key'),
});
