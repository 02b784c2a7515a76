import { stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { isAbsent } from '../base/existence.ts';
import { syncFanOut } from '../base/sync.ts';
import { runProgram } from '../program/run.ts';

export interface PruneOptions {
  /** How old objects must be, in seconds. */
  age: number;
  /** How many are removed at most. */
  limit: number;
  /** How long to look for them, in milliseconds. */
  timeout: number;
}

/**
 * Removes single objects to which no ref leads, nor a younger object, and which are old; for who keeps all others from changing
 * refs. A program only looks for them: it would go on when this process has died and the lock is gone. Throws ProgramFailed.
 */
export async function prune(directory: string, { age, limit, timeout }: PruneOptions): Promise<void> {
  const before = Math.floor(Date.now() / 1000) - age;
  const { output } = await runProgram(directory, ['prune', '-n', `--expire=${before}`], { timeout });
  const lines = output.toString('latin1').split('\n');
  const oids = lines.flatMap((line) => /^([0-9a-f]{40}) [a-z]+$/.exec(line)?.[1] ?? []);
  const folders = new Set<string>();
  for (const oid of oids.slice(0, limit)) {
    const folder = path.join(directory, 'objects', oid.slice(0, 2));
    if (await removeIfOld(path.join(folder, oid.slice(2)), age)) folders.add(folder);
  }
  for (const folder of folders) await syncFanOut(folder);
}

/** What was written again meanwhile is young. */
async function removeIfOld(file: string, age: number): Promise<boolean> {
  try {
    if ((await stat(file)).mtimeMs >= Date.now() - age * 1000) return false;
    await unlink(file);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
