import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Milliseconds within which a repeated signal is the same wish: Ctrl+C reaches this process directly and through npm. */
const echo = 500;

/** Waits for someone to ask for the end. */
export interface StopSignal {
  /** Settles at the first signal. A later one ends the process at once. */
  received: Promise<NodeJS.Signals>;
}

export function awaitStopSignal(): StopSignal {
  const { promise: received, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let first: number | undefined;
  for (const signal of signals) {
    process.on(signal, () => {
      if (first === undefined) {
        first = performance.now();
        resolve(signal);
      } else if (performance.now() - first > echo) {
        process.exit(128 + constants.signals[signal]);
      }
    });
  }
  return { received };
}
