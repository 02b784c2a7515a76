import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';

/** Whether a directory holds a repository, which always has the file HEAD. Throws if that cannot be determined. */
export function repositoryExists(directory: string): Promise<boolean> {
  return access(path.join(directory, 'HEAD')).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      // Any other error, such as too many open files, says nothing about what is there.
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
      throw error;
    },
  );
}

/** Whether the repository in a directory has been removed. Synchronous, for error handlers. */
export function isGone(directory: string): boolean {
  return !existsSync(path.join(directory, 'HEAD'));
}
