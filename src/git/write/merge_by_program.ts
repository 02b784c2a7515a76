import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { isDamage } from '../damage.ts';
import { MOST_RENAMES } from '../diff/limits.ts';
import { GitError, ProgramFailed, TooMuch } from '../errors.ts';
import { EMPTY_TREE, type ObjectType, type Oid } from '../model.ts';
import { decodeName } from '../names.ts';
import { alternatePath } from '../program/environment.ts';
import { type Answer, runProgram } from '../program/run.ts';
import { INCOMING } from './hold.ts';
import type { ObjectWriter } from './objects.ts';

/** Trees of which two were made from the first. */
export interface ThreeTrees {
  base: Oid;
  ours: Oid;
  theirs: Oid;
}

/** How long each step of a merge may take, in milliseconds. */
const TIMEOUT = 20_000;

/** Settings as git reads them from its environment. */
const SETTINGS: Record<string, string> = {
  'user.name': 'merge',
  'user.email': 'merge@localhost',
  'merge.directoryRenames': 'false',
  'merge.renameLimit': String(MOST_RENAMES),
  // Newer programs would heed what the default branch says of its files.
  'attr.tree': EMPTY_TREE,
};

const ENVIRONMENT: NodeJS.ProcessEnv = Object.fromEntries([
  ['GIT_CONFIG_COUNT', String(Object.keys(SETTINGS).length)],
  ...Object.keys(SETTINGS).map((name, at) => [`GIT_CONFIG_KEY_${at}`, name]),
  ...Object.values(SETTINGS).map((value, at) => [`GIT_CONFIG_VALUE_${at}`, value]),
]);

const unpack = promisify(inflate);

/** The largest object that is taken of what git has merged, in bytes: it may hold both sides of a file. */
const MOST_MERGED = 64 * 1024 * 1024;

/** What a merge by the git program came to. */
export interface ProgramMerge {
  tree: Oid;
  /** In the order of their bytes. */
  conflicts: string[];
}

/**
 * Merges trees by the git program, which writes beside the repository; what is new is added to the objects to be written. Throws
 * TooMuch.
 */
export async function mergeByProgram(
  directory: string,
  objects: ObjectWriter,
  { base, ours, theirs }: ThreeTrees,
): Promise<ProgramMerge> {
  return besideRepository(directory, async (run, place) => {
    // Programs before 2.40 find the base by themselves: commits that are made for it lead them there.
    const commit = async (tree: Oid, ...parents: Oid[]) => {
      const { output } = await run(['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), tree]);
      return output.toString('latin1').trim();
    };
    const root = await commit(base);
    const [left, right] = await Promise.all([commit(ours, root), commit(theirs, root)]);
    return merge(run, place, objects, left, right);
  });
}

/**
 * As mergeByProgram, of two commits with a common ancestor: where they have several best ones, these are merged first, as `git
 * merge` does it.
 */
export async function mergeCommitsByProgram(
  directory: string,
  objects: ObjectWriter,
  ours: Oid,
  theirs: Oid,
): Promise<ProgramMerge> {
  return besideRepository(directory, (run, place) => merge(run, place, objects, ours, theirs));
}

type Run = (args: string[]) => Promise<Answer>;

/** Runs programs that read the repository and write to a directory of their own, which is removed then. */
async function besideRepository<T>(directory: string, work: (run: Run, place: string) => Promise<T>): Promise<T> {
  const place = path.join(directory, 'objects', `${INCOMING}${randomBytes(8).toString('hex')}`);
  await mkdir(place);
  try {
    return await work(async (args) => {
      const environment = {
        ...ENVIRONMENT,
        GIT_OBJECT_DIRECTORY: place,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: alternatePath([path.join(directory, 'objects')]),
      };
      const options = { environment, timeout: TIMEOUT, codes: [0, 1] };
      return runProgram(directory, args, options);
    }, place);
  } catch (error) {
    if (!(error instanceof ProgramFailed) || isDamage(error)) throw error;
    throw new TooMuch('merging takes too much time or memory');
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function merge(run: Run, place: string, objects: ObjectWriter, ours: Oid, theirs: Oid): Promise<ProgramMerge> {
  const { output } = await run(['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs]);
  const [tree = '', ...names] = output.toString('latin1').split('\0');
  const conflicts = names.filter((name) => name !== '').map((name) => decodeName(Buffer.from(name, 'latin1')));
  if (conflicts.length === 0) await collect(place, objects);
  return { tree, conflicts: conflicts.sort() };
}

/** Adds the files and directories that git has written. */
async function collect(place: string, objects: ObjectWriter): Promise<void> {
  for (const folder of (await readdir(place)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of await readdir(path.join(place, folder))) {
      const bytes = await unpack(await readFile(path.join(place, folder, name)), { maxOutputLength: MOST_MERGED });
      const end = bytes.indexOf(0);
      const [type] = bytes.toString('latin1', 0, end).split(' ');
      if (type === 'commit') continue;
      if (end < 0 || objects.add(type as ObjectType, bytes.subarray(end + 1)) !== folder + name)
        throw new GitError(`git wrote a damaged object ${folder}${name}`);
    }
  }
}
