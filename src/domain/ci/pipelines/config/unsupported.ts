/* Keywords that do not work here. */

/** They are rejected, as ignoring them would change the meaning of the file. */
export const UNSUPPORTED_OF_JOBS: ReadonlySet<string> = new Set(['inputs']);

/** Keys of jobs that are read and have no effect, so that files which have them can be used; the author is warned. */
export const IGNORED_OF_JOBS: ReadonlySet<string> = new Set([
  'dast_configuration',
  'dry_run',
  'hooks',
  'identity',
  'manual_confirmation',
  'run',
  'secrets',
]);
