import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseLog } from './embedded_options.ts';
import type { Postmaster } from './postmaster.ts';

/** Milliseconds before PostgreSQL is started again that ended: none, then twice as many each time. */
const FIRST_DELAY = 250;
const MAX_DELAY_MS = 8_000;

/** How often it may end within so many milliseconds before it is given up. */
const MAX_ENDS = 8;
const PERIOD = 5 * 60_000;

export interface KeepOptions {
  /** Starts it and waits until it accepts connections. */
  start(): Promise<Postmaster>;
  log: DatabaseLog;
  /** Called when it is given up. */
  onExit?: ((reason: string) => void) | undefined;
}

/**
 * Starts PostgreSQL again whenever it ends unexpectedly, with growing delays; it is given up when it ends too
 * often.
 *
 * @returns the function that stops it for good
 */
export function keepRunning(first: Postmaster, { start, log, onExit }: KeepOptions): () => Promise<void> {
  const stopped = new AbortController();
  const ends: number[] = [];
  let running: Postmaster | undefined = first;
  let starting: Promise<void> = Promise.resolve();

  const again = async (why: string): Promise<void> => {
    for (let reason = why; !stopped.signal.aborted; ) {
      ends.push(performance.now());
      const recent = ends.filter((at) => at > performance.now() - PERIOD).length;
      if (recent > MAX_ENDS) return onExit?.(reason);
      log.error(`PostgreSQL ended and is started again: ${reason}`);
      const delay = recent === 1 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY * 2 ** (recent - 2));
      await sleep(delay, undefined, { signal: stopped.signal }).catch(() => undefined);
      if (stopped.signal.aborted) return;
      try {
        return watch(await start());
      } catch (error) {
        reason = (error as Error).message;
      }
    }
  };
  const watch = (postmaster: Postmaster): void => {
    running = postmaster;
    postmaster.onUnexpectedExit((reason) => {
      running = undefined;
      starting = again(reason);
    });
  };

  watch(first);
  return async () => {
    stopped.abort();
    await starting;
    await running?.stop();
  };
}
