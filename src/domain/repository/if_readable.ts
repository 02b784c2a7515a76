import { Damaged, isLimit } from '#src/git/base/errors.ts';

/** What is read of a repository; null if it is damaged, or reading it takes too much work. */
export async function ifReadable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Damaged || isLimit(error, 'work')) return null;
    throw error;
  }
}
