/** How the tokens of runners and of jobs begin, so that they are recognised where they do not belong. */
export const RUNNER_TOKEN = 'grt-';
export const JOB_TOKEN = 'gjt-';
/** How the token begins with which runners of the whole server register. */
export const REGISTRATION_TOKEN = 'grr-';

/** Characters of the longest token that is looked for. */
const LONGEST = 255;

/** Whether a value may be a token at all: what the database cannot compare is none. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST && !value.includes('\0');
}

/** Whether a text looks like the token of a job, which is then nothing else. */
export function isJobToken(text: string): boolean {
  return text.startsWith(JOB_TOKEN);
}
