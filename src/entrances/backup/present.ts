import { access } from 'node:fs/promises';
import { isAbsent } from '#src/git/refs/read.ts';

/** Whether there is such a file. Throws what keeps this from being known, such as EACCES or EIO. */
export async function isThere(file: string): Promise<boolean> {
  return access(file).then(() => true, orIfAbsent(false));
}

/** For `catch`: a value in the place of what is not there; any other error is thrown again. */
export function orIfAbsent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isAbsent(error)) return value;
    throw error;
  };
}
