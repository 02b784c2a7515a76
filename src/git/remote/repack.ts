import type { Stats } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { ProgramFailed } from '../base/errors.ts';
import { killGroup, startGroup } from '../program/group.ts';
import { collectComplaint, lowerPriority } from '../program/run.ts';

/** How the objects of a repository lie. */
export interface Heap {
  /** Roughly how many are files of their own. */
  loose: number;
  packs: number;
}

/** What git derives from all packs of a repository so that it reads them faster. */
const PACK_INDEX = 'multi-pack-index';

/** Looks at one of the 256 directories of single objects, as names are spread evenly over them. */
export async function measureHeap(directory: string): Promise<Heap> {
  const names = (folder: string) => namesIn(path.join(directory, 'objects', folder));
  const loose = (await names('17')).length * 256;
  return { loose, packs: (await names('pack')).filter((name) => name.endsWith('.pack')).length };
}

/**
 * Gathers single objects to which refs lead in a pack, and small packs in larger ones if asked for. Nothing is lost:
 * other single objects stay, other packed ones go along.
 */
export async function repack(directory: string, packs: boolean, timeout: number): Promise<void> {
  await run(directory, ['repack', '-d', '-l', '-q', ...(packs ? ['--geometric=2'] : [])], timeout);
}

/** Bytes of the packs that came after `indexPacks` was called: all where it never was. */
export async function unindexedBytes(directory: string): Promise<number> {
  const folder = path.join(directory, 'objects', 'pack');
  const indexed = (await statOf(path.join(folder, PACK_INDEX)))?.mtimeMs ?? 0;
  const names = await namesIn(folder);
  let bytes = 0;
  for (const name of names.filter((name) => name.endsWith('.pack'))) {
    const found = await statOf(path.join(folder, name));
    if (found !== null && found.mtimeMs > indexed) bytes += found.size;
  }
  return bytes;
}

/**
 * Writes a commit-graph with filters of changed paths, which makes git fast on long histories: in layers, so that little is written after
 * a push. Throws ProgramFailed.
 *
 * @param options.anew whether no layer that is there stays
 * @param options.timeout milliseconds
 */
export async function writeCommitGraph(
  directory: string,
  { anew, timeout }: { anew: boolean; timeout: number },
): Promise<void> {
  const layers = anew ? '--split=replace' : '--split';
  await run(directory, ['commit-graph', 'write', '--reachable', '--changed-paths', layers, '--no-progress'], timeout);
}

/**
 * Writes one index with bitmaps over all packs. Throws ProgramFailed.
 *
 * @param timeout milliseconds for each program
 */
export async function indexPacks(directory: string, timeout: number): Promise<void> {
  const { packs } = await measureHeap(directory);
  if (packs === 0) return;
  const index = ['multi-pack-index', 'write', '--no-progress'];
  try {
    await run(directory, [...index, '--bitmap'], timeout);
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error;
    // Bitmaps need every object in a pack, and a ref may have come to lead to one that is in none yet.
    await run(directory, index, timeout);
  }
  // Git leaves it as it is where no pack has come.
  const now = new Date();
  await utimes(path.join(directory, 'objects', 'pack', PACK_INDEX), now, now);
}

/** Removes the index over all packs, for who removes a pack that it names; git does without. */
export async function removePackIndex(directory: string): Promise<void> {
  const folder = path.join(directory, 'objects', 'pack');
  const names = (await namesIn(folder)).filter((name) => name.startsWith(PACK_INDEX)).sort();
  for (const name of names) await rm(path.join(folder, name), { force: true });
}

/** Whether there are single objects that are older than so many seconds; looks at one directory of 256. */
export async function hasOldObjects(directory: string, age: number): Promise<boolean> {
  const folder = path.join(directory, 'objects', '17');
  for (const name of await namesIn(folder)) {
    const found = await statOf(path.join(folder, name));
    if (found !== null && found.mtimeMs < Date.now() - age * 1000) return true;
  }
  return false;
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

function statOf(file: string): Promise<Stats | null> {
  return stat(file).catch(() => null);
}

/** Runs `git` with less priority, in a process group of its own, and ends it when it takes too long. Throws ProgramFailed. */
function run(directory: string, args: string[], timeout: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const program = startGroup([`--git-dir=${directory}`, ...args]);
    lowerPriority(program);
    const timer = setTimeout(() => killGroup(program), timeout);
    const complaint = collectComplaint(program.stderr);
    program.stdin.on('error', () => undefined).end();
    program.stdout.resume();
    program.once('error', (error) => {
      clearTimeout(timer);
      reject(new ProgramFailed(`git cannot be run: ${error.message}`));
    });
    program.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else reject(new ProgramFailed(`git ${args[0]} ended with ${code ?? signal}: ${complaint()}`));
    });
  });
}
