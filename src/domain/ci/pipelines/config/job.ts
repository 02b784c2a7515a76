import { ENVIRONMENT_NAME, NAME_RULE } from '#src/domain/ci/environments/values.ts';
import {
  type EnvironmentConfig,
  InvalidConfig,
  type JobConfig,
  type Variables,
  WHEN,
  type When,
} from '#src/domain/ci/pipelines/config/model.ts';
import { readList, readOptions } from '#src/domain/ci/pipelines/config/options.ts';
import { isPattern, splitEntry } from '#src/domain/ci/pipelines/config/pattern.ts';
import { UNSUPPORTED_OF_ENVIRONMENTS, UNSUPPORTED_OF_JOBS } from '#src/domain/ci/pipelines/config/unsupported.ts';
import {
  type ExpansionLimit,
  isRecord,
  type Raw,
  readBoolean,
  readCommands,
  readNames,
  readVariables,
  requireKeys,
  scalarText,
} from '#src/domain/ci/pipelines/config/values.ts';

export interface JobDefaults {
  stages: readonly string[];
  variables: Variables;
  beforeScript: string[] | null;
  afterScript: string[] | null;
  image: unknown;
  services: unknown;
  cache: unknown;
}

const KEYS = [
  'script',
  'before_script',
  'after_script',
  'stage',
  'type',
  'only',
  'except',
  'allow_failure',
  'when',
  'environment',
  'variables',
  'coverage',
  'image',
  'services',
  'tags',
  'dependencies',
  'cache',
  'artifacts',
];

/** Reads one job of the file. Throws InvalidConfig. */
export function readJob(key: string, raw: unknown, defaults: JobDefaults, budget: ExpansionLimit): JobConfig {
  const name = budget.spend(key);
  const where = `jobs:${name}`;
  if (name.trim() === '') throw new InvalidConfig("jobs name can't be blank");
  if (!isRecord(raw)) throw new InvalidConfig(`${where} config should be a hash`);
  requireKeys(raw, where, KEYS, UNSUPPORTED_OF_JOBS);
  if (name.length > 255) throw new InvalidConfig(`${where} name is too long (maximum is 255 characters)`);
  const stage = scalarText(raw.stage ?? raw.type ?? 'test');
  if (stage === null || !defaults.stages.includes(stage)) {
    throw new InvalidConfig(`${name} job: stage parameter should be ${defaults.stages.join(', ')}`);
  }
  const script = readCommands(raw.script, `${where}:script`, budget);
  if (!script?.some((command) => command.trim() !== '')) throw new InvalidConfig(`${where} script can't be blank`);
  const when = readWhen(raw.when, where);
  const tags = readList(raw.tags, `${where} tags`, budget);
  return {
    name,
    stage,
    only: readRefs(raw.only, `${where}:only`, budget),
    except: readRefs(raw.except, `${where}:except`, budget),
    when,
    allowFailure: readBoolean(raw.allow_failure, `${where} allow failure`) ?? when === 'manual',
    environment: readEnvironment(raw.environment, `${where}:environment`, budget),
    variables: {
      ...readVariables(defaults.variables, 'variables', budget),
      ...readVariables(raw.variables, `${where}:variables`, budget),
    },
    tags: tags ?? [],
    options: { ...optionsOf(raw, script, defaults, where, budget), ...(tags ? { tags } : {}) },
  };
}

function optionsOf(raw: Raw, script: string[], defaults: JobDefaults, where: string, budget: ExpansionLimit) {
  // Defaults count against the limit once per job.
  const before = readCommands(raw.before_script ?? defaults.beforeScript, `${where}:before_script`, budget);
  const after = readCommands(raw.after_script ?? defaults.afterScript, `${where}:after_script`, budget);
  const { image, services, cache } = defaults;
  const options: Record<string, unknown> = {
    script,
    before_script: before,
    after_script: after,
    ...readOptions(
      {
        image: raw.image ?? image,
        services: raw.services ?? services,
        cache: raw.cache ?? cache,
        artifacts: raw.artifacts,
        dependencies: raw.dependencies,
        coverage: raw.coverage,
      },
      where,
      budget,
    ),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value != null));
}

function readWhen(value: unknown, where: string): When {
  if (value == null) return 'on_success';
  const found = WHEN.find((word) => word === value);
  if (value === 'delayed' || value === 'never') throw new InvalidConfig(`${where} when: ${value} is not supported`);
  if (!found) throw new InvalidConfig(`${where} when should be one of: ${WHEN.join(', ')}`);
  return found;
}

function readRefs(value: unknown, where: string, budget: ExpansionLimit): string[] | null {
  if (isRecord(value)) {
    throw new InvalidConfig(`${where} config with keys is not supported; it should be an array of strings or regexps`);
  }
  if (value != null && !Array.isArray(value))
    throw new InvalidConfig(`${where} config should be an array of strings or regexps`);
  const refs = readNames(value, where, budget);
  for (const ref of refs ?? []) {
    if (ref.startsWith('/') && !isPattern(splitEntry(ref).wanted)) {
      throw new InvalidConfig(`${where} config should be an array of strings or regexps`);
    }
  }
  return refs;
}

/** Reads a name, or a mapping with one. */
function readEnvironment(value: unknown, where: string, budget: ExpansionLimit): EnvironmentConfig | null {
  if (value == null) return null;
  if (!isRecord(value) && scalarText(value) === null) {
    throw new InvalidConfig(`${where} config should be a hash or a string`);
  }
  const raw: Raw = isRecord(value) ? value : { name: value };
  requireKeys(raw, where, ['name', 'url', 'action', 'on_stop'], UNSUPPORTED_OF_ENVIRONMENTS);
  const { name, url, action = 'start', on_stop: onStop } = raw;
  const text = scalarText(name);
  if (!text) throw new InvalidConfig(`${where} name can't be blank`);
  if (text.length > 255 || !ENVIRONMENT_NAME.test(text)) throw new InvalidConfig(`${where} name ${NAME_RULE}`);
  if (action !== 'start' && action !== 'stop') throw new InvalidConfig(`${where} action should be start or stop`);
  const [address, stop] = [url, onStop].map((entry) => {
    const found = entry == null ? null : scalarText(entry);
    if (entry != null && found === null) throw new InvalidConfig(`${where} config should be a hash of strings`);
    return found === null ? null : budget.spend(found);
  });
  return { name: budget.spend(text), url: address ?? null, action, onStop: stop ?? null };
}
