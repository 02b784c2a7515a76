import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JobPayload } from '#src/entrances/runner/payload.ts';
import { packageRevision, packageVersion } from '#src/platform/package_root.ts';

/** Variables of the runner's own environment that are passed on: what programs need, and no secrets. */
const HANDED_ON = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'SystemRoot',
  'PATHEXT',
];

/** Variables by their names. */
export type Values = Readonly<Record<string, string>>;

/**
 * The environment of a job's script: the variables of the job, and little else. Variables of type file are written into a
 * directory, and hold the path.
 *
 * @param own variables of the runner, over which those of the job win
 * @param project directory of the working copy
 * @param files directory for variables of type file
 */
export async function environmentOf(
  job: JobPayload,
  { project, builds, files, own: known }: { project: string; builds: string; files: string; own: Values },
): Promise<Record<string, string>> {
  const own = Object.fromEntries(HANDED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  const places = { CI_PROJECT_DIR: project, CI_BUILDS_DIR: builds };
  const variables = [...shown(known), ...job.variables, ...shown(places)];
  const last = new Map(variables.map((variable) => [variable.key, variable]));
  const contents = [...last.values()].filter(({ key, file }) => file && isName(key));
  const paths = Object.fromEntries(contents.map(({ key }, at) => [key, path.join(files, String(at))]));
  for (const { key, value } of contents) await writeFile(paths[key] ?? '', value, { mode: 0o600 });
  return { ...own, ...variablesOf({ variables }, paths) };
}

/** The words of today's runners for processors. */
const PROCESSORS: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Which of the runner's jobs it is: the lowest numbers that no other running job has, of all and of those of its project. */
export interface Concurrent {
  id: number;
  inProject: number;
}

/** What the runner tells its jobs of itself. */
export function ofRunner({ id, inProject }: Concurrent, inContainer: boolean): Record<string, string> {
  return {
    CI_SERVER: 'yes',
    CI_RUNNER_VERSION: packageVersion(),
    CI_RUNNER_REVISION: packageRevision(),
    CI_RUNNER_EXECUTABLE_ARCH: `${process.platform}/${PROCESSORS[process.arch] ?? process.arch}`,
    CI_CONCURRENT_ID: String(id),
    CI_CONCURRENT_PROJECT_ID: String(inProject),
    [inContainer ? 'CI_DISPOSABLE_ENVIRONMENT' : 'CI_SHARED_ENVIRONMENT']: 'true',
  };
}

function shown(values: Values): JobPayload['variables'] {
  return Object.entries(values).map(([key, value]) => ({ key, value, public: true, file: false }));
}

/**
 * The variables of a job by name. What they refer to is put in its place, once, unless they are raw or files: the server has done so for
 * what it knows.
 *
 * @param paths those of files, which stand for their contents
 */
export function variablesOf({ variables }: Pick<JobPayload, 'variables'>, paths: Values = {}): Record<string, string> {
  const usable = variables.filter(({ key, value }) => isName(key) && !value.includes('\0'));
  const given = { ...Object.fromEntries(usable.map(({ key, value }) => [key, value])), ...paths };
  const fixed = new Map(usable.map(({ key, raw, file }) => [key, raw === true || file]));
  const entries = Object.entries(given);
  return Object.fromEntries(entries.map(([key, value]) => [key, fixed.get(key) ? value : expand(value, given)]));
}

/** References as Go's `os.Expand` reads them: names, names in braces, and single characters of a shell, of which `$$` is a dollar sign. */
const REFERENCE = /\$(?:\{([^}]{0,255})\}|([A-Za-z_]\w*)|([*#$@!?\-0-9]))/g;

/** Expands references to variables; those that are not set become empty. */
export function expand(text: string, values: Values): string {
  return text.replace(REFERENCE, (_whole, braced?: string, plain?: string, special?: string) => {
    const name = braced ?? plain ?? special ?? '';
    if (name === '$') return '$';
    return Object.hasOwn(values, name) ? (values[name] ?? '') : '';
  });
}

function isName(key: string): boolean {
  return /^[A-Za-z_]\w*$/.test(key);
}
