import { type InputFields, projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation } from '#schema/mutation.ts';
import { fromProject } from '#schema/places/parents.ts';
import { TerraformState } from '#schema/terraform_states/types.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { deleteNamed, lockByHand, terraformStates, unlockByHand } from '#src/domain/terraform_states/list.ts';

const which = (t: InputFields) => ({
  project: projectField(t, 'of the state'),
  name: t.string({ required: true, description: 'Name of the state, in exact case.' }),
});

const payload = changed(
  'terraformState',
  TerraformState,
  'TerraformState',
  (context, { project, id }: ChangedRecord, selection) => terraformStates.changed(context, { project, id }, selection),
  'state',
);

mutation('lockTerraformState', {
  description:
    'Locks a state of Terraform, so that no program writes it until it is unlocked. CONFLICT if it is locked already. For maintainers.',
  input: { description: 'Which state to lock.', argument: 'Names the state to lock.', fields: which },
  resolve: ({ project, name }, context) => lockByHand(context, project, name),
  payload,
});

mutation('unlockTerraformState', {
  description:
    'Unlocks a state of Terraform, whoever locked it: the program that did can no longer write it. For maintainers.',
  input: { description: 'Which state to unlock.', argument: 'Names the state to unlock.', fields: which },
  resolve: ({ project, name }, context) => unlockByHand(context, project, name),
  payload,
});

mutation('deleteTerraformState', {
  description:
    'Deletes a state of Terraform with all its versions. What it describes stays as it is. CONFLICT while it is locked. For maintainers.',
  input: { description: 'Which state to delete.', argument: 'Names the state to delete.', fields: which },
  resolve: ({ project, name }, context) => deleteNamed(context, project, name),
  payload: { ...deleted('TerraformState', 'state'), from: fromProject },
});
