/** The states of jobs, posted commit statuses and pipelines (behaviour.md 8). */
export const JOB_STATUSES = [
  'created',
  'pending',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
  'waiting_for_resource',
  'canceling',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Final states. */
export const COMPLETE: readonly JobStatus[] = ['success', 'failed', 'canceled', 'skipped'];
/** States from which a job can be canceled. */
export const CANCELABLE: readonly JobStatus[] = [
  'created',
  'pending',
  'running',
  'manual',
  'scheduled',
  'waiting_for_resource',
];

/** What the combined status of several jobs depends on. */
export interface Counted {
  status: JobStatus;
  allowFailure: boolean;
}

/** States that are ignored where failure is allowed: failed, canceled and manual. */
const ALLOWED: readonly JobStatus[] = ['failed', 'canceled', 'manual'];

/** The combined status of several jobs (behaviour.md 8): of a pipeline, or of the stages before another one. */
export function aggregate(jobs: readonly Counted[]): JobStatus {
  const counted = jobs.filter(({ status, allowFailure }) => !(allowFailure && ALLOWED.includes(status)));
  const present = new Set(counted.map(({ status }) => status));
  const only = (...statuses: JobStatus[]) => [...present].every((status) => statuses.includes(status));
  const failuresOnly = present.size === 0 && jobs.some(({ status }) => status !== 'manual');
  if (failuresOnly || jobs.length === 0) return 'success';
  if (only('skipped')) return 'skipped';
  if (only('success', 'skipped')) return 'success';
  if (only('created')) return 'created';
  if (only('success', 'skipped', 'canceled')) return 'canceled';
  if (only('created', 'skipped', 'pending')) return 'pending';
  if (present.has('running') || present.has('canceling') || present.has('pending')) return 'running';
  if (present.has('waiting_for_resource')) return 'waiting_for_resource';
  if (present.has('manual')) return 'manual';
  if (present.has('scheduled')) return 'scheduled';
  return present.has('created') ? 'running' : 'failed';
}

/** A time span in milliseconds since 1970. */
export interface Span {
  from: number;
  to: number;
}

/** Seconds covered by at least one of the spans. */
export function coveredSeconds(spans: readonly Span[]): number {
  let [total, end] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    if (to <= end) continue;
    total += to - Math.max(from, end);
    end = to;
  }
  return Math.round(total / 1000);
}
