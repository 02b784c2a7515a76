import { parseDuration } from '#src/domain/ci/artifacts/duration.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/model.ts';
import { isPattern } from '#src/domain/ci/pipelines/config/pattern.ts';
import {
  UNSUPPORTED_OF_ARTIFACTS,
  UNSUPPORTED_OF_CACHES,
  UNSUPPORTED_OF_IMAGES,
} from '#src/domain/ci/pipelines/config/unsupported.ts';
import {
  copyOf,
  type ExpansionLimit,
  isRecord,
  type Raw,
  readBoolean,
  readNames,
  requireKeys,
  scalarText,
} from '#src/domain/ci/pipelines/config/values.ts';

/** A job's options for the runner besides its scripts, under the names of the file; the runner supplies defaults. */
export interface RunnerOptions {
  image: unknown;
  services: unknown;
  cache: unknown;
  artifacts: unknown;
  dependencies: unknown;
  coverage: unknown;
}

/** Validates the options of a job. Throws InvalidConfig. */
export function readOptions(raw: RunnerOptions, where: string, budget: ExpansionLimit): Record<string, unknown> {
  return {
    image: readImage(raw.image, `${where}:image`, budget),
    services: readServices(raw.services, `${where}:services`, budget),
    cache: readCache(raw.cache, `${where}:cache`, budget),
    artifacts: readArtifacts(raw.artifacts, `${where}:artifacts`, budget),
    dependencies: readList(raw.dependencies, `${where} dependencies`, budget),
    coverage: readCoverage(raw.coverage, where),
  };
}

/** Reads a name, or a mapping with one. */
export function readImage(
  value: unknown,
  where: string,
  budget: ExpansionLimit,
  more: readonly string[] = [],
): unknown {
  if (value == null) return null;
  if (typeof value === 'string') {
    if (value.trim() === '') throw new InvalidConfig(`${where} config can't be blank`);
    return budget.spend(value);
  }
  if (!isRecord(value)) throw new InvalidConfig(`${where} config should be a hash or a string`);
  requireKeys(value, where, ['name', 'entrypoint', ...more], UNSUPPORTED_OF_IMAGES);
  if (typeof value.name !== 'string' || value.name.trim() === '') {
    throw new InvalidConfig(`${where} name should be a string`);
  }
  for (const key of ['entrypoint', 'command']) {
    const { [key]: given } = value;
    if (given != null && typeof given !== 'string') readList(given, `${where} ${key}`, budget);
  }
  if (value.alias != null && typeof value.alias !== 'string') {
    throw new InvalidConfig(`${where} alias should be a string`);
  }
  return copyOf(value, budget);
}

export function readServices(value: unknown, where: string, budget: ExpansionLimit): unknown {
  if (value == null) return null;
  if (!Array.isArray(value)) throw new InvalidConfig(`${where} config should be an array`);
  return value.map((service) => readImage(service, where, budget, ['alias', 'command']));
}

export function readCache(value: unknown, where: string, budget: ExpansionLimit): unknown {
  if (value == null) return null;
  if (!isRecord(value)) throw new InvalidConfig(`${where} config should be a hash`);
  requireKeys(value, where, ['key', 'untracked', 'paths'], UNSUPPORTED_OF_CACHES);
  if (value.key != null && scalarText(value.key) === null) {
    throw new InvalidConfig(`${where} key should be a string or symbol`);
  }
  return filled({
    key: value.key == null ? null : budget.spend(String(value.key)),
    ...readFiles(value, where, budget),
  });
}

function readArtifacts(value: unknown, where: string, budget: ExpansionLimit): unknown {
  if (value == null) return null;
  if (!isRecord(value)) throw new InvalidConfig(`${where} config should be a hash`);
  requireKeys(value, where, ['name', 'untracked', 'paths', 'when', 'expire_in'], UNSUPPORTED_OF_ARTIFACTS);
  const { name, when, expire_in: expireIn } = value;
  if (name != null && typeof name !== 'string') throw new InvalidConfig(`${where} name should be a string`);
  if (when != null && !ARTIFACTS_WHEN.includes(when)) {
    throw new InvalidConfig(`${where} when should be on_success, on_failure or always`);
  }
  const duration = expireIn == null ? null : scalarText(expireIn);
  if (expireIn != null && (duration === null || parseDuration(duration) === null)) {
    throw new InvalidConfig(`${where} expire in should be a duration`);
  }
  return filled({
    name: name == null ? null : budget.spend(name),
    when,
    expire_in: duration === null ? null : budget.spend(duration),
    ...readFiles(value, where, budget),
  });
}

const ARTIFACTS_WHEN: readonly unknown[] = ['on_success', 'on_failure', 'always'];

function readCoverage(value: unknown, where: string): string | null {
  if (value == null) return null;
  const coverage = scalarText(value);
  if (coverage === null || !isPattern(coverage)) {
    throw new InvalidConfig(`${where} coverage config must be a regular expression`);
  }
  return coverage;
}

/** Reads which files are kept: those matching paths, and untracked ones. */
function readFiles({ untracked, paths }: Raw, where: string, budget: ExpansionLimit) {
  return { untracked: readBoolean(untracked, `${where} untracked`), paths: readList(paths, `${where} paths`, budget) };
}

/** Reads an array of strings. Throws InvalidConfig. */
export function readList(value: unknown, where: string, budget: ExpansionLimit): string[] | null {
  if (value == null) return null;
  if (!Array.isArray(value)) throw new InvalidConfig(`${where} should be an array of strings`);
  return readNames(value, where, budget);
}

/** Removes absent values. */
function filled(values: Raw): Raw {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));
}
