import { devNull } from 'node:os';
import path from 'node:path';
import { EMPTY_TREE } from '../base/model.ts';

/**
 * Arguments that come before any command. They let the program read repositories that another user of the system owns,
 * and take from it what it would do by itself.
 */
export const PROGRAM_ARGUMENTS = [
  '-c',
  'safe.directory=*',
  '-c',
  `core.hooksPath=${devNull}`,
  '-c',
  'core.fsmonitor=false',
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
  '-c',
  'core.quotePath=false',
  // Larger ones are streamed, and compared with nothing.
  '-c',
  'core.bigFileThreshold=32m',
  // Packs would be mapped as a whole, however large; smaller parts would be mapped again and again by who walks a large history. Bases of
  // differences would fill 96 MiB for each program.
  '-c',
  'core.packedGitWindowSize=16m',
  '-c',
  'core.packedGitLimit=128m',
  '-c',
  'core.deltaBaseCacheLimit=16m',
];

/**
 * For programs that read objects, of which several run at once: trees and files of one name differ little from one commit to the
 * next, and a larger cache of bases saves no time.
 */
export const FEW_BASES = ['-c', 'core.deltaBaseCacheLimit=4m'];

/** For programs that stay, or pass on one content: they keep no files of more than 1 MiB in memory, and little of the packs mapped. */
export const LASTING = [
  '-c',
  'core.bigFileThreshold=1m',
  '-c',
  'core.packedGitWindowSize=1m',
  '-c',
  'core.packedGitLimit=8m',
];

/** For programs that compare: newer ones would heed what the default branch says of its files. */
export const KEEP_ATTRIBUTES_OUT = ['-c', `attr.tree=${EMPTY_TREE}`];

/** How much memory a program may take in one piece, in bytes: an object that is put together of differences lies in one. */
export const MAX_ALLOCATION_BYTES = 192 * 1024 * 1024;

/** All that the program gets of the environment: no settings of users or of the system, no prompts, no other languages. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP'].map((name) => [name, process.env[name]] as const);
  return {
    ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)),
    HOME: devNull,
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PAGER: 'cat',
  };
}

/** Directories of objects in the form that git reads from its environment: it takes a path apart at colons unless it stands in quotes. */
export function alternatePath(directories: readonly string[]): string {
  return directories.map((directory) => `"${directory.replace(/["\\]/g, '\\$&')}"`).join(path.delimiter);
}
