import { utimes } from 'node:fs/promises';

/**
 * Touches files now and then, so that others who share the disk see that they are in use; the function ends that. Files that
 * are gone are left out.
 *
 * @param pace milliseconds between two heartbeats
 */
export function startHeartbeat(files: () => readonly string[], pace: number): () => void {
  const timer = setInterval(() => {
    const now = new Date();
    for (const file of files()) utimes(file, now, now).catch(() => undefined);
  }, pace);
  timer.unref();
  return () => clearInterval(timer);
}
