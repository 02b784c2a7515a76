import type { Need, Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import type { Expression } from '#src/domain/ci/pipelines/config/rules/expression.ts';

export const RULE_WHEN = ['on_success', 'on_failure', 'always', 'manual', 'delayed', 'never'] as const;
export type RuleWhen = (typeof RULE_WHEN)[number];

/** What a rule asks of the paths that a commit changed: one of the patterns must match one of them. */
export interface ChangesCondition {
  paths: string[];
  /** The ref to compare with; null for what the pipeline is about. */
  compareTo: string | null;
}

export interface ExistsCondition {
  paths: string[];
  /** The project and ref to look in; null for the pipeline's own. */
  place: { project: string; ref: string } | null;
}

/** One of the rules that decide whether a job, a pipeline or an included file takes part, and how: the first that holds counts. */
export interface Rule {
  if: Expression | null;
  changes: ChangesCondition | null;
  exists: ExistsCondition | null;
  when: RuleWhen | null;
  /** In seconds. */
  startIn: number | null;
  allowFailure: boolean | null;
  interruptible: boolean | null;
  variables: Variables;
  needs: Need[] | null;
  autoCancel: AutoCancel | null;
}

/** What happens to the other jobs when a newer pipeline of the ref begins, and when a job has failed. */
export interface AutoCancel {
  onNewCommit: 'conservative' | 'interruptible' | 'none' | null;
  onJobFailure: 'none' | 'all' | null;
}
