import type { Need, Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import type { DefinedVariables } from '#src/domain/ci/pipelines/config/base/values.ts';
import type { Expression } from '#src/domain/ci/pipelines/config/rules/expression.ts';
import type { AutoCancel, ChangesCondition, Rule } from '#src/domain/ci/pipelines/config/rules/model.ts';
import type { TriggerConfig } from '#src/domain/ci/pipelines/config/trigger.ts';

/** The configuration of a pipeline, validated and with all defaults filled in. */
export interface Config {
  /** In order, without the first, `.pre`, and the last, `.post`. */
  stages: string[];
  jobs: JobConfig[];
  workflow: Workflow;
  /** Of all jobs. */
  variables: DefinedVariables;
  /** What was read and has no effect. */
  warnings: string[];
}

/** What decides about the pipeline as a whole. */
export interface Workflow {
  /** May contain variables. */
  name: string | null;
  /** The pipeline is made if one of them holds; null if it always is. */
  rules: Rule[] | null;
  autoCancel: AutoCancel | null;
}

export const WHEN = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const;
export type When = (typeof WHEN)[number];

/** Those that deploy to the environment, and those that only use it. */
export const ACTIONS = ['start', 'stop', 'prepare', 'verify', 'access'] as const;

export interface EnvironmentConfig {
  /** May contain variables. */
  name: string;
  url: string | null;
  action: (typeof ACTIONS)[number];
  /** Name of the job that stops it. */
  onStop: string | null;
  /** A duration or `never`; may contain variables. */
  autoStopIn: string | null;
  /** What it is for; may contain variables. */
  tier: string | null;
}

/** What `only` or `except` asks; null where nothing. */
export interface RefPolicy {
  /** Refs, words such as `branches`, or patterns between slashes. */
  refs: string[] | null;
  variables: Expression[] | null;
  changes: ChangesCondition | null;
  /** Whether it is for clusters, which there are none of. */
  kubernetes: boolean;
}

export interface JobConfig {
  name: string;
  /** The name in the file, of which `parallel` makes several. */
  group: string;
  stage: string;
  only: RefPolicy | null;
  except: RefPolicy | null;
  /** Instead of `only` and `except`: the job is in the pipeline if one holds. */
  rules: Rule[] | null;
  when: When;
  /** Seconds that a delayed job waits. */
  startIn: number | null;
  allowFailure: boolean;
  environment: EnvironmentConfig | null;
  /** Those of the file, followed by its own. */
  variables: Variables;
  own: Variables;
  /** The names of those whose values are not expanded. */
  raw: string[];
  /** A runner must have all of them. May contain variables. */
  tags: string[];
  /** The jobs that it waits for; null for all of earlier stages. */
  needs: Need[] | null;
  interruptible: boolean;
  /** Jobs of the project with the same one run one at a time. May contain variables. */
  resourceGroup: string | null;
  /** The pipeline that it starts, instead of a script. */
  trigger: TriggerConfig | null;
  /** Options for the runner and for how the server treats it, under the names of the file. */
  options: Record<string, unknown>;
}

/** The place of a stage in the order of stages: `.pre` comes first, and `.post` last. */
export function stageIndexOf(stages: readonly string[], stage: string): number {
  if (stage === FIRST_STAGE) return -1;
  return stage === LAST_STAGE ? stages.length : stages.indexOf(stage);
}

export const FIRST_STAGE = '.pre';
export const LAST_STAGE = '.post';
