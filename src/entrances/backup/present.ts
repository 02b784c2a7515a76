import { access } from 'node:fs/promises';
import { isAbsent } from '#src/git/base/existence.ts';

/** Whether a file exists. Throws errors that leave this unknown, such as EACCES or EIO. */
export async function isThere(file: string): Promise<boolean> {
  return access(file).then(() => true, orIfAbsent(false));
}

/** For `catch`: returns a value if the file does not exist; rethrows other errors. */
export function orIfAbsent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isAbsent(error)) return value;
    throw error;
  };
}
