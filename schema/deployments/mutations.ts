import { Deployment, DeploymentStatus } from '#schema/deployments/types.ts';
import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import { deleteDeployment, updateDeployment } from '#src/domain/ci/deployments/change.ts';
import { createDeployment } from '#src/domain/ci/deployments/create.ts';
import { findDeployment } from '#src/domain/ci/deployments/list.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const which = (t: InputFields) => ({
  project: holderField(t, 'deployment'),
  id: t.field({ ...idOf('Deployment'), required: true, description: 'Global or numeric ID of the deployment.' }),
});

const deploymentPayload: Payload<ChangedRecord> = changed(
  'deployment',
  Deployment,
  'Deployment',
  (context, { project, id }, selection) => findDeployment(context, project, id, selection),
);

mutation('createDeployment', {
  description: 'Records that an external system deploys, or deployed, a commit to an environment. For developers.',
  input: {
    description: 'A deployment by an external system.',
    argument: 'Names the commit and the environment.',
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
  },
  resolve: ({ project, ...values }, context) => createDeployment(context, project, values),
  payload: deploymentPayload,
});

mutation('updateDeployment', {
  description: 'Changes the status of a deployment by an external system. For developers.',
  input: {
    description: 'The new status of a deployment by an external system.',
    argument: 'The deployment and its status.',
    fields: (t) => ({
      ...which(t),
      status: t.field({ type: DeploymentStatus, required: true, description: 'How far the deployment is now.' }),
    }),
  },
  resolve: async (input, context) =>
    updateDeployment(context, await projectHolding(context, 'Deployment', input), input.id, input.status),
  payload: deploymentPayload,
});

mutation('deleteDeployment', {
  description:
    'Deletes a deployment that is neither running nor the latest one of its environment. For masters of the project.',
  input: { description: 'Which deployment to delete.', argument: 'Names the deployment to delete.', fields: which },
  resolve: async (input, context) => {
    const project = await projectHolding(context, 'Deployment', input);
    return { ...(await deleteDeployment(context, project, input.id)), project };
  },
  payload: { ...deleted('Deployment', 'deployment'), from: fromProject },
});
