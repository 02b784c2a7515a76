import { execFile } from 'node:child_process';
import { programEnvironment } from './environment.ts';

/** Older programs have no `cat-file --batch-command`, or do not heed `safe.directory` from the command line. */
const OLDEST: [number, number] = [2, 38];

let found: Promise<string | null> | undefined;

/** The version of the git program on the PATH, such as `2.39.5`; null if there is none or if it is too old. Looks once. */
export function programVersion(): Promise<string | null> {
  found ??= look();
  return found;
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
