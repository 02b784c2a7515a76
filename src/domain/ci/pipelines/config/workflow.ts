import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { type ExpansionLimit, isRecord, requireKeys, scalarText } from '#src/domain/ci/pipelines/config/base/values.ts';
import type { Workflow } from '#src/domain/ci/pipelines/config/model.ts';
import { readAutoCancel, readRules } from '#src/domain/ci/pipelines/config/rules/read.ts';

/** Reads what decides about the pipeline as a whole. Throws InvalidConfig. */
export function readWorkflow(value: unknown, budget: ExpansionLimit): Workflow {
  if (value == null) return { name: null, rules: null, autoCancel: null };
  if (!isRecord(value)) throw new InvalidConfig('workflow config should be a hash');
  requireKeys(value, 'workflow', ['name', 'rules', 'auto_cancel']);
  const name = value.name == null ? null : scalarText(value.name);
  if (value.name != null && (name === null || name.length > 255)) {
    throw new InvalidConfig('workflow name should be a string of at most 255 characters');
  }
  return {
    name: name === null ? null : budget.spend(name),
    rules: value.rules == null ? null : readRules(value.rules, 'workflow:rules', budget, 'workflow'),
    autoCancel: readAutoCancel(value.auto_cancel, 'workflow:auto_cancel'),
  };
}
