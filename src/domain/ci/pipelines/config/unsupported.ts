/* Keywords of later releases: they are rejected, as ignoring them would change the meaning of the file. */

/** Keys of the file that would otherwise be read as jobs. */
export const UNSUPPORTED_GLOBALS: ReadonlySet<string> = new Set(['default', 'include', 'spec', 'workflow']);

export const UNSUPPORTED_OF_JOBS: ReadonlySet<string> = new Set([
  'dast_configuration',
  'extends',
  'hooks',
  'id_tokens',
  'identity',
  'inherit',
  'inputs',
  'interruptible',
  'manual_confirmation',
  'needs',
  'pages',
  'parallel',
  'publish',
  'release',
  'resource_group',
  'retry',
  'rules',
  'run',
  'secrets',
  'start_in',
  'timeout',
  'trigger',
]);

export const UNSUPPORTED_OF_ENVIRONMENTS: ReadonlySet<string> = new Set([
  'auto_stop_in',
  'deployment_tier',
  'kubernetes',
]);

export const UNSUPPORTED_OF_IMAGES: ReadonlySet<string> = new Set(['docker', 'kubernetes', 'pull_policy', 'variables']);

export const UNSUPPORTED_OF_CACHES: ReadonlySet<string> = new Set(['fallback_keys', 'policy', 'unprotect', 'when']);

export const UNSUPPORTED_OF_ARTIFACTS: ReadonlySet<string> = new Set([
  'access',
  'exclude',
  'expose_as',
  'public',
  'reports',
]);
