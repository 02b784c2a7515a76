import { execFile } from 'node:child_process';
import { programEnvironment } from './environment.ts';

/** Older programs have no `cat-file --batch-command`, or do not heed `safe.directory` from the command line. */
const OLDEST: [number, number] = [2, 38];

let found: Promise<string | null> | undefined;

/** Milliseconds after which a program that was not found is looked for again. */
const AGAIN = 5_000;

/**
 * The version of the git program on the PATH, such as `2.39.5`; null if there is none or if it is too old. Looks once, and
 * again a few seconds after it found none: the machine may have been out of memory or descriptors then.
 */
export function programVersion(): Promise<string | null> {
  if (found) return found;
  const looking = look();
  found = looking;
  looking.then((version) => {
    if (version === null) setTimeout(() => forget(looking), AGAIN).unref();
  });
  return looking;
}

function forget(looked: Promise<string | null>): void {
  if (found === looked) found = undefined;
}

/** Lets `programVersion` look again. */
export function forgetProgram(): void {
  found = undefined;
}

function look(): Promise<string | null> {
  return new Promise((resolve) => {
    execFile('git', ['--version'], { env: programEnvironment(), timeout: 10_000 }, (error, output) => {
      const version = /^git version (\d+)\.(\d+)\S*/.exec(output);
      if (error !== null || version === null) return resolve(null);
      const [major, minor] = [Number(version[1]), Number(version[2])];
      const recent = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
      resolve(recent ? version[0].slice('git version '.length) : null);
    });
  });
}
