import { writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { startChild } from '#src/git/program/child.ts';
import { scratch } from './git_program.ts';

/** What a run of the git program ended with. */
export interface Ran {
  code: number;
  /** Standard output, without the final line break. */
  output: string;
  /** Standard error. */
  said: string;
}

const env = {
  PATH: process.env.PATH,
  HOME: devNull,
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Pia',
  GIT_AUTHOR_EMAIL: 'pia@example.com',
  GIT_COMMITTER_NAME: 'Pia',
  GIT_COMMITTER_EMAIL: 'pia@example.com',
  // For Node programs that git runs.
  ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
};

/** Runs git as somebody at another machine would, beside the server that runs in this process. */
export function gitClient(cwd: string, ...args: string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const program = startChild('git', args, { cwd, env });
    const timer = setTimeout(() => program.kill(), 100_000);
    program.stdin.on('error', () => undefined).end();
    const [output, said] = [text(program.stdout), text(program.stderr)];
    program.once('error', reject);
    program.once('close', async (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, output: (await output).trimEnd(), said: await said });
    });
  });
}

/** As gitClient, for what has to succeed; returns the output. */
export async function run(cwd: string, ...args: string[]): Promise<string> {
  const { code, output, said } = await gitClient(cwd, ...args);
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${said}`);
  return output;
}

/** A clone of a URL in a scratch directory. */
export async function clone(url: string, ...args: string[]): Promise<string> {
  const directory = path.join(scratch(), 'clone');
  await run(path.dirname(directory), 'clone', '--quiet', ...args, url, directory);
  return directory;
}

/** A new working copy without a remote, on branch `main`; one for all tests of a file is removed at its end. */
export async function workingCopy(scope: 'test' | 'file' = 'test'): Promise<string> {
  const directory = scratch(scope);
  await run(directory, 'init', '--quiet', '--initial-branch=main');
  return directory;
}

/** Commits a file in a working copy; returns the hash. */
export async function commitFile(directory: string, name: string, content: string): Promise<string> {
  await writeFile(path.join(directory, name), content);
  await run(directory, 'add', '--', name);
  await run(directory, 'commit', '--quiet', '-m', `Change ${name}`);
  return run(directory, 'rev-parse', 'HEAD');
}
