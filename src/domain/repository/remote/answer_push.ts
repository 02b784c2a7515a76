import type { Writable } from 'node:stream';
import { type Push, type Received, receivePush } from '#src/domain/repository/receive.ts';
import { encodeReport, KEEP_ALIVE } from '#src/git/remote/push_report.ts';

/** Milliseconds between heartbeats while a push is processed. */
const KEEP_ALIVE_INTERVAL_MS = 5_000;

export interface AnsweredPush extends Omit<Push, 'onReceived'> {
  /** Follows the options of the push once its refs have changed; returns lines for the client to print. */
  follow(received: Received): Promise<string[]>;
}

/** Receives a push, and returns the report for its client, which is sent heartbeats meanwhile. Throws as receivePush. */
export async function answerPush({ follow, ...push }: AnsweredPush, into: Writable): Promise<Buffer> {
  let heartbeat: NodeJS.Timeout | undefined;
  const onReceived = (capabilities: ReadonlySet<string>) => {
    if (capabilities.has('side-band-64k'))
      heartbeat ??= setInterval(() => into.write(KEEP_ALIVE), KEEP_ALIVE_INTERVAL_MS);
  };
  try {
    const received = await receivePush({ ...push, onReceived });
    return received === null ? Buffer.alloc(0) : encodeReport(received, received.capabilities, await follow(received));
  } finally {
    clearInterval(heartbeat);
  }
}
