import { parseDuration } from '#src/base/duration.ts';
import { readNeeds } from '#src/domain/ci/pipelines/config/base/needs.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import {
  type ExpansionLimit,
  isRecord,
  readBoolean,
  readNames,
  readVariables,
  requireKeys,
  scalarText,
} from '#src/domain/ci/pipelines/config/base/values.ts';
import { requireExpression } from '#src/domain/ci/pipelines/config/rules/expression.ts';
import {
  type AutoCancel,
  type ChangesCondition,
  type ExistsCondition,
  RULE_WHEN,
  type Rule,
  type RuleWhen,
} from '#src/domain/ci/pipelines/config/rules/model.ts';

const CONDITIONS = ['if', 'changes', 'exists'];
/** What the rules of each thing may have. */
const KEYS = {
  job: [...CONDITIONS, 'when', 'start_in', 'allow_failure', 'interruptible', 'variables', 'needs'],
  workflow: [...CONDITIONS, 'when', 'variables', 'auto_cancel'],
  include: [...CONDITIONS, 'when'],
};
const WHEN: Record<keyof typeof KEYS, readonly RuleWhen[]> = {
  job: RULE_WHEN,
  workflow: ['always', 'never'],
  include: ['always', 'never'],
};

/** Rules of one thing, and patterns of one rule. */
const MAX_RULES = 500;
const MAX_PATTERNS = 50;
/** How deeply lists of rules may be nested. */
const MAX_RULE_DEPTH = 10;
/** Milliseconds. */
const WEEK = 7 * 86_400_000;

/** Reads the rules of a job, of the workflow, or of an included file. Throws InvalidConfig. */
export function readRules(value: unknown, where: string, budget: ExpansionLimit, kind: keyof typeof KEYS): Rule[] {
  if (!Array.isArray(value)) throw new InvalidConfig(`${where} config should be an array of hashes`);
  const rules = value.flat(MAX_RULE_DEPTH);
  if (rules.length === 0) throw new InvalidConfig(`${where} config can't be blank`);
  if (rules.length > MAX_RULES) throw new InvalidConfig(`${where} config should have at most ${MAX_RULES} rules`);
  return rules.map((rule) => readRule(rule, `${where}:rule`, budget, kind));
}

function readRule(raw: unknown, where: string, budget: ExpansionLimit, kind: keyof typeof KEYS): Rule {
  if (!isRecord(raw)) throw new InvalidConfig(`${where} config should be a hash`);
  requireKeys(raw, where, KEYS[kind]);
  const when = raw.when == null ? null : (WHEN[kind].find((word) => word === raw.when) ?? undefined);
  if (when === undefined) throw new InvalidConfig(`${where} when unknown value: ${scalarText(raw.when) ?? ''}`);
  return {
    if: raw.if == null ? null : requireExpression(raw.if, `${where} if`),
    changes: readChanges(raw.changes, `${where}:changes`, budget),
    exists: readExists(raw.exists, `${where}:exists`, budget),
    when,
    startIn: readStartIn(raw.start_in, when, where),
    allowFailure: readBoolean(raw.allow_failure, `${where} allow failure`),
    interruptible: readBoolean(raw.interruptible, `${where} interruptible`),
    variables: readVariables(raw.variables, `${where}:variables`, budget),
    needs: raw.needs == null ? null : readNeeds(raw.needs, `${where}:needs`, budget),
    autoCancel: readAutoCancel(raw.auto_cancel, `${where}:auto_cancel`),
  };
}

/** Reads the seconds that a delayed job waits. Throws InvalidConfig. */
export function readStartIn(value: unknown, when: string | null, where: string): number | null {
  if (when !== 'delayed') {
    if (value != null) throw new InvalidConfig(`${where} start in must be blank`);
    return null;
  }
  const text = scalarText(value);
  const duration = text === null ? null : parseDuration(text);
  if (duration === null) throw new InvalidConfig(`${where} start in should be a duration`);
  if (duration > WEEK) throw new InvalidConfig(`${where} start in should not exceed the limit`);
  return Math.round(duration / 1_000);
}

/** Reads patterns, or a mapping with them and the ref to compare with. Throws InvalidConfig. */
export function readChanges(value: unknown, where: string, budget: ExpansionLimit): ChangesCondition | null {
  if (value == null) return null;
  if (!isRecord(value)) return { paths: readPatterns(value, where, budget), compareTo: null };
  requireKeys(value, where, ['paths', 'compare_to']);
  const compareTo = value.compare_to == null ? null : scalarText(value.compare_to);
  if (value.compare_to != null && !compareTo) throw new InvalidConfig(`${where} compare to should be a string`);
  return { paths: readPatterns(value.paths, where, budget), compareTo: compareTo && budget.spend(compareTo) };
}

function readExists(value: unknown, where: string, budget: ExpansionLimit): ExistsCondition | null {
  if (value == null) return null;
  if (!isRecord(value)) return { paths: readPatterns(value, where, budget), place: null };
  requireKeys(value, where, ['paths', 'project', 'ref']);
  const [project, ref] = [value.project, value.ref].map((one) => (one == null ? null : scalarText(one)));
  if (value.ref != null && value.project == null)
    throw new InvalidConfig(`${where} config \`project\` is needed with \`ref\``);
  if (value.project != null && !project) throw new InvalidConfig(`${where} project should be a string`);
  return { paths: readPatterns(value.paths, where, budget), place: project ? { project, ref: ref || 'HEAD' } : null };
}

function readPatterns(value: unknown, where: string, budget: ExpansionLimit): string[] {
  if (!Array.isArray(value)) throw new InvalidConfig(`${where} config should be an array of strings`);
  const patterns = readNames(value.flat(MAX_RULE_DEPTH), where, budget) ?? [];
  if (patterns.length > MAX_PATTERNS) {
    throw new InvalidConfig(`${where} config is too long (maximum is ${MAX_PATTERNS})`);
  }
  return patterns;
}

/** Reads what cancels jobs. Throws InvalidConfig. */
export function readAutoCancel(value: unknown, where: string): AutoCancel | null {
  if (value == null) return null;
  if (!isRecord(value)) throw new InvalidConfig(`${where} config must be a hash`);
  requireKeys(value, where, ['on_new_commit', 'on_job_failure']);
  const { on_new_commit: commit, on_job_failure: failure } = value;
  const onNewCommit = (['conservative', 'interruptible', 'none'] as const).find((word) => word === commit) ?? null;
  const onJobFailure = (['none', 'all'] as const).find((word) => word === failure) ?? null;
  if (commit != null && onNewCommit === null) {
    throw new InvalidConfig(`${where} on new commit must be one of: conservative, interruptible, none`);
  }
  if (failure != null && onJobFailure === null) {
    throw new InvalidConfig(`${where} on job failure must be one of: none, all`);
  }
  return { onNewCommit, onJobFailure };
}
