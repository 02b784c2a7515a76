import { setTimeout as sleep } from 'node:timers/promises';
import type { Readiness } from './readiness.ts';

/** Milliseconds in which balancers usually find out, who ask every second or two. */
const USUAL = 5_000;

/**
 * Lets balancers find out that the server is about to stop while it still answers everything: from now on it says that it is
 * not ready, and closes connections. Then it waits for the configured time; by default only after SIGTERM, if readiness is
 * probed, and not after Ctrl+C.
 */
export async function drain(readiness: Readiness, signal: NodeJS.Signals, milliseconds?: number): Promise<void> {
  readiness.stop();
  if (signal !== 'SIGTERM') return;
  const time = milliseconds ?? (readiness.isWatched ? USUAL : 0);
  if (time > 0) await sleep(time);
}
