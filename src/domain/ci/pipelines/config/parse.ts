import { PatternMatcher } from '#src/domain/ci/pipelines/config/base/pattern.ts';
import { Incomplete, Sources } from '#src/domain/ci/pipelines/config/base/sources.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import {
  ExpansionLimit,
  isRecord,
  type Raw,
  readCommands,
  readDefinedVariables,
  readNames,
  requireKeys,
} from '#src/domain/ci/pipelines/config/base/values.ts';
import { resolveExtends } from '#src/domain/ci/pipelines/config/compose/extends.ts';
import { Composer, type Composition, type Included } from '#src/domain/ci/pipelines/config/compose/include.ts';
import { Merger } from '#src/domain/ci/pipelines/config/compose/merge.ts';
import { resolveReferences } from '#src/domain/ci/pipelines/config/compose/references.ts';
import { type JobDefaults, readJob } from '#src/domain/ci/pipelines/config/job.ts';
import {
  type Config,
  FIRST_STAGE,
  type JobConfig,
  LAST_STAGE,
  stageIndexOf,
} from '#src/domain/ci/pipelines/config/model.ts';
import { checkNeeds, instead, withParallelNames } from '#src/domain/ci/pipelines/config/needs.ts';
import { readCache, readImage, readServices } from '#src/domain/ci/pipelines/config/options.ts';
import { readTimeout } from '#src/domain/ci/pipelines/config/policies.ts';
import { Judge } from '#src/domain/ci/pipelines/config/rules/judge.ts';
import { readWorkflow } from '#src/domain/ci/pipelines/config/workflow.ts';

/** Jobs of a file, and those that `parallel` makes of them. */
const MAX_JOBS = 500;
const MAX_PARALLEL_JOBS = 1_000;
const DEFAULT_STAGES = ['build', 'test', 'deploy'];
/** Keys of the file that are defaults of all jobs, and have their place in `default` as well. */
const OLD_DEFAULTS = ['image', 'services', 'before_script', 'after_script', 'cache'];
const DEFAULTS = [...OLD_DEFAULTS, 'artifacts', 'hooks', 'id_tokens', 'interruptible', 'retry', 'tags', 'timeout'];
/** Global keys of the file. `types` is the old name of `stages`. */
const GLOBAL = new Set([...OLD_DEFAULTS, 'variables', 'stages', 'types', 'default', 'workflow']);

/** Parses a `.gitlab-ci.yml` that stands alone. Throws InvalidConfig with a message for its author. */
export function parseConfig(text: string): Config {
  return readConfig(compose(text, alone()));
}

function alone(): Composition {
  const [sources, matcher] = [new Sources(new Map()), new PatternMatcher()];
  return { sources, matcher, merger: new Merger(), judge: new Judge({ weak: {}, strong: {} }, matcher, sources) };
}

interface Composed {
  raw: Raw;
  included: Included[];
  /** The templates that are not there, of which nothing is included. */
  warnings: string[];
}

/** A configuration in one piece, of a file with the values of its inputs: what is included, extended and referred to is in its place. Throws InvalidConfig, Incomplete. */
export function compose(text: string, composition: Composition, inputs: Raw = {}): Composed {
  const composer = new Composer(composition);
  const whole = composer.read(text, null, inputs);
  if (composition.sources.missing.length > 0) throw new Incomplete();
  const { included, warnings } = composer;
  const extended = resolveExtends(whole, composition.merger, warnings.length > 0);
  return { raw: resolveReferences(extended), included, warnings };
}

/** Validates a configuration in one piece. Throws InvalidConfig with a message for its author. */
export function readConfig({ raw, warnings: missing }: Omit<Composed, 'included'>): Config {
  const budget = new ExpansionLimit();
  const warnings = [...missing];
  const stages = (readNames(flat(raw.stages ?? raw.types), 'stages', budget) ?? DEFAULT_STAGES).filter(isOwnStage);
  const defaults: JobDefaults = {
    stages,
    variables: readDefinedVariables(raw.variables, 'variables', budget, ['value', 'description', 'options', 'expand']),
    keys: readDefaults(raw, budget),
    warn: (problem) => warnings.push(problem),
  };
  const given = Object.keys(raw).filter((name) => !GLOBAL.has(name) && !name.startsWith('.'));
  // They add to jobs of templates that are not there.
  const rests = new Set(missing.length > 0 ? given.filter((name) => isRest(raw[name])) : []);
  for (const name of [...rests].slice(0, MAX_JOBS)) {
    warnings.push(`jobs:${name} is left out, as it has no script without such a template`);
  }
  const names = given.filter((name) => !rests.has(name));
  if (names.length === 0) throw new InvalidConfig('jobs config should contain at least one visible job');
  if (names.length > MAX_JOBS) throw new InvalidConfig(`jobs config should contain at most ${MAX_JOBS} jobs`);
  const made = names.flatMap((name) => readJob(name, raw[name], defaults, budget));
  if (made.length > MAX_PARALLEL_JOBS)
    throw new InvalidConfig(`jobs config should make at most ${MAX_PARALLEL_JOBS} jobs`);
  // A job that is named like a part of another one takes its place.
  const alone = new Set(made.flatMap(({ name, group }) => (name === group ? [name] : [])));
  const kept = made.filter(({ name, group }) => name === group || !alone.has(name));
  const jobs = kept.map((job) => withNamesOfParts(job, kept));
  const byName = new Map(jobs.map((job) => [job.name, job]));
  for (const job of jobs) {
    checkStop(job, byName);
    checkDependencies(job, byName, stages);
  }
  checkNeeds(jobs, stages);
  const workflow = readWorkflow(raw.workflow, budget);
  return { stages, jobs, workflow, variables: defaults.variables, warnings };
}

function isRest(job: unknown): boolean {
  return isRecord(job) && job.script == null && job.trigger == null && job.run == null;
}

function flat(value: unknown): unknown {
  return Array.isArray(value) ? value.flat(10) : value;
}

function isOwnStage(stage: string): boolean {
  return stage !== FIRST_STAGE && stage !== LAST_STAGE;
}

/** The keys that jobs inherit, from `default` and from the file itself. Invalid ones are reported as such, even if each job overrides them. */
function readDefaults(raw: Raw, budget: ExpansionLimit): Raw {
  const { default: given } = raw;
  if (given != null && !isRecord(given)) throw new InvalidConfig('default config should be a hash');
  const own = given ?? {};
  requireKeys(own, 'default', DEFAULTS);
  const twice = OLD_DEFAULTS.filter((key) => raw[key] != null && own[key] != null);
  if (twice.length > 0) throw new InvalidConfig(`${twice[0]} is defined in top-level and \`default:\` entry`);
  for (const [from, where] of [
    [raw, ''],
    [own, 'default:'],
  ] as const) {
    readImage(from.image, `${where}image`, budget);
    readServices(from.services, `${where}services`, budget);
    readCache(from.cache, `${where}cache`, budget);
    readCommands(from.before_script, `${where}before_script`, budget);
    readCommands(from.after_script, `${where}after_script`, budget);
  }
  readTimeout(own.timeout, 'default');
  const keys = OLD_DEFAULTS.map((key) => [key, raw[key]]).filter(([, value]) => value != null);
  return { ...Object.fromEntries(keys), ...own };
}

/** The job with its needs and dependencies under the names that `parallel` gives them. */
function withNamesOfParts(job: JobConfig, jobs: readonly JobConfig[]): JobConfig {
  const { needs, rules, options } = job;
  const { dependencies } = options;
  const named = Array.isArray(dependencies)
    ? withParallelNames(dependencies.map(asNeed), jobs).map((one) => one.job)
    : null;
  return {
    ...job,
    needs: needs && withParallelNames(needs, jobs),
    rules: rules?.map((rule) => (rule.needs ? { ...rule, needs: withParallelNames(rule.needs, jobs) } : rule)) ?? null,
    options: named ? { ...options, dependencies: named } : options,
  };
}

function asNeed(job: unknown) {
  return { job: String(job), artifacts: true, optional: false, matrix: null };
}

/** Dependencies must be jobs of earlier stages, or be needed. */
function checkDependencies(job: JobConfig, jobs: ReadonlyMap<string, JobConfig>, stages: readonly string[]) {
  const { name, stage, options, needs } = job;
  const { dependencies } = options;
  for (const wanted of Array.isArray(dependencies) ? dependencies : []) {
    const found = jobs.get(wanted);
    if (!found) throw new InvalidConfig(`${name} job: undefined dependency: ${wanted}${instead(jobs.keys())}`);
    const isNeeded = needs?.some((need) => need.job === wanted);
    if (!isNeeded && stageIndexOf(stages, found.stage) >= stageIndexOf(stages, stage)) {
      throw new InvalidConfig(
        `${name} job: dependency ${wanted} is not defined in prior stages: it is in ${found.stage}, and ${name} in ${stage}`,
      );
    }
    if (needs && !isNeeded) throw new InvalidConfig(`${name} job: dependency ${wanted} should be part of needs`);
  }
}

/** A job named as the stop job of an environment must stop that environment. */
function checkStop({ name, environment }: JobConfig, jobs: ReadonlyMap<string, JobConfig>): void {
  if (!environment?.onStop) return;
  const stop = jobs.get(environment.onStop);
  const about = `${name} job: on_stop job ${environment.onStop}`;
  if (!stop) throw new InvalidConfig(`${about} is not defined`);
  if (!stop.environment) throw new InvalidConfig(`${about} does not have environment defined`);
  if (stop.environment.name !== environment.name) {
    throw new InvalidConfig(`${about} have different environment name`);
  }
  if (stop.environment.action !== 'stop') throw new InvalidConfig(`${about} needs to have action stop defined`);
}
