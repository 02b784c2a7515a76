import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';

/** What has to be free there: a server with the sample data takes a tenth of it. */
const ROOM = 1024 ** 3;

/**
 * Where the data of ephemeral servers go: into memory where there is room, as PostgreSQL writes thousands of files at a start.
 * `TMPDIR` names another place.
 */
export function temporaryBase(): string {
  return process.platform === 'linux' && !process.env.TMPDIR && hasRoom() ? MEMORY : tmpdir();
}

/** All places where data of ephemeral servers may have been left, under the present settings or others. */
export function temporaryBases(): string[] {
  return [...new Set([temporaryBase(), tmpdir()])];
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}
