import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';

/** Whether there is a repository in a directory: all have the file HEAD. Throws where that cannot be told. */
export function repositoryExists(directory: string): Promise<boolean> {
  return access(path.join(directory, 'HEAD')).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      // Any other error says nothing about what is there: too many files may be open.
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
      throw error;
    },
  );
}

/** Whether there is no repository any more where one was; for error handlers, which cannot wait. */
export function isGone(directory: string): boolean {
  return !existsSync(path.join(directory, 'HEAD'));
}
