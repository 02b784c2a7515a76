/** Why a job failed. The first three are what its runner says; the others are found by the server. */
export const FAILURE_REASONS = [
  'unknown_failure',
  'script_failure',
  'runner_system_failure',
  'job_execution_timeout',
  'stuck_or_timeout_failure',
  'runner_unsupported',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** The reason that a runner gives; one that this server does not know is unknown. */
export function failureReason(word: unknown): FailureReason {
  return FAILURE_REASONS.find((reason) => reason === word) ?? 'unknown_failure';
}
