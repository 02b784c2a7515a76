/** Why a job failed. The first three are reported by runners; the others are set by the server. */
export const FAILURE_REASONS = [
  'unknown_failure',
  'script_failure',
  'runner_system_failure',
  'job_execution_timeout',
  'stuck_or_timeout_failure',
  'runner_unsupported',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** The reason reported by a runner; unknown ones become `unknown_failure`. */
export function failureReason(word: unknown): FailureReason {
  return FAILURE_REASONS.find((reason) => reason === word) ?? 'unknown_failure';
}
