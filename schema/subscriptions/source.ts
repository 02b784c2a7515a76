import type { Change } from '#src/domain/live/change.ts';
import type { Topic } from '#src/domain/live/topic.ts';
import { Forbidden, InsufficientScope, NotFound, Unauthenticated } from '#src/platform/errors.ts';

/** What a field of Subscription answers about: the root value of one execution, which notes what came out of it. */
export interface LiveEvent {
  readonly change: Change;
  /** Whether the subscriber does not see the record: then nothing is sent. */
  isHidden: boolean;
  /** Of a part of a trace. */
  next?: number;
  hasMore?: boolean;
  isOver?: boolean;
}

/** What a field subscribes to. Nothing is iterated: changes are read once for all who wait for the same (src/domain/live/hub.ts). */
export class Source implements AsyncIterable<LiveEvent> {
  readonly topic: Topic;
  readonly after: string | null;

  constructor(topic: Topic, after: string | null | undefined) {
    this.topic = topic;
    this.after = after ?? null;
  }

  [Symbol.asyncIterator](): AsyncIterator<LiveEvent> {
    throw new Error('Sources are heard of through the hub');
  }
}

/** Reads the record of a change; what the subscriber may not see is noted. */
export async function readSeen<Result>(event: LiveEvent, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const refusals = [NotFound, Forbidden, InsufficientScope, Unauthenticated];
    event.isHidden = refusals.some((refusal) => error instanceof refusal);
    throw error;
  }
}
