import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ProgramFailed } from '../errors.ts';
import { collectComplaint } from '../program/run.ts';
import { killGroup, startGroup } from './spawn.ts';

/** How the objects of a repository lie. */
export interface Heap {
  /** Roughly how many are files of their own. */
  loose: number;
  packs: number;
}

/** Looks at one of the 256 directories of single objects, as names are spread evenly over them. */
export async function measureHeap(directory: string): Promise<Heap> {
  const names = (folder: string) => readdir(path.join(directory, 'objects', folder)).catch(() => []);
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

/** Whether there are single objects that are older than so many seconds; looks at one directory of 256. */
export async function hasOldObjects(directory: string, age: number): Promise<boolean> {
  const folder = path.join(directory, 'objects', '17');
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(path.join(folder, name)).catch(() => null);
    if (found !== null && found.mtimeMs < Date.now() - age * 1000) return true;
  }
  return false;
}

/** Runs `git` in a process group of its own and ends it when it takes too long. Throws ProgramFailed. */
function run(directory: string, args: string[], timeout: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const program = startGroup([`--git-dir=${directory}`, ...args]);
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
