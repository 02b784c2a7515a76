import { readJob } from '#src/domain/ci/pipelines/config/job.ts';
import { type Config, InvalidConfig, type JobConfig, LARGEST_CONFIG } from '#src/domain/ci/pipelines/config/model.ts';
import { readCache, readImage, readServices } from '#src/domain/ci/pipelines/config/options.ts';
import { UNSUPPORTED_GLOBALS } from '#src/domain/ci/pipelines/config/unsupported.ts';
import {
  ExpansionLimit,
  isRecord,
  type Raw,
  readCommands,
  readNames,
  readVariables,
} from '#src/domain/ci/pipelines/config/values.ts';
import { loadYaml } from '#src/domain/ci/pipelines/config/yaml/load.ts';

const MOST_JOBS = 500;
const DEFAULT_STAGES = ['build', 'test', 'deploy'];
/** Global keys of the file. `types` is the old name of `stages`. */
const GLOBAL = new Set(['image', 'services', 'before_script', 'after_script', 'variables', 'stages', 'types', 'cache']);

/** Parses a `.gitlab-ci.yml`. Throws InvalidConfig with a message for its author. */
export function parseConfig(text: string): Config {
  const raw = load(text);
  const unsupported = Object.keys(raw).filter((name) => UNSUPPORTED_GLOBALS.has(name));
  if (unsupported.length > 0) throw new InvalidConfig(`${unsupported.join(', ')} config is not supported`);
  const budget = new ExpansionLimit();
  const stages = readNames(raw.stages ?? raw.types, 'stages', budget) ?? DEFAULT_STAGES;
  const defaults = {
    stages,
    variables: readVariables(raw.variables, 'variables', budget),
    beforeScript: readCommands(raw.before_script, 'before_script', budget),
    afterScript: readCommands(raw.after_script, 'after_script', budget),
    image: raw.image,
    services: raw.services,
    cache: raw.cache,
  };
  // Invalid global options are reported as such, even if each job overrides them.
  readImage(raw.image, 'image', budget);
  readServices(raw.services, 'services', budget);
  readCache(raw.cache, 'cache', budget);
  const names = Object.keys(raw).filter((name) => !GLOBAL.has(name) && !name.startsWith('.'));
  if (names.length === 0) throw new InvalidConfig('jobs config should contain at least one visible job');
  if (names.length > MOST_JOBS) throw new InvalidConfig(`jobs config should contain at most ${MOST_JOBS} jobs`);
  const jobs = names.map((name) => readJob(name, raw[name], defaults, budget));
  for (const job of jobs) {
    checkStop(job, jobs);
    checkDependencies(job, jobs, stages);
  }
  return { stages, jobs };
}

function load(text: string): Raw {
  if (Buffer.byteLength(text) > LARGEST_CONFIG) {
    throw new InvalidConfig(`The file is larger than ${LARGEST_CONFIG} bytes`);
  }
  const raw = loadYaml(text);
  if (!isRecord(raw)) throw new InvalidConfig('Invalid configuration format');
  return raw;
}

/** Dependencies must be jobs of earlier stages. */
function checkDependencies({ name, stage, options }: JobConfig, jobs: readonly JobConfig[], stages: readonly string[]) {
  const { dependencies } = options;
  for (const wanted of Array.isArray(dependencies) ? dependencies : []) {
    const found = jobs.find((job) => job.name === wanted);
    if (!found) throw new InvalidConfig(`${name} job: undefined dependency: ${wanted}`);
    if (stages.indexOf(found.stage) >= stages.indexOf(stage)) {
      throw new InvalidConfig(`${name} job: dependency ${wanted} is not defined in prior stages`);
    }
  }
}

/** A job named as the stop job of an environment must stop that environment. */
function checkStop({ name, environment }: JobConfig, jobs: readonly JobConfig[]): void {
  if (!environment?.onStop) return;
  const stop = jobs.find((job) => job.name === environment.onStop);
  const about = `${name} job: on_stop job ${environment.onStop}`;
  if (!stop) throw new InvalidConfig(`${about} is not defined`);
  if (!stop.environment) throw new InvalidConfig(`${about} does not have environment defined`);
  if (stop.environment.name !== environment.name) {
    throw new InvalidConfig(`${about} have different environment name`);
  }
  if (stop.environment.action !== 'stop') throw new InvalidConfig(`${about} needs to have action stop defined`);
}
