import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { devNull } from 'node:os';
import { text } from 'node:stream/consumers';

/** Like a user at another machine: no settings but these. */
const env = {
  PATH: process.env.PATH,
  HOME: devNull,
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_TERMINAL_PROMPT: '0',
};

/** Random bytes can be neither compressed nor told from each other: the client is not to try. */
const SETTINGS = ['-c', 'safe.directory=*', '-c', 'core.bigFileThreshold=1m', '-c', 'core.compression=1'];

/**
 * Runs git in a directory to its end.
 *
 * @returns its output
 * @throws Error with what it said if it fails
 */
export async function git(directory: string, args: string[]): Promise<string> {
  const program = startGit(directory, args);
  program.stdin.end();
  const [output] = await Promise.all([text(program.stdout), succeeded(program, args)]);
  return output;
}

/** Runs git in a directory and feeds it what comes. */
export async function feedGit(directory: string, args: string[], input: Iterable<Buffer | string>): Promise<void> {
  const program = startGit(directory, args);
  program.stdout.resume();
  const end = succeeded(program, args);
  end.catch(() => undefined);
  for (const part of input) {
    if (!program.stdin.write(part)) await Promise.race([once(program.stdin, 'drain'), end]);
  }
  program.stdin.end();
  await end;
}

/** Milliseconds that a run of git takes, its output thrown away. */
export async function timeGit(directory: string, args: string[]): Promise<number> {
  const begun = performance.now();
  const program = spawn('git', [...SETTINGS, ...args], { cwd: directory, env, stdio: 'ignore' });
  const [code] = await once(program, 'close');
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}`);
  return performance.now() - begun;
}

function startGit(cwd: string, args: string[]) {
  return spawn('git', [...SETTINGS, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
}

async function succeeded(program: ReturnType<typeof startGit>, args: string[]): Promise<void> {
  const complaint = text(program.stderr);
  const [code] = await once(program, 'close');
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${await complaint}`);
}
