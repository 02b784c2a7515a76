/** Why a job failed: what its runner says of it, and some of what the server finds itself. */
export const FAILURE_REASONS = [
  'unknown_failure',
  'script_failure',
  'runner_system_failure',
  'runner_unsupported',
  'runner_configuration_error',
  'runner_external_dependency_failure',
  'runner_interrupted',
  'image_pull_failure',
  'job_execution_timeout',
  'stuck_or_timeout_failure',
  'missing_dependency_failure',
  'data_integrity_failure',
  'unmet_prerequisites',
] as const;

export type FailureReason = (typeof FAILURE_REASONS)[number];

/** The reason reported by a runner; unknown ones become `unknown_failure`. */
export function failureReason(word: unknown): FailureReason {
  return FAILURE_REASONS.find((reason) => reason === word) ?? 'unknown_failure';
}
