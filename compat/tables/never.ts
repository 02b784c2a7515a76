import { constant } from '#compat/engine/entries.ts';
import { keep } from '#compat/engine/table.ts';

/** Types of which there is never an object here, and why. Documents may select them all the same. */
export const NEVER: Readonly<Record<string, string>> = {
  CustomField: 'a paid feature',
  CustomFieldSelectOption: 'a paid feature',
  FeatureFlag: 'issues are not linked to feature flags',
  Iteration: 'a paid feature',
  IterationCadence: 'a paid feature',
  TerraformState: 'Gantry keeps no Terraform states',
  TerraformStateVersion: 'Gantry keeps no Terraform states',
  WorkItemNumberFieldValue: 'a paid feature',
  WorkItemSelectFieldValue: 'a paid feature',
  WorkItemStatus: 'a paid feature',
  WorkItemTextFieldValue: 'a paid feature',
  WorkItemWidgetColor: 'a paid feature',
  WorkItemWidgetCustomFields: 'a paid feature',
  WorkItemWidgetDefinitionStatus: 'a paid feature',
  WorkItemWidgetHealthStatus: 'a paid feature',
  WorkItemWidgetIteration: 'a paid feature',
  WorkItemWidgetProgress: 'a paid feature',
  WorkItemWidgetStatus: 'a paid feature',
  WorkItemWidgetWeight: 'a paid feature',
};

const nothing = new Proxy({}, { get: () => constant(null) });

for (const type of Object.keys(NEVER)) keep(type, { type, core: 'Query', fields: nothing });
