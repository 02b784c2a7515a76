import { builder } from '#schema/builder.ts';
import { AutoStopSetting, Environment, EnvironmentTier } from '#schema/environments/types.ts';
import { holderField, type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findEnvironment } from '#src/domain/ci/environments/list.ts';
import { createEnvironment, deleteEnvironment, updateEnvironment } from '#src/domain/ci/environments/save.ts';
import { stopEnvironment } from '#src/domain/ci/jobs/stop_environment.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const NAME = 'Name of the environment, unique within the project.';
const EXTERNAL_URL = 'URL of the deployed project: http or https.';

const which = (t: InputFields) => ({
  project: holderField(t, 'environment'),
  id: t.field({
    ...idOf('Environment'),
    required: true,
    description: 'Global or numeric ID of the environment.',
  }),
});

const extras = (t: InputFields) => ({
  description: t.string({ description: 'What the environment is, in Markdown; at most 10,000 characters.' }),
  tier: t.field({ type: EnvironmentTier, description: 'What the environment is for; guessed from the name without.' }),
  autoStopSetting: t.field({
    type: AutoStopSetting,
    description: 'Whether the environment is stopped when its time has come.',
  }),
});

const CreateEnvironmentInput = builder.inputType('CreateEnvironmentInput', {
  description: 'A new environment of a project.',
  fields: (t) => ({
    project: projectField(t, 'that is deployed to it'),
    name: t.string({ required: true, description: NAME }),
    externalUrl: t.string({ description: EXTERNAL_URL }),
    ...extras(t),
  }),
});

const UpdateEnvironmentInput = builder.inputType('UpdateEnvironmentInput', {
  description: 'Changes to an environment: what is left out stays as it is, null clears. The slug never changes.',
  fields: (t) => ({
    ...which(t),
    name: t.string({ description: NAME }),
    externalUrl: t.string({ description: EXTERNAL_URL }),
    ...extras(t),
  }),
});

const StopEnvironmentInput = builder.inputType('StopEnvironmentInput', {
  description: 'Which environment to stop.',
  fields: (t) => ({
    ...which(t),
    force: t.boolean({ description: 'Whether it is stopped without starting its stop job; false when left out.' }),
  }),
});

const DeleteEnvironmentInput = builder.inputType('DeleteEnvironmentInput', {
  description: 'Which environment to delete.',
  fields: which,
});

function environmentPayload(mutation: string) {
  return builder.objectRef<ChangedRecord>(namesOf(mutation).payload).implement({
    description: 'The environment after the mutation.',
    fields: (t) => ({
      environment: t.field({
        type: Environment,
        description: 'The environment as it is now.',
        resolve: ({ project, id }, _args, context, info) =>
          findEnvironment(context, project, id, selectionAt(info, 'Environment')),
      }),
    }),
  });
}

const DeleteEnvironmentPayload = builder.objectRef<{ id: number }>('DeleteEnvironmentPayload').implement({
  description: 'The environment that was deleted.',
  fields: (t) => ({
    deletedEnvironmentId: t.id({
      description: 'Global ID of the environment that was deleted.',
      resolve: ({ id }) => toGlobalId('Environment', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createEnvironment: t.field({
    type: environmentPayload('createEnvironment'),
    description: 'Creates an environment. For developers.',
    args: {
      input: t.arg({
        type: CreateEnvironmentInput,
        required: true,
        description: 'Name and address of the environment.',
      }),
    },
    resolve: (_root, { input: { project, ...values } }, context) => createEnvironment(context, project, values),
  }),
  updateEnvironment: t.field({
    type: environmentPayload('updateEnvironment'),
    description: 'Changes an environment. For masters of the project.',
    args: {
      input: t.arg({
        type: UpdateEnvironmentInput,
        required: true,
        description: 'Names the environment, and the changes.',
      }),
    },
    resolve: async (_root, { input: { project, id, ...values } }, context) =>
      updateEnvironment(context, await projectHolding(context, 'Environment', { project, id }), id, values),
  }),
  stopEnvironment: t.field({
    type: environmentPayload('stopEnvironment'),
    description:
      'Starts the job that stops an environment, which is STOPPING until then; without such a job it is STOPPED at once. For developers.',
    args: {
      input: t.arg({ type: StopEnvironmentInput, required: true, description: 'Names the environment to stop.' }),
    },
    resolve: async (_root, { input }, context) =>
      stopEnvironment(context, await projectHolding(context, 'Environment', input), input.id, input.force ?? false),
  }),
  deleteEnvironment: t.field({
    type: DeleteEnvironmentPayload,
    description: 'Deletes an environment with the record of its deployments. For masters of the project.',
    args: {
      input: t.arg({ type: DeleteEnvironmentInput, required: true, description: 'Names the environment to delete.' }),
    },
    resolve: async (_root, { input }, context) => {
      await deleteEnvironment(context, await projectHolding(context, 'Environment', input), input.id);
      return input;
    },
  }),
}));
