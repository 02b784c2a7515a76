import type { Change } from '#src/domain/live/change.ts';
import type { Topic } from '#src/domain/live/topic.ts';
import { Forbidden, InsufficientScope, NotFound, Unauthenticated } from '#src/platform/errors.ts';

/** The root value of one execution of a subscription, which collects facts about the result. */
export interface LiveEvent {
  readonly change: Change;
  /** Whether the subscriber may not see the record: then nothing is sent. */
  isHidden: boolean;
  /** Offset of the next chunk of a job log. */
  next?: number;
  hasMore?: boolean;
  isOver?: boolean;
}

/** The source of a subscription field; not iterated: changes are read once for all who wait for them (src/domain/live/hub.ts). */
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

/** Reads the record of a change, and notes if the subscriber may not see it. */
export async function readSeen<Result>(event: LiveEvent, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const refusals = [NotFound, Forbidden, InsufficientScope, Unauthenticated];
    event.isHidden = refusals.some((refusal) => error instanceof refusal);
    throw error;
  }
}
