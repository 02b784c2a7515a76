import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { isDamage } from '../base/damage.ts';
import { MAX_RENAMES } from '../base/diff_limits.ts';
import { GitError, LimitExceeded, ProgramFailed } from '../base/errors.ts';
import { EMPTY_TREE, type Mode, type ObjectType, type Oid } from '../base/model.ts';
import { decodeName, encodeName } from '../base/names.ts';
import { INCOMING } from '../incoming/pack_keep_lock.ts';
import { alternatePath } from '../program/environment.ts';
import { type Answer, runProgram } from '../program/run.ts';
import type { AttributeFile } from './attributes.ts';
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
  'merge.renameLimit': String(MAX_RENAMES),
};

/** Without attributes, as newer programs would heed what the default branch says of its files. */
const BARE = environmentOf({ ...SETTINGS, 'attr.tree': EMPTY_TREE });

/** With those of the working tree, which programs of all versions read. */
const WITH_ATTRIBUTES = environmentOf(SETTINGS);

function environmentOf(settings: Record<string, string>): NodeJS.ProcessEnv {
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(Object.keys(settings).length)],
    ...Object.keys(settings).map((name, at) => [`GIT_CONFIG_KEY_${at}`, name]),
    ...Object.values(settings).map((value, at) => [`GIT_CONFIG_VALUE_${at}`, value]),
  ]);
}

const unpack = promisify(inflate);

/** The largest object that is taken of what git has merged, in bytes: it may hold both sides of a file. */
const MAX_MERGED_BYTES = 64 * 1024 * 1024;

/** A version of a file with conflicts: that of the common ancestor (1), of ours (2) or of theirs (3). */
export interface Stage {
  path: string;
  stage: 1 | 2 | 3;
  mode: Mode;
  oid: Oid;
}

/** What a merge by the git program came to. */
export interface ProgramMerge {
  tree: Oid;
  /** In the order of their bytes. */
  conflicts: string[];
  stages: Stage[];
}

/** Where a merge takes place. */
export interface MergePlace {
  /** Of the repository. */
  directory: string;
  /** What the merge heeds of its files, such as `merge=union`. */
  attributes: readonly AttributeFile[];
  /** Whether what could be merged is taken although there are conflicts. */
  keepsConflicts?: boolean;
}

/**
 * Merges trees by the git program, which writes outside of the repository; new objects are added to those to be written. Throws
 * LimitExceeded.
 */
export async function mergeByProgram(
  at: MergePlace,
  objects: ObjectWriter,
  { base, ours, theirs }: ThreeTrees,
): Promise<ProgramMerge> {
  return besideRepository(at, async (run, place) => {
    // Programs before 2.40 find the base by themselves: commits that are made for it lead them there.
    const commit = async (tree: Oid, ...parents: Oid[]) => {
      const { output } = await run(['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), tree]);
      return output.toString('latin1').trim();
    };
    const root = await commit(base);
    const [left, right] = await Promise.all([commit(ours, root), commit(theirs, root)]);
    return merge(run, { ...at, place }, objects, left, right);
  });
}

/**
 * As mergeByProgram, of two commits with a common ancestor: where they have several best ones, these are merged first, as `git
 * merge` does it.
 */
export async function mergeCommitsByProgram(
  at: MergePlace,
  objects: ObjectWriter,
  ours: Oid,
  theirs: Oid,
): Promise<ProgramMerge> {
  return besideRepository(at, (run, place) => merge(run, { ...at, place }, objects, ours, theirs));
}

type Run = (args: string[], codes?: number[]) => Promise<Answer>;

/** Runs programs that read the repository and write to a directory of their own, which is removed then. Throws LimitExceeded. */
export async function besideRepository<T>(
  { directory, attributes }: MergePlace,
  work: (run: Run, place: string) => Promise<T>,
): Promise<T> {
  const place = path.join(directory, 'objects', `${INCOMING}${randomBytes(8).toString('hex')}`);
  await mkdir(place);
  try {
    const workTree = await writeAttributes(place, attributes);
    return await work(async (args, codes = [0, 1]) => {
      const environment = {
        ...(workTree === null ? BARE : { ...WITH_ATTRIBUTES, GIT_WORK_TREE: workTree }),
        GIT_OBJECT_DIRECTORY: place,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: alternatePath([path.join(directory, 'objects')]),
      };
      const inWorkTree = workTree === null ? {} : { place: workTree };
      const options = { environment, timeout: TIMEOUT, codes, ...inWorkTree };
      return runProgram(directory, args, options);
    }, place);
  } catch (error) {
    if (!(error instanceof ProgramFailed) || isDamage(error)) throw error;
    throw new LimitExceeded('work', 'merging takes too much time or memory');
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * A working tree that holds nothing but these files: only there programs before 2.41 look for attributes. They know no other
 * ways of merging than their own, as no setting of the repository names a program for one.
 */
async function writeAttributes(place: string, attributes: readonly AttributeFile[]): Promise<string | null> {
  if (attributes.length === 0) return null;
  const workTree = path.join(place, 'work-tree');
  for (const { path: name, content } of attributes) {
    const file = Buffer.concat([Buffer.from(`${workTree}/`), encodeName(name)]);
    await mkdir(file.subarray(0, file.lastIndexOf('/')), { recursive: true });
    await writeFile(file, content);
  }
  return workTree;
}

async function merge(
  run: Run,
  { place, keepsConflicts = false }: { place: string; keepsConflicts?: boolean },
  objects: ObjectWriter,
  ours: Oid,
  theirs: Oid,
): Promise<ProgramMerge> {
  const { output } = await run(['merge-tree', '--write-tree', '-z', '--no-messages', ours, theirs]);
  const [tree = '', ...lines] = output.toString('latin1').split('\0');
  const stages = lines.flatMap((line) => stageOf(line) ?? []);
  const conflicts = [...new Set(stages.map(({ path }) => path))].sort();
  if (conflicts.length === 0 || keepsConflicts) await collect(place, objects);
  return { tree, conflicts, stages };
}

/** `<mode> <object> <stage>\t<path>`. */
function stageOf(line: string): Stage | null {
  const [, mode, oid, stage, name] = /^(\d{6}) ([0-9a-f]{40}) ([123])\t(.+)$/s.exec(line) ?? [];
  if (mode === undefined || oid === undefined || name === undefined) return null;
  return { path: decodeName(Buffer.from(name, 'latin1')), stage: Number(stage) as Stage['stage'], mode, oid };
}

/** Adds the files and directories that git has written. */
async function collect(place: string, objects: ObjectWriter): Promise<void> {
  for (const folder of (await readdir(place)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of await readdir(path.join(place, folder))) {
      const bytes = await unpack(await readFile(path.join(place, folder, name)), { maxOutputLength: MAX_MERGED_BYTES });
      const end = bytes.indexOf(0);
      const [type] = bytes.toString('latin1', 0, end).split(' ');
      if (type === 'commit') continue;
      if (end < 0 || objects.add(type as ObjectType, bytes.subarray(end + 1)) !== folder + name)
        throw new GitError(`git wrote a damaged object ${folder}${name}`);
    }
  }
}
