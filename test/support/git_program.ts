import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { type RanSync, runSync } from './run_sync.ts';

const env = {
  PATH: process.env.PATH,
  HOME: devNull,
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_LITERAL_PATHSPECS: '1',
};
const settings = ['-c', 'safe.directory=*', '-c', 'core.quotePath=false', '-c', 'core.attributesFile=/dev/null'];

/** What the git program says; the oracle of these tests. */
export function gitBytes(directory: string, args: string[], input: string | Buffer = ''): Buffer {
  const { status, stdout, stderr } = runGit([`--git-dir=${directory}`, ...args], input);
  if (status !== 0) throw Object.assign(new Error(`git ${args.join(' ')}: ${stderr}`), { status, stdout, stderr });
  return stdout;
}

function runGit(args: readonly string[], input: string | Buffer = ''): RanSync {
  return runSync('git', [...settings, ...args], env, input);
}

export function git(directory: string, args: string[], input: string | Buffer = ''): string {
  return gitBytes(directory, args, input).toString('utf8');
}

function mustRun(args: readonly string[]): void {
  const { status, stderr } = runGit(args);
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
}

/** The lines of an answer, without empty ones. */
export function gitLines(directory: string, args: string[], input: string | Buffer = ''): string[] {
  return git(directory, args, input)
    .split('\n')
    .filter((line) => line !== '');
}

/** The exit code, for questions that are answered by it. */
export function gitCode(directory: string, args: string[]): number | null {
  return runGit([`--git-dir=${directory}`, ...args]).status;
}

const atEnd: (() => void)[] = [];

/** Removes what was to stay until all tests of a file have ended. */
export function removeScratch(): void {
  for (const remove of atEnd.splice(0)) remove();
}

/** A directory that is removed with the test that asked for it, or when all tests of the file have ended. */
export function scratch(scope: 'test' | 'file' = 'test'): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-git-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  if (scope === 'test') onTestFinished(remove);
  else atEnd.push(remove);
  return directory;
}

/** A new bare repository in a scratch directory. */
export function emptyRepository(scope: 'test' | 'file' = 'test'): string {
  const directory = path.join(scratch(scope), 'repository.git');
  mustRun(['init', '--quiet', '--bare', '--initial-branch=main', '--template=', directory]);
  return directory;
}

/** A bare copy of a repository with all its refs, in a scratch directory. */
export function cloneOf(source: string): string {
  const directory = path.join(scratch('file'), 'clone.git');
  mustRun(['clone', '--quiet', '--mirror', '--no-hardlinks', '--', source, directory]);
  return directory;
}

/** This project's own history as a bare repository; null where it was not checked out from one. */
export function ownRepository(): string | null {
  if (!existsSync(packagePath('.git'))) return null;
  const directory = path.join(scratch('file'), 'own.git');
  const source = execFileSync('git', ['rev-parse', '--path-format=absolute', '--git-common-dir'], {
    cwd: packagePath('.'),
    env,
  });
  const args = ['clone', '--quiet', '--bare', '--no-hardlinks', source.toString().trim(), directory];
  mustRun(args);
  return directory;
}

/** Makes single files of all objects of a repository; their paths. */
export function unpack(directory: string): string[] {
  const folder = path.join(directory, 'objects', 'pack');
  const packs = readdirSync(folder).filter((name) => name.endsWith('.pack'));
  const contents = packs.map((name) => readFileSync(path.join(folder, name)));
  // The program unpacks only what is not there.
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { force: true });
  for (const content of contents) git(directory, ['unpack-objects', '-q'], content);
  return readdirSync(path.join(directory, 'objects'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[0-9a-f]{38}$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
}
