import { builder } from '#schema/builder.ts';
import { Deployment } from '#schema/deployments/types.ts';
import { projectField } from '#schema/inputs.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { createDeployment } from '#src/domain/ci/deployments/create.ts';
import { findDeployment } from '#src/domain/ci/deployments/list.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const DeploymentStatus = builder.enumType('DeploymentStatus', {
  description: 'Result of a deployment. Only successful deployments are recorded.',
  values: { SUCCESS: { value: 'success', description: 'The commit has been deployed.' } } as const,
});

const CreateDeploymentInput = builder.inputType('CreateDeploymentInput', {
  description: 'A deployment by an external system.',
  fields: (t) => ({
    project: projectField(t, 'that was deployed'),
    environment: t.string({
      required: true,
      description: 'Name of the environment, which is created if it does not exist.',
    }),
    sha: t.string({
      required: true,
      description:
        'The commit: a branch, a tag or a hash (7 to 40 digits), also with steps behind it, such as `master~1`.',
    }),
    ref: t.string({ required: true, description: 'Name of the branch or tag that was deployed.' }),
    tag: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether the ref is a tag instead of a branch.',
    }),
    status: t.field({
      type: DeploymentStatus,
      required: true,
      defaultValue: 'success',
      description: 'Result of the deployment.',
    }),
  }),
});

const CreateDeploymentPayload = builder.objectRef<ChangedRecord>('CreateDeploymentPayload').implement({
  description: 'The deployment that was recorded.',
  fields: (t) => ({
    deployment: t.field({
      type: Deployment,
      description: 'The deployment as it was recorded.',
      resolve: ({ project, id }, _args, context, info) =>
        findDeployment(context, project, id, selectionAt(info, 'Deployment')),
    }),
  }),
});

builder.mutationField('createDeployment', (t) =>
  t.field({
    type: CreateDeploymentPayload,
    description: 'Records that an external system deployed a commit to an environment. For developers.',
    args: {
      input: t.arg({
        type: CreateDeploymentInput,
        required: true,
        description: 'Names the commit and the environment.',
      }),
    },
    resolve: (_root, { input: { project, ...values } }, context) => createDeployment(context, project, values),
  }),
);
