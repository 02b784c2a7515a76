/** Prefix of the tokens of runners and jobs, so that they are recognized where they do not belong. */
export const RUNNER_TOKEN = 'grt-';
/** Of runners that users create, as clients of today expect it. */
export const CREATED_RUNNER_TOKEN = 'glrt-';
export const JOB_TOKEN = 'gjt-';
/** Prefix of the token with which instance runners register. */
export const REGISTRATION_TOKEN = 'grr-';

/** Characters of the longest token that is looked up. */
const MAX_TOKEN_LENGTH = 255;

/** Whether a value may be a token at all: excludes what the database cannot compare. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TOKEN_LENGTH && !value.includes('\0');
}

/** Whether a text looks like the token of a job, and so can be nothing else. */
export function isJobToken(text: string): boolean {
  return text.startsWith(JOB_TOKEN);
}
