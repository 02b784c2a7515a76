import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';

/** What directories are made for: sockets of the spawner, files without a name, and archives that are packed or unpacked. */
export type Purpose = (typeof PURPOSES)[number];

const PURPOSES = ['spawner', 'file', 'import', 'export', 'group', 'data'] as const;

/** Of this machine or container: processes have numbers of their own in each. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

const NAME = new RegExp(`^gantry-(?:${PURPOSES.join('|')})-${HOST}-(\\d+)-[A-Za-z0-9]{6}$`);

/** Makes a directory among the temporary files for something that this process works on. Whoever makes it removes it. */
export function makeWorkDirectory(purpose: Purpose): Promise<string> {
  return mkdtemp(path.join(tmpdir(), `gantry-${purpose}-${HOST}-${process.pid}-`));
}

/**
 * Removes the directories of processes that were killed; what cannot be removed stays. To be called before this process makes its
 * first one, and then it need not be waited for: what bears its number by now is of an earlier process.
 */
export async function removeLeftDirectories(): Promise<void> {
  for (const name of entries(tmpdir())) {
    const pid = Number(NAME.exec(name)?.[1]);
    if (pid === process.pid || (pid > 0 && !isRunning(pid)))
      await rm(path.join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** The names in a directory; none if it cannot be read. */
function entries(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
