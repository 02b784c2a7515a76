import { projectField } from '#schema/inputs.ts';
import { changed, mutation, type Payload } from '#schema/mutation.ts';
import { ResourceGroup, ResourceGroupProcessMode } from '#schema/resource_groups/types.ts';
import { changedResourceGroup } from '#src/domain/ci/resource_groups/list.ts';
import { updateResourceGroup } from '#src/domain/ci/resource_groups/update.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const resourceGroupPayload: Payload<ChangedRecord> = changed(
  'resourceGroup',
  ResourceGroup,
  'ResourceGroup',
  changedResourceGroup,
);

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
  payload: resourceGroupPayload,
});
