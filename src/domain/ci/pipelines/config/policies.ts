import { parseDuration } from '#src/base/duration.ts';
import { combinations, suffixOf } from '#src/domain/ci/pipelines/config/base/needs.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import {
  isRecord,
  type Raw,
  readBoolean,
  requireKeys,
  scalarText,
} from '#src/domain/ci/pipelines/config/base/values.ts';

/** Why a job is tried again. */
const REASONS = [
  'always',
  'unknown_failure',
  'script_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'runner_system_failure',
  'runner_unsupported',
  'stale_schedule',
  'job_execution_timeout',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'runner_configuration_error',
  'runner_external_dependency_failure',
  'runner_interrupted',
] as const;

/** How often a failed job is tried again, and after which failures; all, unless reasons or exit codes are given. */
export interface Retry {
  max: number;
  when: string[];
  exitCodes: number[];
}

/** Times that a job may be tried again. */
const MAX_RETRIES = 2;
/** Milliseconds of the longest timeout: a month. */
const MAX_TIMEOUT_MS = 31 * 86_400_000;
/** Jobs that one may become. */
const MAX_PARALLEL = 200;

/** Reads how often a job is tried again; null if never. Throws InvalidConfig. */
export function readRetry(value: unknown, where: string): Retry | null {
  if (value == null) return null;
  const raw: Raw = isRecord(value) ? value : { max: value };
  requireKeys(raw, where, ['max', 'when', 'exit_codes']);
  const { max = MAX_RETRIES } = raw;
  if (typeof max !== 'number' || !Number.isInteger(max))
    throw new InvalidConfig(`${where} config has to be either an integer or a hash`);
  if (max < 0 || max > MAX_RETRIES)
    throw new InvalidConfig(`${where} max must be less than or equal to ${MAX_RETRIES}`);
  const when = (raw.when == null ? [] : [raw.when].flat()).map((one) => scalarText(one) ?? '');
  const unknown = when.filter((one) => !REASONS.some((reason) => reason === one));
  if (unknown.length > 0) throw new InvalidConfig(`${where} when contains unknown values: ${unknown.join(', ')}`);
  return max === 0 ? null : { max, when, exitCodes: readExitCodes(raw.exit_codes, where) };
}

/** Reads whether a job may fail, or with which exit codes. Throws InvalidConfig. */
export function readAllowFailure(value: unknown, where: string): { mayFail: boolean | null; exitCodes: number[] } {
  if (!isRecord(value)) return { mayFail: readBoolean(value, `${where} allow failure`), exitCodes: [] };
  requireKeys(value, `${where}:allow_failure`, ['exit_codes']);
  const exitCodes = readExitCodes(value.exit_codes, `${where}:allow_failure`);
  if (exitCodes.length === 0) throw new InvalidConfig(`${where}:allow_failure exit codes can't be blank`);
  return { mayFail: false, exitCodes };
}

function readExitCodes(value: unknown, where: string): number[] {
  const codes: unknown[] = value == null ? [] : [value].flat();
  if (codes.length > 256 || !codes.every((code) => Number.isInteger(code))) {
    throw new InvalidConfig(`${where} exit codes should be an array of integers or an integer`);
  }
  return codes.map(Number);
}

/** Reads for how many seconds a job may run. Throws InvalidConfig. */
export function readTimeout(value: unknown, where: string): number | null {
  if (value == null) return null;
  const text = scalarText(value);
  const duration = text === null ? null : parseDuration(text);
  if (duration === null || duration < 1_000) throw new InvalidConfig(`${where} timeout should be a duration`);
  if (duration > MAX_TIMEOUT_MS) throw new InvalidConfig(`${where} timeout should not exceed the limit`);
  return Math.round(duration / 1_000);
}

/** One of the jobs that `parallel` makes of one. */
export interface Part {
  /** What is added to the name. */
  suffix: string;
  variables: Record<string, string>;
}

/** Reads which jobs are made of one; null if it stays alone. Throws InvalidConfig. */
export function readParallel(value: unknown, where: string): Part[] | null {
  if (value == null) return null;
  if (isRecord(value)) {
    requireKeys(value, `${where}:parallel`, ['matrix']);
    return readMatrix(value.matrix, `${where}:parallel`);
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new InvalidConfig(`${where} parallel should be an integer or a hash`);
  }
  if (value < 1 || value > MAX_PARALLEL) {
    throw new InvalidConfig(`${where} parallel must be between 1 and ${MAX_PARALLEL}`);
  }
  return numbered(Array.from({ length: value }, (_, index) => ({ suffix: ` ${index + 1}/${value}`, variables: {} })));
}

function readMatrix(value: unknown, where: string): Part[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new InvalidConfig(`${where}:matrix config should be an array of hashes`);
  const parts = value.flatMap((entry) => {
    if (!isRecord(entry)) throw new InvalidConfig(`${where}:matrix config should be an array of hashes`);
    return combinations(entry, where).map((variables) => ({
      suffix: `: ${suffixOf(Object.values(variables))}`,
      variables,
    }));
  });
  if (parts.length > MAX_PARALLEL) {
    throw new InvalidConfig(`${where}:matrix config generates too many jobs (maximum is ${MAX_PARALLEL})`);
  }
  return numbered(parts);
}

function numbered(parts: readonly Part[]): Part[] {
  const total = String(parts.length);
  return parts.map(({ suffix, variables }, index) => ({
    suffix,
    variables: { ...variables, CI_NODE_INDEX: String(index + 1), CI_NODE_TOTAL: total },
  }));
}
