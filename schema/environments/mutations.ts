import { AutoStopSetting, Environment, EnvironmentTier } from '#schema/environments/types.ts';
import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
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

const environmentPayload: Payload<ChangedRecord> = changed(
  'environment',
  Environment,
  'Environment',
  (context, { project, id }, selection) => findEnvironment(context, project, id, selection),
);

mutation('createEnvironment', {
  description: 'Creates an environment. For developers.',
  input: {
    description: 'A new environment of a project.',
    argument: 'Name and address of the environment.',
    fields: (t) => ({
      project: projectField(t, 'that is deployed to it'),
      name: t.string({ required: true, description: NAME }),
      externalUrl: t.string({ description: EXTERNAL_URL }),
      ...extras(t),
    }),
  },
  resolve: ({ project, ...values }, context) => createEnvironment(context, project, values),
  payload: environmentPayload,
});

mutation('updateEnvironment', {
  description: 'Changes an environment. For masters of the project.',
  input: {
    description: 'Changes to an environment: what is left out stays as it is, null clears. The slug never changes.',
    argument: 'Names the environment, and the changes.',
    fields: (t) => ({
      ...which(t),
      name: t.string({ description: NAME }),
      externalUrl: t.string({ description: EXTERNAL_URL }),
      ...extras(t),
    }),
  },
  resolve: async ({ project, id, ...values }, context) =>
    updateEnvironment(context, await projectHolding(context, 'Environment', { project, id }), id, values),
  payload: environmentPayload,
});

mutation('stopEnvironment', {
  description:
    'Starts the job that stops an environment, which is STOPPING until then; without such a job it is STOPPED at once. For developers.',
  input: {
    description: 'Which environment to stop.',
    argument: 'Names the environment to stop.',
    fields: (t) => ({
      ...which(t),
      force: t.boolean({ description: 'Whether it is stopped without starting its stop job; false when left out.' }),
    }),
  },
  resolve: async (input, context) =>
    stopEnvironment(context, await projectHolding(context, 'Environment', input), input.id, input.force ?? false),
  payload: environmentPayload,
});

mutation('deleteEnvironment', {
  description: 'Deletes an environment with the record of its deployments. For masters of the project.',
  input: { description: 'Which environment to delete.', argument: 'Names the environment to delete.', fields: which },
  resolve: async (input, context) => {
    const project = await projectHolding(context, 'Environment', input);
    await deleteEnvironment(context, project, input.id);
    return { ...input, project };
  },
  payload: { ...deleted('Environment', 'environment'), from: fromProject },
});
