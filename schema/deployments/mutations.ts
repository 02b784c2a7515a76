import { builder } from '#schema/builder.ts';
import { Deployment } from '#schema/deployments/types.ts';
import { createDeployment } from '#src/deployments/create.ts';
import type { DeploymentRow } from '#src/deployments/list.ts';

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

const DeploymentPayload = builder.objectRef<{ deployment: DeploymentRow }>('DeploymentPayload').implement({
  description: 'The deployment as it was recorded.',
  fields: (t) => ({ deployment: t.expose('deployment', { type: Deployment, description: 'The deployment.' }) }),
});

builder.mutationField('createDeployment', (t) =>
  t.field({
    type: DeploymentPayload,
    description: 'Records that another system brought a commit to an environment.',
    args: { input: t.arg({ type: CreateDeploymentInput, required: true, description: 'What it deployed.' }) },
    resolve: async (_root, { input: { project, ...values } }, context) => ({
      deployment: await createDeployment(context, project, values),
    }),
  }),
);
