import type { PayloadJob } from '#src/domain/ci/runners/payload/job.ts';
import { MERGE_REQUEST_REFS } from '#src/git/refs/name.ts';

/** The features that a runner must have to run a job as its file says, by the names of the protocol. */
export function demandedFeatures({ options, ref }: Pick<PayloadJob, 'options' | 'ref'>): string[] {
  const { artifacts, retry, allow_failure_exit_codes: allowed, cache } = options;
  const caches: unknown[] = Array.isArray(cache) ? cache : [cache];
  const demands: Record<string, boolean> = {
    refspecs: ref.startsWith(MERGE_REQUEST_REFS),
    upload_multiple_artifacts: isFilled(entryOf(artifacts, 'reports')),
    artifacts_exclude: isFilled(entryOf(artifacts, 'exclude')),
    return_exit_code: isFilled(allowed) || isFilled(entryOf(retry, 'exitCodes')),
    fallback_cache_keys: caches.some((one) => isFilled(entryOf(one, 'fallback_keys'))),
    multi_build_steps: isFilled(options.release),
  };
  return Object.entries(demands).flatMap(([name, isDemanded]) => (isDemanded ? [name] : []));
}

function entryOf(record: unknown, key: string): unknown {
  return typeof record === 'object' && record !== null && Object.hasOwn(record, key) ? Reflect.get(record, key) : null;
}

/** Whether it is an array or a map with something in it. */
function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
