import { builder } from '#schema/builder.ts';
import { Environment } from '#schema/environments/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findEnvironment } from '#src/environments/list.ts';
import { createEnvironment, deleteEnvironment, updateEnvironment } from '#src/environments/save.ts';
import { stopEnvironment } from '#src/environments/stop.ts';
import type { ChangedRecord } from '#src/projects/below.ts';

const CreateEnvironmentInput = builder.inputType('CreateEnvironmentInput', {
  description: 'A new environment.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    name: t.string({ required: true, description: 'Unique within the project.' }),
    externalUrl: t.string({ description: 'Address of what is deployed.' }),
  }),
});

const UpdateEnvironmentInput = builder.inputType('UpdateEnvironmentInput', {
  description: 'Changes to an environment: unset means unchanged, null cleared. Its slug stays.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    databaseId: t.int({ required: true, description: 'Numeric ID.' }),
    name: t.string({ description: 'Unique within the project.' }),
    externalUrl: t.string({ description: 'Address of what is deployed.' }),
  }),
});

const EnvironmentInput = builder.inputType('EnvironmentInput', {
  description: 'Which environment.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    databaseId: t.int({ required: true, description: 'Numeric ID.' }),
  }),
});

const EnvironmentPayload = builder.objectRef<ChangedRecord>('EnvironmentPayload').implement({
  description: 'The environment as it is now.',
  fields: (t) => ({
    environment: t.field({
      type: Environment,
      description: 'The environment.',
      resolve: ({ project, id }, _args, context, info) =>
        findEnvironment(context, project, id, selectionAt(info, 'Environment')),
    }),
  }),
});

const DeleteEnvironmentPayload = builder.objectRef<{ databaseId: number }>('DeleteEnvironmentPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({
    databaseId: t.exposeInt('databaseId', { description: 'Numeric ID of the environment that is gone.' }),
  }),
});

builder.mutationFields((t) => ({
  createEnvironment: t.field({
    type: EnvironmentPayload,
    description: 'Creates an environment.',
    args: { input: t.arg({ type: CreateEnvironmentInput, required: true, description: 'The new environment.' }) },
    resolve: (_root, { input: { project, ...values } }, context) => createEnvironment(context, project, values),
  }),
  updateEnvironment: t.field({
    type: EnvironmentPayload,
    description: 'Changes an environment.',
    args: { input: t.arg({ type: UpdateEnvironmentInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input: { project, databaseId, ...values } }, context) =>
      updateEnvironment(context, project, databaseId, values),
  }),
  stopEnvironment: t.field({
    type: EnvironmentPayload,
    description: 'Stops an environment, and starts the job that does so if there is one.',
    args: { input: t.arg({ type: EnvironmentInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project, databaseId } }, context) => stopEnvironment(context, project, databaseId),
  }),
  deleteEnvironment: t.field({
    type: DeleteEnvironmentPayload,
    description: 'Deletes an environment with the record of its deployments.',
    args: { input: t.arg({ type: EnvironmentInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project, databaseId } }, context) => {
      await deleteEnvironment(context, project, databaseId);
      return { databaseId };
    },
  }),
}));
