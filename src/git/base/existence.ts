import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

/** Whether a directory holds a repository, which always has the file HEAD. Throws if that cannot be determined. */
export async function repositoryExists(directory: string): Promise<boolean> {
  try {
    // Every request that touches a repository asks. A trip through the thread pool would take several times as long.
    return statSync(path.join(directory, 'HEAD'), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // Any other error, such as a directory that may not be read, does not tell whether it exists.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw error;
  }
}

/** Whether the repository in a directory has been removed. Synchronous, for error handlers. */
export function isGone(directory: string): boolean {
  return !existsSync(path.join(directory, 'HEAD'));
}

/** Whether an error says that there is no such file; a directory in its place counts as that too. */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '');
}
