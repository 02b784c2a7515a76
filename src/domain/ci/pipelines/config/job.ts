import { parseDuration } from '#src/base/duration.ts';
import { TIERS } from '#src/domain/ci/environments/tier.ts';
import { MAX_URL_LENGTH } from '#src/domain/ci/environments/url.ts';
import { ENVIRONMENT_NAME, NAME_RULE } from '#src/domain/ci/environments/values.ts';
import { readNeeds } from '#src/domain/ci/pipelines/config/base/needs.ts';
import { InvalidConfig, type Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import {
  type DefinedVariables,
  type ExpansionLimit,
  isRecord,
  type Raw,
  readBoolean,
  readCommands,
  readDefinedVariables,
  readVariables,
  requireKeys,
  scalarText,
} from '#src/domain/ci/pipelines/config/base/values.ts';
import { readIdTokens } from '#src/domain/ci/pipelines/config/id_tokens.ts';
import {
  ACTIONS,
  type EnvironmentConfig,
  FIRST_STAGE,
  type JobConfig,
  LAST_STAGE,
  WHEN,
  type When,
} from '#src/domain/ci/pipelines/config/model.ts';
import { splitNeeds } from '#src/domain/ci/pipelines/config/needs.ts';
import { filled, readList, readOptions } from '#src/domain/ci/pipelines/config/options.ts';
import { type PagesConfig, readPages, withSite } from '#src/domain/ci/pipelines/config/pages.ts';
import {
  type Part,
  readAllowFailure,
  readParallel,
  readRetry,
  readTimeout,
} from '#src/domain/ci/pipelines/config/policies.ts';
import { readPolicy } from '#src/domain/ci/pipelines/config/refs.ts';
import { readRelease } from '#src/domain/ci/pipelines/config/release.ts';
import { readRules, readStartIn } from '#src/domain/ci/pipelines/config/rules/read.ts';
import { KEYS_WITH_TRIGGER, readTrigger } from '#src/domain/ci/pipelines/config/trigger.ts';
import { IGNORED_OF_JOBS, UNSUPPORTED_OF_JOBS } from '#src/domain/ci/pipelines/config/unsupported.ts';

/** What all jobs start from. */
export interface JobDefaults {
  stages: readonly string[];
  variables: DefinedVariables;
  /** Keys of jobs that do not have them. */
  keys: Raw;
  /** Gets what has no effect. */
  warn: (problem: string) => void;
}

const KEYS = [
  'script',
  'before_script',
  'after_script',
  'stage',
  'type',
  'only',
  'except',
  'rules',
  'needs',
  'allow_failure',
  'when',
  'start_in',
  'environment',
  'variables',
  'coverage',
  'image',
  'services',
  'tags',
  'dependencies',
  'cache',
  'artifacts',
  'retry',
  'timeout',
  'parallel',
  'interruptible',
  'inherit',
  'trigger',
  'resource_group',
  'id_tokens',
  'release',
  'pages',
  'publish',
];
/** With `rules`, what would contradict them. */
const NOT_WITH_RULES = ['only', 'except', 'start_in'];

/** Reads one job of the file, or those that `parallel` makes of it. Throws InvalidConfig. */
export function readJob(key: string, given: unknown, defaults: JobDefaults, budget: ExpansionLimit): JobConfig[] {
  const name = budget.spend(key);
  const where = `jobs:${name}`;
  if (name.trim() === '') throw new InvalidConfig("jobs name can't be blank");
  if (!isRecord(given)) throw new InvalidConfig(`${where} config should be a hash`);
  const raw = withDefaults(given, defaults, where);
  if (raw.run != null && raw.script == null) throw new InvalidConfig(`${where} run is not supported`);
  if (name.length > 255) throw new InvalidConfig(`${where} name is too long (maximum is 255 characters)`);
  const stage = scalarText(raw.stage ?? raw.type ?? 'test');
  if (stage === null || ![FIRST_STAGE, ...defaults.stages, LAST_STAGE].includes(stage)) {
    const stages = [FIRST_STAGE, ...defaults.stages, LAST_STAGE].join(', ');
    throw new InvalidConfig(`${name} job: chosen stage ${stage ?? ''} does not exist; available stages are ${stages}`);
  }
  const trigger = readTrigger(raw.trigger, `${where}:trigger`, budget);
  const script = readCommands(raw.script, `${where}:script`, budget) ?? [];
  if (!trigger && !script.some((command) => command.trim() !== ''))
    throw new InvalidConfig(`${where} script can't be blank`);
  const rules = raw.rules == null ? null : readRules(raw.rules, `${where}:rules`, budget, 'job');
  const contradicting = rules ? NOT_WITH_RULES.filter((one) => raw[one] != null) : [];
  if (contradicting.length > 0) {
    throw new InvalidConfig(`${where} config key may not be used with \`rules\`: ${contradicting.join(', ')}`);
  }
  const when = readWhen(raw.when, where);
  if (trigger && when === 'delayed') throw new InvalidConfig(`${where} when should not be delayed with a trigger`);
  const { mayFail, exitCodes } = readAllowFailure(raw.allow_failure, where);
  const tags = readList(raw.tags, `${where} tags`, budget);
  if (tags && tags.length >= MAX_TAGS)
    throw new InvalidConfig(`${where} tags must be less than the limit of ${MAX_TAGS} tags`);
  const own = readDefinedVariables(raw.variables, `${where}:variables`, budget, ['value', 'expand']);
  const inherited = inheritedVariables(raw.inherit, defaults.variables, where);
  const variables = { ...readVariables(inherited, 'variables', budget), ...own.values };
  const interruptible = readBoolean(raw.interruptible, `${where} interruptible`) ?? false;
  const needs = splitNeeds(raw.needs, `${where}:needs`, budget);
  if (trigger && needs.cross.length > 0)
    throw new InvalidConfig(`${where}:needs of other pipelines are not for triggers`);
  const pages = trigger ? null : readPages(raw, name, where, budget);
  const kept = {
    pages,
    cross_needs: needs.cross.length > 0 ? needs.cross : null,
    retry: readRetry(raw.retry, `${where}:retry`),
    timeout: readTimeout(raw.timeout, where),
    allow_failure_exit_codes: exitCodes.length > 0 ? exitCodes : null,
    id_tokens: readIdTokens(raw.id_tokens, `${where}:id_tokens`, budget),
    release: readRelease(raw.release, `${where}:release`, budget),
  };
  const job: JobConfig = {
    name,
    group: name,
    stage,
    only: readPolicy(raw.only, `${where}:only`, budget),
    except: readPolicy(raw.except, `${where}:except`, budget),
    rules,
    when,
    startIn: rules ? null : readStartIn(raw.start_in, when, where),
    allowFailure: mayFail ?? when === 'manual',
    environment: readEnvironment(raw.environment, `${where}:environment`, budget),
    variables,
    own: own.values,
    raw: rawNames(variables, own, defaults.variables),
    tags: tags ?? [],
    needs: needs.own == null ? null : readNeeds(needs.own, `${where}:needs`, budget),
    interruptible,
    resourceGroup: readResourceGroup(raw.resource_group, where, budget),
    trigger,
    options: {
      ...optionsOf(raw, script, where, budget, pages),
      ...filled(kept),
      ...(tags ? { tags } : {}),
    },
  };
  return inParts(job, readParallel(raw.parallel, where), budget);
}

/** Tags of one job, less one. */
const MAX_TAGS = 50;

/** The job with the keys that it inherits, and without those that have no effect. */
function withDefaults(given: Raw, { keys, warn }: JobDefaults, where: string): Raw {
  const ignored = Object.keys(given).filter((one) => IGNORED_OF_JOBS.has(one));
  if (ignored.length > 0) warn(`${where} ${ignored.join(', ')}: ignored, as it is not supported`);
  const own = Object.fromEntries(Object.entries(given).filter(([one]) => !ignored.includes(one)));
  requireKeys(own, where, given.trigger == null ? KEYS : KEYS_WITH_TRIGGER, UNSUPPORTED_OF_JOBS);
  const wanted = inheritance(given.inherit, where, 'default');
  // No runner runs a job with a trigger.
  const isMeant = (one: string) => wanted(one) && (given.trigger == null || KEYS_WITH_TRIGGER.includes(one));
  const inherited = Object.entries(keys).filter(([one]) => isMeant(one));
  return { ...Object.fromEntries(inherited), ...own, run: given.run };
}

/** Which of the defaults or variables a job inherits; all unless it says otherwise. */
function inheritance(value: unknown, where: string, kind: 'default' | 'variables'): (name: string) => boolean {
  if (value == null) return () => true;
  if (!isRecord(value)) throw new InvalidConfig(`${where}:inherit config should be a hash`);
  requireKeys(value, `${where}:inherit`, ['default', 'variables']);
  const { [kind]: wanted } = value;
  if (Array.isArray(wanted)) return (name) => wanted.includes(name);
  const isWanted = readBoolean(wanted, `${where}:inherit:${kind} config`) ?? true;
  return () => isWanted;
}

function inheritedVariables(inherit: unknown, { values }: DefinedVariables, where: string): Variables {
  const wanted = inheritance(inherit, where, 'variables');
  return Object.fromEntries(Object.entries(values).filter(([name]) => wanted(name)));
}

/** The names of the variables whose values are not expanded; a job's own take the place of those of the file. */
function rawNames(variables: Variables, own: DefinedVariables, all: DefinedVariables): string[] {
  return Object.keys(variables).filter((name) => (Object.hasOwn(own.values, name) ? own : all).raw.includes(name));
}

function inParts(job: JobConfig, parts: readonly Part[] | null, budget: ExpansionLimit): JobConfig[] {
  if (!parts) return [job];
  // Each part is a job of its own, with all that it holds.
  budget.count(parts.length * JSON.stringify(job).length);
  return parts.map(({ suffix, variables }) => ({
    ...job,
    name: `${job.name}${suffix}`.slice(0, 255),
    variables: { ...job.variables, ...variables },
    own: { ...job.own, ...variables },
    raw: job.raw.filter((name) => !Object.hasOwn(variables, name)),
  }));
}

function optionsOf(raw: Raw, script: string[], where: string, budget: ExpansionLimit, pages: PagesConfig | null) {
  const { artifacts, ...read } = readOptions(
    {
      image: raw.image,
      services: raw.services,
      cache: raw.cache,
      artifacts: raw.artifacts,
      dependencies: raw.dependencies,
      coverage: raw.coverage,
    },
    where,
    budget,
  );
  return filled({
    ...(script.length > 0 ? { script } : {}),
    // Defaults count against the limit once per job.
    before_script: readCommands(raw.before_script, `${where}:before_script`, budget),
    after_script: readCommands(raw.after_script, `${where}:after_script`, budget),
    ...read,
    artifacts: pages ? withSite(artifacts, pages) : artifacts,
  });
}

function readWhen(value: unknown, where: string): When {
  if (value == null) return 'on_success';
  const found = WHEN.find((word) => word === value);
  if (!found) throw new InvalidConfig(`${where} when should be one of: ${WHEN.join(', ')}`);
  return found;
}

/** Names of resource groups, which neither begin nor end with a slash. */
const RESOURCE_GROUP = /^(?!\/)[a-zA-Z0-9 \-_/${}.]{1,255}(?<!\/)$/;

function readResourceGroup(value: unknown, where: string, budget: ExpansionLimit): string | null {
  if (value == null) return null;
  const text = scalarText(value);
  if (text === null || !RESOURCE_GROUP.test(text)) {
    throw new InvalidConfig(
      `${where} resource group can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but not '/' at its ends`,
    );
  }
  return budget.spend(text);
}

/** Reads a name, or a mapping with one. */
function readEnvironment(value: unknown, where: string, budget: ExpansionLimit): EnvironmentConfig | null {
  if (value == null) return null;
  if (!isRecord(value) && scalarText(value) === null) {
    throw new InvalidConfig(`${where} config should be a hash or a string`);
  }
  const raw: Raw = isRecord(value) ? value : { name: value };
  requireKeys(raw, where, ['name', 'url', 'action', 'on_stop', 'auto_stop_in', 'deployment_tier', 'kubernetes']);
  const { name, url, on_stop: onStop } = raw;
  const action = ACTIONS.find((one) => one === (raw.action ?? 'start'));
  const text = scalarText(name);
  if (!text) throw new InvalidConfig(`${where} name can't be blank`);
  if (text.length > 255 || !ENVIRONMENT_NAME.test(text)) throw new InvalidConfig(`${where} name ${NAME_RULE}`);
  if (!action) throw new InvalidConfig(`${where} action should be ${ACTIONS.join(', ')}`);
  const autoStopIn = readDuration(raw.auto_stop_in, where);
  const tier = readTier(raw.deployment_tier, where);
  const [address, stop] = [url, onStop].map((entry) => {
    const found = entry == null ? null : scalarText(entry);
    if (entry != null && found === null) throw new InvalidConfig(`${where} config should be a hash of strings`);
    return found === null ? null : budget.spend(found);
  });
  if (address && address.length > MAX_URL_LENGTH) {
    throw new InvalidConfig(`${where} url is too long (maximum is ${MAX_URL_LENGTH} characters)`);
  }
  return { name: budget.spend(text), url: address ?? null, action, onStop: stop ?? null, autoStopIn, tier };
}

function readDuration(value: unknown, where: string): string | null {
  const text = value == null ? null : scalarText(value);
  const isValid = value == null || (text !== null && (text.includes('$') || parseDuration(text) !== null));
  if (!isValid) throw new InvalidConfig(`${where} auto stop in should be a duration`);
  return text;
}

function readTier(value: unknown, where: string): string | null {
  const text = value == null ? null : scalarText(value);
  const isValid = value == null || (text !== null && (text.includes('$') || TIERS.some((tier) => tier === text)));
  if (!isValid) throw new InvalidConfig(`${where} deployment tier must be one of ${TIERS.join(', ')}`);
  return text;
}
