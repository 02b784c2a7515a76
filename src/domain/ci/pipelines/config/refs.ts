import { isPattern, splitEntry } from '#src/domain/ci/pipelines/config/base/pattern.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { type ExpansionLimit, isRecord, readNames, requireKeys } from '#src/domain/ci/pipelines/config/base/values.ts';
import type { RefPolicy } from '#src/domain/ci/pipelines/config/model.ts';
import { requireExpression } from '#src/domain/ci/pipelines/config/rules/expression.ts';
import { readChanges } from '#src/domain/ci/pipelines/config/rules/read.ts';

/** Reads `only` or `except`: refs, or a mapping with them and other conditions. Throws InvalidConfig. */
export function readPolicy(value: unknown, where: string, budget: ExpansionLimit): RefPolicy | null {
  if (value == null) return null;
  if (!isRecord(value))
    return { refs: readRefs(value, where, budget), variables: null, changes: null, kubernetes: false };
  requireKeys(value, where, ['refs', 'variables', 'changes', 'kubernetes']);
  const { variables, kubernetes } = value;
  if (kubernetes != null && kubernetes !== 'active') throw new InvalidConfig(`${where} kubernetes should be active`);
  if (variables != null && !Array.isArray(variables)) {
    throw new InvalidConfig(`${where} variables should be an array of strings`);
  }
  return {
    refs: value.refs == null ? null : readRefs(value.refs, where, budget),
    variables: variables?.map((one: unknown) => requireExpression(one, `${where} variables`)) ?? null,
    changes: readChanges(value.changes, `${where}:changes`, budget),
    kubernetes: kubernetes != null,
  };
}

function readRefs(value: unknown, where: string, budget: ExpansionLimit): string[] {
  if (!Array.isArray(value)) throw new InvalidConfig(`${where} config should be an array of strings or regexps`);
  const refs = readNames(value, where, budget) ?? [];
  for (const ref of refs) {
    if (ref.startsWith('/') && !isPattern(splitEntry(ref).wanted)) {
      throw new InvalidConfig(`${where} config should be an array of strings or regexps`);
    }
  }
  return refs;
}
