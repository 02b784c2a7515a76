import { builder } from '#schema/builder.ts';
import { Deployment, DeploymentStatus } from '#schema/deployments/types.ts';
import { holderField, type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { deleteDeployment, updateDeployment } from '#src/domain/ci/deployments/change.ts';
import { createDeployment } from '#src/domain/ci/deployments/create.ts';
import { findDeployment } from '#src/domain/ci/deployments/list.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

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

const which = (t: InputFields) => ({
  project: holderField(t, 'deployment'),
  id: t.field({ ...idOf('Deployment'), required: true, description: 'Global or numeric ID of the deployment.' }),
});

const UpdateDeploymentInput = builder.inputType('UpdateDeploymentInput', {
  description: 'The new status of a deployment by an external system.',
  fields: (t) => ({
    ...which(t),
    status: t.field({ type: DeploymentStatus, required: true, description: 'How far the deployment is now.' }),
  }),
});

const DeleteDeploymentInput = builder.inputType('DeleteDeploymentInput', {
  description: 'Which deployment to delete.',
  fields: which,
});

function deploymentPayload(mutation: string) {
  return builder.objectRef<ChangedRecord>(namesOf(mutation).payload).implement({
    description: 'The deployment after the mutation.',
    fields: (t) => ({
      deployment: t.field({
        type: Deployment,
        description: 'The deployment as it is now.',
        resolve: ({ project, id }, _args, context, info) =>
          findDeployment(context, project, id, selectionAt(info, 'Deployment')),
      }),
    }),
  });
}

const DeleteDeploymentPayload = builder.objectRef<{ id: number }>('DeleteDeploymentPayload').implement({
  description: 'The deployment that was deleted.',
  fields: (t) => ({
    deletedDeploymentId: t.id({
      description: 'Global ID of the deployment that was deleted.',
      resolve: ({ id }) => toGlobalId('Deployment', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createDeployment: t.field({
    type: deploymentPayload('createDeployment'),
    description: 'Records that an external system deploys, or deployed, a commit to an environment. For developers.',
    args: {
      input: t.arg({
        type: CreateDeploymentInput,
        required: true,
        description: 'Names the commit and the environment.',
      }),
    },
    resolve: (_root, { input: { project, ...values } }, context) => createDeployment(context, project, values),
  }),
  updateDeployment: t.field({
    type: deploymentPayload('updateDeployment'),
    description: 'Changes the status of a deployment by an external system. For developers.',
    args: {
      input: t.arg({ type: UpdateDeploymentInput, required: true, description: 'The deployment and its status.' }),
    },
    resolve: async (_root, { input }, context) =>
      updateDeployment(context, await projectHolding(context, 'Deployment', input), input.id, input.status),
  }),
  deleteDeployment: t.field({
    type: DeleteDeploymentPayload,
    description:
      'Deletes a deployment that is neither running nor the latest one of its environment. For masters of the project.',
    args: {
      input: t.arg({ type: DeleteDeploymentInput, required: true, description: 'Names the deployment to delete.' }),
    },
    resolve: async (_root, { input }, context) =>
      deleteDeployment(context, await projectHolding(context, 'Deployment', input), input.id),
  }),
}));
