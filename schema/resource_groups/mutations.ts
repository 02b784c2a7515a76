import { builder } from '#schema/builder.ts';
import { namesOf, projectField } from '#schema/inputs.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { ResourceGroup, ResourceGroupProcessMode } from '#schema/resource_groups/types.ts';
import { changedResourceGroup } from '#src/domain/ci/resource_groups/list.ts';
import { updateResourceGroup } from '#src/domain/ci/resource_groups/update.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const UpdateResourceGroupInput = builder.inputType('UpdateResourceGroupInput', {
  description: 'Changes to a resource group. What is left out stays as it is.',
  fields: (t) => ({
    project: projectField(t, 'of the resource group'),
    key: t.string({ required: true, description: 'Name of the group, as the jobs have it.' }),
    processMode: t.field({
      type: ResourceGroupProcessMode,
      description: 'Which of its jobs is the next to run.',
    }),
  }),
});

const UpdateResourceGroupPayload = builder.objectRef<ChangedRecord>(namesOf('updateResourceGroup').payload).implement({
  description: 'The resource group after the mutation.',
  fields: (t) => ({
    resourceGroup: t.field({
      type: ResourceGroup,
      description: 'The resource group as it is now.',
      resolve: (changed, _args, context, info) =>
        changedResourceGroup(context, changed, selectionAt(info, 'ResourceGroup')),
    }),
  }),
});

builder.mutationFields((t) => ({
  updateResourceGroup: t.field({
    type: UpdateResourceGroupPayload,
    description: 'Changes in which order the jobs of a resource group run. For developers.',
    args: {
      input: t.arg({ type: UpdateResourceGroupInput, required: true, description: 'The group and its new order.' }),
    },
    resolve: (_root, { input: { project, key, processMode } }, context) =>
      updateResourceGroup(context, project, key, processMode),
  }),
}));
