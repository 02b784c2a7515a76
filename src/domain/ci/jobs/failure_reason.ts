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

/** Why a job could not start another pipeline. */
export const BRIDGE_FAILURES = [
  'downstream_bridge_project_not_found',
  'insufficient_bridge_permissions',
  'downstream_pipeline_creation_failed',
  'pipeline_loop_detected',
  'reached_max_descendant_pipelines_depth',
  'reached_max_pipeline_hierarchy_size',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number] | (typeof BRIDGE_FAILURES)[number];

/** The reason reported by a runner; unknown ones become `unknown_failure`. */
export function failureReason(word: unknown): FailureReason {
  return FAILURE_REASONS.find((reason) => reason === word) ?? 'unknown_failure';
}
