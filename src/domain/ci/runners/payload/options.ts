import { REPORTS } from '#src/domain/ci/reports/kinds.ts';
import type { PayloadJob } from '#src/domain/ci/runners/payload/job.ts';

type Options = PayloadJob['options'];
type Raw = Record<string, unknown>;

export interface PayloadStep {
  name: 'script' | 'release' | 'after_script';
  script: string[];
  /** Seconds. */
  timeout: number;
  when: 'on_success' | 'always';
  allow_failure: boolean;
}

/** The steps: `before_script` and `script` together, then the line that makes a release, then `after_script`, whatever the outcome. */
export function payloadSteps(options: Options, timeout: number, release: string | null): PayloadStep[] {
  const script = [...lines(options.before_script), ...lines(options.script)];
  const after = lines(options.after_script);
  const steps: PayloadStep[] = [{ name: 'script', script, timeout, when: 'on_success', allow_failure: false }];
  if (release !== null) {
    steps.push({ name: 'release', script: [release], timeout, when: 'on_success', allow_failure: false });
  }
  if (after.length > 0) {
    steps.push({ name: 'after_script', script: after, timeout, when: 'always', allow_failure: true });
  }
  return steps;
}

/** Puts the values of variables into a text. */
type Expand = (text: string) => string;

function asWritten(text: string): string {
  return text;
}

/** The image that the job runs in; null leaves it to the runner. */
export function payloadImage(options: Options, expand: Expand = asWritten): PayloadImage | null {
  const [image] = named([options.image], expand);
  return image ?? null;
}

export function payloadServices(options: Options, expand: Expand): PayloadImage[] {
  return named(Array.isArray(options.services) ? options.services : [], expand);
}

/** The archive of the files that the job keeps, and each kind of report as one file of its own. */
export function payloadArtifacts(options: Options, expand: Expand): Raw[] {
  const { artifacts } = options;
  return isRecord(artifacts) ? [...payloadArchive(artifacts, expand), ...payloadReports(artifacts)] : [];
}

function payloadReports({ reports, expire_in: expireIn }: Raw): Raw[] {
  if (!isRecord(reports)) return [];
  return Object.entries(reports).flatMap(([type, paths]) => {
    const known = Object.hasOwn(REPORTS, type) ? REPORTS[type] : undefined;
    if (!known || lines(paths).length === 0) return [];
    return [
      {
        name: known.name,
        untracked: false,
        paths: lines(paths),
        when: 'always',
        artifact_type: type,
        artifact_format: known.format,
        ...(expireIn == null ? {} : { expire_in: String(expireIn) }),
      },
    ];
  });
}

function payloadArchive(artifacts: Raw, expand: Expand): Raw[] {
  const { name, when, expire_in: expireIn } = artifacts;
  if (artifacts.untracked !== true && lines(artifacts.paths).length === 0) return [];
  return [
    {
      ...(typeof name === 'string' ? { name: expand(name) } : {}),
      untracked: artifacts.untracked === true,
      paths: lines(artifacts.paths),
      ...(artifacts.exclude == null ? {} : { exclude: lines(artifacts.exclude) }),
      when: typeof when === 'string' ? when : 'on_success',
      ...(expireIn == null ? {} : { expire_in: String(expireIn) }),
      artifact_type: 'archive',
      artifact_format: 'zip',
    },
  ];
}

/** Whose caches a job has: those of protected branches and tags are apart, so that others cannot change them. */
interface CacheOwner {
  isProtected: boolean;
  hasSeparatedCaches: boolean;
}

export function payloadCache(options: Options, expand: Expand, owner: CacheOwner): Raw[] {
  const caches: unknown[] = Array.isArray(options.cache) ? options.cache : [options.cache];
  return caches.flatMap((cache) => {
    if (!isRecord(cache)) return [];
    const { when, policy, fallback_keys: fallback } = cache;
    const isProtected = owner.isProtected && cache.unprotect !== true;
    const end = !owner.hasSeparatedCaches ? '' : isProtected ? '-protected' : '-non_protected';
    const key = typeof cache.key === 'string' || typeof cache.key === 'number' ? String(cache.key) : 'default';
    return [
      {
        key: expand(key) + end,
        untracked: cache.untracked === true,
        paths: lines(cache.paths),
        ...(typeof when === 'string' ? { when } : {}),
        ...(typeof policy === 'string' ? { policy: expand(policy) } : {}),
        ...(fallback == null ? {} : { fallback_keys: lines(fallback).map((one) => expand(one) + end) }),
      },
    ];
  });
}

function lines(value: unknown): string[] {
  const list = Array.isArray(value) ? value : value == null ? [] : [value];
  return list.filter((entry) => ['string', 'number', 'boolean'].includes(typeof entry)).map(String);
}

/** An image, given as a string or as a mapping with a name; later runners understand more keys. */
interface PayloadImage {
  name: string;
  alias?: string;
  entrypoint?: string[];
  command?: string[];
  pull_policy?: string[];
  executor_opts?: Raw;
  variables?: { key: string; value: string }[];
}

function named(values: readonly unknown[], expand: Expand): PayloadImage[] {
  return values.flatMap((value) => {
    const given = isRecord(value) ? value : { name: value };
    const { name, alias, entrypoint, command, pull_policy: pull, docker, kubernetes, variables } = given;
    const executors = { ...(isRecord(docker) ? { docker } : {}), ...(isRecord(kubernetes) ? { kubernetes } : {}) };
    if (typeof name !== 'string' || name === '') return [];
    return [
      {
        name: expand(name),
        ...(typeof alias === 'string' ? { alias: expand(alias) } : {}),
        ...(entrypoint == null ? {} : { entrypoint: lines(entrypoint) }),
        ...(command == null ? {} : { command: lines(command) }),
        ...(pull == null ? {} : { pull_policy: lines(pull) }),
        ...(Object.keys(executors).length === 0 ? {} : { executor_opts: executors }),
        ...(isRecord(variables)
          ? { variables: Object.entries(variables).map(([key, value]) => ({ key, value: String(value) })) }
          : {}),
      },
    ];
  });
}

function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
