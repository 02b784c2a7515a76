import { ciFrame } from '#pages/ci.ts';
import { named } from '#pages/engine/asking.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { inPlace } from '#pages/place.ts';
import {
  SendTerraformStateDeletionDocument,
  SendTerraformStateLockDocument,
  SendTerraformStateUnlockDocument,
  TerraformStatesPageDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const at = '/:project/-/terraform';
const toStates = (_data: unknown, { given }: Facts) => inPlace(given, 'terraform');

const states = page({
  path: at,
  operation: TerraformStatesPageDocument,
  view: 'terraform_states/list',
  found: ({ project }) => project?.terraformStates && { project, states: project.terraformStates },
  title: ({ project }, { t }) => `${t('Terraform states')} · ${project.fullPath}`,
  show: (found) => ({ ...ciFrame(found.project, 'terraform'), states: found.states }),
  signIn: true,
});

/** States of Terraform, which people unlock and delete by hand. */
export const terraformStates = [
  states,
  form({
    path: `${at}/:name/lock`,
    operation: SendTerraformStateLockDocument,
    says: label('The state is locked.'),
    goTo: toStates,
    again: states,
  }),
  form({
    path: `${at}/:name/unlock`,
    operation: SendTerraformStateUnlockDocument,
    says: label('The state is unlocked.'),
    asks: (facts) => ({
      heading: facts.t('Unlock {name}?', { name: named(facts.given) }),
      says: [facts.t('If a program is still at work on it, its changes will not be recorded.')],
      button: facts.t('Unlock state'),
      back: toStates(null, facts),
    }),
    goTo: toStates,
    again: states,
  }),
  form({
    path: `${at}/:name/delete`,
    operation: SendTerraformStateDeletionDocument,
    says: label('The state was deleted.'),
    asks: (facts) => ({
      heading: facts.t('Delete {name}?', { name: named(facts.given) }),
      says: [
        facts.t('All versions of the state are deleted; what they describe stays as it is. This cannot be undone.'),
      ],
      button: facts.t('Delete state'),
      back: toStates(null, facts),
    }),
    goTo: toStates,
    again: states,
  }),
];
