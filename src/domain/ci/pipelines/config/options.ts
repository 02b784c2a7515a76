import { parseDuration } from '#src/base/duration.ts';
import { isPattern } from '#src/domain/ci/pipelines/config/base/pattern.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import {
  copyOf,
  type ExpansionLimit,
  isRecord,
  type Raw,
  readBoolean,
  readNames,
  requireKeys,
  scalarText,
} from '#src/domain/ci/pipelines/config/base/values.ts';
import { readReports } from '#src/domain/ci/pipelines/config/reports.ts';

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
  requireKeys(value, where, ['name', 'entrypoint', 'docker', 'kubernetes', 'pull_policy', ...more]);
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
  return value.map((service) => readImage(service, where, budget, ['alias', 'command', 'variables']));
}

/** Caches of one job. */
const MAX_CACHES = 4;

/** Reads one cache, or several. */
export function readCache(value: unknown, where: string, budget: ExpansionLimit): unknown {
  if (value == null) return null;
  if (!Array.isArray(value)) return readOneCache(value, where, budget);
  if (value.length > MAX_CACHES)
    throw new InvalidConfig(`${where} config no more than ${MAX_CACHES} caches can be created`);
  return value.map((cache) => readOneCache(cache, where, budget));
}

function readOneCache(value: unknown, where: string, budget: ExpansionLimit): unknown {
  if (!isRecord(value)) throw new InvalidConfig(`${where} config should be a hash`);
  requireKeys(value, where, ['key', 'untracked', 'paths', 'when', 'policy', 'fallback_keys', 'unprotect']);
  const { when, policy } = value;
  if (when != null && !UPLOADED_WHEN.includes(when)) {
    throw new InvalidConfig(`${where} when should be one of: on_success, on_failure, always`);
  }
  const chosen = policy == null ? null : scalarText(policy);
  if (policy != null && !(chosen && (POLICIES.includes(chosen) || chosen.startsWith('$')))) {
    throw new InvalidConfig(`${where} policy should be a variable or one of: ${POLICIES.join(', ')}`);
  }
  const fallback = readList(value.fallback_keys, `${where} fallback keys`, budget);
  if (fallback && fallback.length > 5)
    throw new InvalidConfig(`${where} fallback keys has to many entries (maximum 5)`);
  return filled({
    key: readCacheKey(value.key, where, budget),
    ...readFiles(value, where, budget),
    when,
    policy: chosen,
    fallback_keys: fallback,
    unprotect: readBoolean(value.unprotect, `${where} unprotect`),
  });
}

const POLICIES = ['pull-push', 'push', 'pull'];

/** Reads a text, or the files on whose contents the key depends. */
function readCacheKey(value: unknown, where: string, budget: ExpansionLimit): unknown {
  if (value == null) return null;
  if (!isRecord(value)) {
    if (scalarText(value) === null) throw new InvalidConfig(`${where} key should be a hash, a string or a symbol`);
    return budget.spend(String(value));
  }
  requireKeys(value, `${where}:key`, ['files', 'files_commits', 'prefix']);
  const { files, files_commits: commits, prefix } = value;
  if ((files == null) === (commits == null))
    throw new InvalidConfig(`${where}:key config must use exactly one of these keys: files, files_commits`);
  const paths = readList(files ?? commits, `${where}:key:files`, budget) ?? [];
  if (paths.length === 0 || paths.length > 2)
    throw new InvalidConfig(`${where}:key:files config requires at least 1 item, and has too many items above 2`);
  if (prefix != null && scalarText(prefix) === null) throw new InvalidConfig(`${where}:key prefix should be a string`);
  return filled({ files: paths, prefix: prefix == null ? null : budget.spend(String(prefix)) });
}

function readArtifacts(value: unknown, where: string, budget: ExpansionLimit): unknown {
  if (value == null) return null;
  if (!isRecord(value)) throw new InvalidConfig(`${where} config should be a hash`);
  requireKeys(value, where, [
    'name',
    'untracked',
    'paths',
    'when',
    'expire_in',
    'exclude',
    'expose_as',
    'public',
    'access',
    'reports',
  ]);
  const { name, when, expire_in: expireIn, expose_as: exposeAs, access } = value;
  const isPublic = readBoolean(value.public, `${where} public`);
  if (exposeAs != null && typeof exposeAs !== 'string')
    throw new InvalidConfig(`${where} expose as should be a string`);
  if (access != null && !ACCESS.includes(access)) {
    throw new InvalidConfig(`${where} access should be one of: ${ACCESS.join(', ')}`);
  }
  if (access != null && isPublic !== null)
    throw new InvalidConfig(`${where} config may not use both public and access`);
  if (name != null && typeof name !== 'string') throw new InvalidConfig(`${where} name should be a string`);
  if (when != null && !UPLOADED_WHEN.includes(when)) {
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
    exclude: readList(value.exclude, `${where} exclude`, budget),
    expose_as: exposeAs == null ? null : budget.spend(exposeAs),
    public: isPublic,
    access,
    reports: readReports(value.reports, `${where}:reports`, budget),
  });
}

const ACCESS: readonly unknown[] = ['none', 'developer', 'all', 'maintainer'];
const UPLOADED_WHEN: readonly unknown[] = ['on_success', 'on_failure', 'always'];

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
export function filled(values: Raw): Raw {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));
}
