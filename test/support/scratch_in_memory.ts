import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, hostname } from 'node:os';
import path from 'node:path';

const MEMORY = '/dev/shm';
const GIB = 1024 ** 3;

/** The start of the names of these directories: killed runs of this machine are recognized by it. */
const OWN = `gantry-tests-${hostname()}-`;

/**
 * Makes a directory in memory for what tests put on a disk: hundreds of databases of a thousand files each, and thousands of
 * repositories, which all go with their test. Undefined where there is no room, or programs cannot be run from there.
 */
export function scratchInMemory(): string | undefined {
  if (!isFit()) return undefined;
  for (const name of readdirSync(MEMORY)) {
    if (name.startsWith(OWN) && !isAlive(Number(name.slice(OWN.length)))) remove(path.join(MEMORY, name));
  }
  const directory = path.join(MEMORY, `${OWN}${process.pid}`);
  mkdirSync(directory, { recursive: true });
  return directory;
}

/** After a run: removes the directory of `scratchInMemory`, if that is where the tests of this process are. */
export function teardown(): void {
  const { TMPDIR } = process.env;
  if (TMPDIR === path.join(MEMORY, `${OWN}${process.pid}`)) remove(TMPDIR);
}

function isFit(): boolean {
  if (process.platform !== 'linux' || freemem() < 8 * GIB) return false;
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts.map((line) => line.split(' ')).find(([, place]) => place === MEMORY)?.[3];
  if (options === undefined || options.split(',').includes('noexec')) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= 4 * GIB;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function remove(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}
