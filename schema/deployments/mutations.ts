import { builder } from '#schema/builder.ts';
import { Deployment } from '#schema/deployments/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { createDeployment } from '#src/deployments/create.ts';
import { findDeployment } from '#src/deployments/list.ts';
import type { ChangedRecord } from '#src/projects/below.ts';

const DeploymentStatus = builder.enumType('DeploymentStatus', {
  description: 'How a deployment went: only those that succeeded are recorded.',
  values: { SUCCESS: { value: 'success', description: 'The commit is there.' } } as const,
});

const CreateDeploymentInput = builder.inputType('CreateDeploymentInput', {
  description: 'What another system has deployed.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    environment: t.string({
      required: true,
      description: 'Name of the environment, which is made if it is not there.',
    }),
    sha: t.string({ required: true, description: 'The commit: a hash (4 to 40 digits), a branch or a tag.' }),
    ref: t.string({ required: true, description: 'The branch or tag.' }),
    tag: t.boolean({ description: 'Whether the ref is a tag; it is not when nothing is said.' }),
    status: t.field({ type: DeploymentStatus, description: 'How it went.' }),
  }),
});

const DeploymentPayload = builder.objectRef<ChangedRecord>('DeploymentPayload').implement({
  description: 'The deployment as it was recorded.',
  fields: (t) => ({
    deployment: t.field({
      type: Deployment,
      description: 'The deployment.',
      resolve: ({ project, id }, _args, context, info) =>
        findDeployment(context, project, id, selectionAt(info, 'Deployment')),
    }),
  }),
});

builder.mutationField('createDeployment', (t) =>
  t.field({
    type: DeploymentPayload,
    description: 'Records that another system brought a commit to an environment.',
    args: { input: t.arg({ type: CreateDeploymentInput, required: true, description: 'What it deployed.' }) },
    resolve: (_root, { input: { project, ...values } }, context) => createDeployment(context, project, values),
  }),
);
