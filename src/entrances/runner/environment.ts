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
  const values: Record<string, string> = {
    ...variablesOf({ variables: [...shown(known), ...job.variables] }),
    CI_PROJECT_DIR: project,
    CI_BUILDS_DIR: builds,
  };
  const paths = job.variables.filter(({ key, file }) => file && isName(key));
  for (const [at, { key }] of paths.entries()) {
    const file = path.join(files, String(at));
    await writeFile(file, values[key] ?? '', { mode: 0o600 });
    values[key] = file;
  }
  return { ...own, ...values };
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

/** The variables of a job by name. References to variables within public values are expanded; secret values stay as they are. */
export function variablesOf({ variables }: Pick<JobPayload, 'variables'>): Record<string, string> {
  const usable = variables.filter(({ key, value }) => isName(key) && !value.includes('\0'));
  const given = Object.fromEntries(usable.map(({ key, value }) => [key, value]));
  const open = new Set(usable.filter((variable) => variable.public && !variable.file).map(({ key }) => key));
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      const others = { ...given, [key]: '' };
      return [key, open.has(key) ? expand(value, others) : value];
    }),
  );
}

/** Expands `$NAME` and `${NAME}` if there is such a variable; leaves the rest. */
export function expand(text: string, values: Values): string {
  return text.replace(/\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g, (whole, plain?: string, braced?: string) => {
    const name = plain ?? braced ?? '';
    return Object.hasOwn(values, name) ? (values[name] ?? '') : whole;
  });
}

function isName(key: string): boolean {
  return /^[A-Za-z_]\w*$/.test(key);
}
