import { projectField } from '#schema/inputs.ts';
import { mutation } from '#schema/mutation.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { ResourceGroup, ResourceGroupProcessMode } from '#schema/resource_groups/types.ts';
import { changedResourceGroup } from '#src/domain/ci/resource_groups/list.ts';
import { updateResourceGroup } from '#src/domain/ci/resource_groups/update.ts';

mutation('updateResourceGroup', {
  description: 'Changes in which order the jobs of a resource group run. For developers.',
  input: {
    description: 'Changes to a resource group. What is left out stays as it is.',
    argument: 'The group and its new order.',
    fields: (t) => ({
      project: projectField(t, 'of the resource group'),
      key: t.string({ required: true, description: 'Name of the group, as the jobs have it.' }),
      processMode: t.field({
        type: ResourceGroupProcessMode,
        description: 'Which of its jobs is the next to run.',
      }),
    }),
  },
  resolve: ({ project, key, processMode }, context) => updateResourceGroup(context, project, key, processMode),
  payload: {
    description: 'The resource group after the mutation.',
    fields: (t) => ({
      resourceGroup: t.field({
        type: ResourceGroup,
        description: 'The resource group as it is now.',
        resolve: (changed, _args, context, info) =>
          changedResourceGroup(context, changed, selectionAt(info, 'ResourceGroup')),
      }),
    }),
  },
});
