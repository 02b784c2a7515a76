import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { JobImage } from '#src/entrances/runner/payload.ts';
import { type Command, type Ending, run } from '#src/entrances/runner/shell.ts';

/** A program that runs containers. */
export type Engine = 'docker' | 'podman';

/** The program on this machine that runs containers; null if there is none, or its daemon does not answer. */
export function findEngine(): Engine | null {
  const isThere = (name: Engine) => spawnSync(name, ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
  return (['docker', 'podman'] as const).find(isThere) ?? null;
}

/** Where and how a script runs in a container. */
export interface Container {
  engine: Engine;
  image: JobImage;
  /** Directory of the job, which the container has at the same path. */
  place: string;
  /** The network of its services. */
  network?: string | undefined;
}

/** The exit code with which both programs say that they could not start a container. */
const NOT_STARTED = 125;

/**
 * Runs a script in a container of its own, which is removed when the script ends, takes too long or is canceled. The script sets the
 * variables of the job: in the environment of the program they could make it do something else. Throws Error if the container cannot
 * be started.
 */
export async function runInContainer(
  { engine, image, place, network }: Container,
  script: string,
  around: Omit<Command, 'program' | 'args' | 'environment'>,
): Promise<Ending> {
  const name = `gantry-${randomBytes(8).toString('hex')}`;
  const [entrypoint, ...before] = image.entrypoint ?? [];
  const args = [
    ...['run', '--rm', '--name', name, '--init'],
    ...['--volume', `${place}:${place}`, '--workdir', around.directory],
    ...(network === undefined ? [] : ['--network', network]),
    ...pullPolicy(image),
    ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
    // What follows are no options, whatever the name of the image.
    ...['--', image.name, ...before, ...commandFor(image, script)],
  ];
  try {
    const ending = await run({ program: engine, args, environment: process.env, ...around });
    if (ending.kind === 'exit' && ending.code === NOT_STARTED) {
      throw new Error(`the container of ${image.name} could not be started`);
    }
    return ending;
  } finally {
    // If its client was ended, the container goes on; after any other end there is none.
    const removing = promisify(execFile)(engine, ['rm', '--force', name], { timeout: 30_000 });
    await removing.catch(() => undefined);
  }
}

/** What runs a script. A shell that is to run one text (`-c`) would take it for the name of the text. */
function commandFor({ entrypoint }: JobImage, script: string): string[] {
  return entrypoint?.at(-1) === '-c' ? [`sh '${script.replaceAll("'", "'\\''")}'`] : ['sh', script];
}

/** Gives what containers made, which belongs to root there, to the user of the runner, so that it can be removed. */
export async function takeOver(
  { engine, image, place }: Container,
  around: Omit<Command, 'program' | 'args' | 'environment'>,
): Promise<void> {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  // Without a daemon, root in the container is this user.
  if (user === 0 || engine === 'podman') return;
  const args = [
    ...['run', '--rm', '--user', '0', '--volume', `${place}:${place}`, '--entrypoint', 'chown'],
    ...['--', image.name, '-R', `${user}:${group}`, place],
  ];
  await run({ program: engine, args, environment: process.env, ...around, onOutput: () => undefined }).catch(
    () => undefined,
  );
}

const POLICIES: Readonly<Record<string, string>> = { always: 'always', never: 'never', 'if-not-present': 'missing' };

/** The option for when an image is fetched. */
export function pullPolicy({ pull_policy: policies }: JobImage): string[] {
  const policy = POLICIES[policies?.[0] ?? ''];
  return policy === undefined ? [] : ['--pull', policy];
}
