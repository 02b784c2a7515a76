import { statSync } from 'node:fs';
import path from 'node:path';

/** The directory in the data directory that is there as long as a restore is under way. */
export const UNFINISHED_RESTORE = 'restoring';

/** Throws an Error when a restore into the data directory did not end: its contents are incomplete. */
export function requireNoPartialRestore(dataDir: string): void {
  if (!statSync(path.join(dataDir, UNFINISHED_RESTORE), { throwIfNoEntry: false })) return;
  throw new Error(`A restore into ${dataDir} did not end. Remove the directory and restore again.`);
}
