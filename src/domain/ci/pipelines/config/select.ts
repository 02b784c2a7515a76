import type { PipelineOrigin, PipelineSource } from '#src/domain/ci/pipelines/config/base/origin.ts';
import { PatternMatcher, splitEntry } from '#src/domain/ci/pipelines/config/base/pattern.ts';
import { Sources } from '#src/domain/ci/pipelines/config/base/sources.ts';
import { InvalidConfig, type Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import type { DefinedVariables } from '#src/domain/ci/pipelines/config/base/values.ts';
import { ofJobName } from '#src/domain/ci/pipelines/config/base/variables.ts';
import type { Config, JobConfig, RefPolicy, When } from '#src/domain/ci/pipelines/config/model.ts';
import { inOrder } from '#src/domain/ci/pipelines/config/needs.ts';
import { type Conditions, Judge } from '#src/domain/ci/pipelines/config/rules/judge.ts';
import type { AutoCancel, Rule } from '#src/domain/ci/pipelines/config/rules/model.ts';

/** Words of `only` and `except` for the sources of pipelines. */
const SOURCES: Record<string, PipelineSource> = {
  pushes: 'push',
  api: 'api',
  triggers: 'trigger',
  schedules: 'schedule',
  web: 'web',
  pipelines: 'pipeline',
};
/** The word for merge requests, whose pipelines have only jobs that ask for it. */
const MERGE_REQUESTS = 'merge_requests';

/** The jobs of a pipeline, and what is true for all of it. */
export interface Selection {
  jobs: JobConfig[];
  /** Whether the rules of the workflow rule the pipeline out. */
  isFiltered: boolean;
  /** May contain variables, also these of the file. */
  name: string | null;
  variables: DefinedVariables;
  autoCancel: AutoCancel | null;
  /** Variables in rules of what is left out that are not set. */
  warnings: string[];
}

/** What there is to decide by. */
export interface Deciding {
  matcher: PatternMatcher;
  judge: Judge;
}

const NOTHING: Selection = {
  jobs: [],
  isFiltered: true,
  name: null,
  variables: { values: {}, raw: [] },
  autoCancel: null,
  warnings: [],
};

/** The jobs of the file for this origin, each after those that it needs. Throws InvalidConfig. */
export function selectPipeline(config: Config, origin: PipelineOrigin, { matcher, judge }: Deciding): Selection {
  const { rules, name, autoCancel } = config.workflow;
  const rule = rules && judge.first(rules, config.variables);
  if (rules && (!rule || rule.when === 'never')) {
    return { ...NOTHING, warnings: unsetIn('workflow:rules', judge.unset(rules.map(conditionsOf), config.variables)) };
  }
  const variables = rule?.variables ?? {};
  const warnings: string[] = [];
  const jobs = selectJobs(config, origin, { matcher, judge, variables, warnings });
  return {
    jobs: withNeeds(jobs),
    isFiltered: false,
    name,
    variables: overriddenBy(config.variables, variables),
    autoCancel:
      autoCancel && rule?.autoCancel ? { ...autoCancel, ...given(rule.autoCancel) } : (rule?.autoCancel ?? autoCancel),
    warnings,
  };
}

/** What to tell of variables that are not set, in conditions of what is left out. */
export function unsetIn(where: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [
    `${where} left it out, and these variables in them are not set: ${names.map((name) => `$${name}`).join(', ')}`,
  ];
}

function conditionsOf({ if: expression, changes, exists }: Rule): Conditions {
  return { expressions: expression ? [expression] : [], changes, exists };
}

function conditionsOfPolicy(policy: RefPolicy | null): Conditions[] {
  return policy ? [{ expressions: policy.variables ?? [], changes: policy.changes }] : [];
}

function given({ onNewCommit, onJobFailure }: AutoCancel): Partial<AutoCancel> {
  return { ...(onNewCommit && { onNewCommit }), ...(onJobFailure && { onJobFailure }) };
}

/** The jobs whose rules, or `only` and `except`, let them take part; `variables` are those of the workflow. Others may get a warning. */
export function selectJobs(
  { jobs, workflow }: Config,
  origin: PipelineOrigin,
  {
    matcher,
    judge,
    variables = {},
    warnings = [],
  }: Deciding & { variables?: Variables; warnings?: string[] } = alone(),
): JobConfig[] {
  const fits = (entry: string) => meets(entry, origin, matcher);
  const isOfMergeRequest = origin.source === 'merge_request_event';
  return jobs.flatMap((job) => {
    const own = overriddenBy({ values: job.variables, raw: job.raw }, variables, job.own);
    const known = withName(job, own);
    if (job.rules) {
      const rule = judge.first(job.rules, known);
      if (rule && rule.when !== 'never') return [byRule(job, rule, rule.when ?? job.when, own)];
      warnings.push(...unsetIn(`jobs:${job.name}:rules`, judge.unset(job.rules.map(conditionsOf), known)));
      return [];
    }
    const isMeant = (policy: RefPolicy, isDefault: boolean) => asked(policy, isDefault, { fits, judge, known });
    const isWanted = job.only
      ? isMeant(job.only, !isOfMergeRequest).every(Boolean)
      : !isOfMergeRequest || workflow.rules !== null;
    if (!isWanted || (job.except && isMeant(job.except, false).some(Boolean))) {
      const conditions = [job.only, job.except].flatMap(conditionsOfPolicy);
      warnings.push(...unsetIn(`jobs:${job.name}:only`, judge.unset(conditions, known)));
      return [];
    }
    return [{ ...job, variables: own.values, raw: own.raw }];
  });
}

function alone(): Deciding {
  const matcher = new PatternMatcher();
  return { matcher, judge: new Judge({ weak: {}, strong: {} }, matcher, new Sources(new Map())) };
}

/** Variables with others over them, which are not raw, save for those that are `own` in any case. */
function overriddenBy({ values, raw }: DefinedVariables, others: Variables, own: Variables = {}): DefinedVariables {
  const isStill = (name: string) => !Object.hasOwn(others, name) || Object.hasOwn(own, name);
  return { values: { ...values, ...others, ...own }, raw: raw.filter(isStill) };
}

/** The variables of a job together with those that tell its name, in which nothing is a reference. */
function withName(job: JobConfig, { values, raw }: DefinedVariables): DefinedVariables {
  const named = ofJobName(job);
  return {
    values: { ...named, ...values },
    raw: [...Object.keys(named).filter((name) => !Object.hasOwn(values, name)), ...raw],
  };
}

/** The job as the rule that holds has it. */
function byRule(job: JobConfig, rule: Rule, when: When, own: DefinedVariables): JobConfig {
  const { values: variables, raw } = overriddenBy(own, rule.variables);
  return {
    ...job,
    when,
    startIn: rule.startIn,
    allowFailure: rule.allowFailure ?? job.allowFailure,
    interruptible: rule.interruptible ?? job.interruptible,
    needs: rule.needs ?? job.needs,
    ...{ variables, raw },
  };
}

interface PolicyContext {
  fits: (entry: string) => boolean;
  judge: Judge;
  known: DefinedVariables;
}

/** Whether each of the conditions is met. Without refs, `only` means branches and tags. */
function asked(policy: RefPolicy, isDefault: boolean, { fits, judge, known }: PolicyContext): boolean[] {
  const { refs, variables, changes, kubernetes } = policy;
  return [
    ...(refs ? [refs.some(fits)] : isDefault ? [true] : []),
    ...(variables ? [judge.any(variables, known)] : []),
    ...(changes ? [judge.changed(changes, known)] : []),
    ...(kubernetes ? [false] : []),
  ];
}

/** The jobs in order, without optional needs that are not there. Throws InvalidConfig for others. */
function withNeeds(jobs: readonly JobConfig[]): JobConfig[] {
  const names = new Set(jobs.map(({ name }) => name));
  const complete = jobs.map((job) => {
    const missing = job.needs?.filter((need) => !names.has(need.job)) ?? [];
    const required = missing.find((need) => !need.optional);
    if (required) {
      throw new InvalidConfig(`'${job.name}' job needs '${required.job}' job, but it was not added to the pipeline`);
    }
    return missing.length === 0 ? job : { ...job, needs: job.needs?.filter((need) => names.has(need.job)) ?? null };
  });
  return complete.some((job) => job.needs) ? inOrder(complete.map((job) => ({ ...job, rules: null }))) : complete;
}

/** Whether an entry matches the origin: `branches`, `master`, `/^v\d/`, each optionally limited by `@group/project`. */
function meets(entry: string, { ref, tag, source, project }: PipelineOrigin, matcher: PatternMatcher): boolean {
  const { wanted, place } = splitEntry(entry);
  if (source !== 'merge_request_event' && entry === ref) return true;
  if (place !== null && place.toLowerCase() !== project.toLowerCase()) return false;
  if (source === 'merge_request_event') return wanted === MERGE_REQUESTS;
  if (wanted === 'branches') return !tag;
  if (wanted === 'tags') return tag;
  if (Object.hasOwn(SOURCES, wanted) && SOURCES[wanted] === source) return true;
  return wanted.startsWith('/') ? matcher.matches(wanted, ref) : wanted === ref;
}
