import { type Change, recordOf } from '#src/domain/live/change.ts';
import { MAX_MISSED_CHANGES } from '#src/domain/live/missed.ts';
import type { Reading, Sink } from '#src/domain/live/subscriber.ts';
import type { Topic } from '#src/domain/live/topic.ts';
import { BadRequest, type DomainError } from '#src/platform/errors.ts';

/** The feed of a member. */
interface Around {
  readonly topic: Topic;
  /** Reads a change as the caller may see it; null if they may not. */
  read(change: Change): Promise<Reading | null>;
}

/** One subscription in a feed. */
export class Member {
  /** For a subscription to one job's log: the offset of the next chunk to send. */
  offset: number | null;
  readonly #sink: Sink;
  readonly #feed: Around;
  readonly #left: () => void;
  /** Changes received while missed ones are being sent; null afterwards. */
  #held: { change: Change; reading: Reading }[] | null = [];
  /** Records sent as missed, so that none is sent twice. */
  #sent: Set<string> | null = null;
  readonly #joinedAt = performance.now();
  #hasLeft = false;

  constructor(feed: Around, sink: Sink, offset: number | null, left: () => void) {
    this.#feed = feed;
    this.#sink = sink;
    this.offset = offset;
    this.#left = left;
  }

  /** Removes it from the feed. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#held = null;
    this.#left();
  }

  end(reason: DomainError | null): void {
    if (this.#hasLeft) return;
    this.leave();
    this.#sink.end(reason);
  }

  /** Whether the subscription began after the server had received a change. */
  joinedAfter({ heardAt }: Change): boolean {
    return heardAt !== undefined && heardAt < this.#joinedAt;
  }

  /** Receives a change in order. */
  hear(change: Change, reading: Reading): void {
    if (this.#hasLeft) return;
    // A log chunk for earlier subscribers may include later output, so later ones get it, too.
    if (change.kind !== 'trace' && this.joinedAfter(change)) return;
    if (this.#held) {
      this.#held.push({ change, reading });
      if (this.#held.length > MAX_MISSED_CHANGES) this.end(tooMuch());
      return;
    }
    if (this.#sent?.has(recordOf(change)) && change.kind === 'event') return;
    if (this.offset !== null && change.position !== this.offset) {
      if ((reading.next ?? 0) > this.offset) void this.catchUp();
      else if (reading.isOver) this.end(null);
      return;
    }
    this.#send(change, reading);
  }

  /** Clears the protection against duplicates, once none can arrive. */
  forget(): void {
    if (this.#held === null) this.#sent = null;
  }

  /** Sends the missed changes, then those received meanwhile, and from then on new ones. */
  async replay(missed: readonly Change[]): Promise<void> {
    if (missed.length > MAX_MISSED_CHANGES) return this.end(tooMuch());
    const sent = new Set<string>();
    for (const change of missed) {
      if (this.#hasLeft) return;
      const reading = await this.#feed.read(change);
      if (this.#hasLeft) return;
      if (reading) this.#send(change, reading);
      sent.add(recordOf(change));
      await this.#sink.ready();
    }
    this.#sent = sent;
    this.#release();
  }

  /** Sends the chunks of the job's log from its offset on. */
  async catchUp(): Promise<void> {
    this.#held ??= [];
    const { id, kind } = this.#feed.topic;
    for (;;) {
      const change: Change = { kind, id, projectId: 0, position: this.offset ?? 0, cursor: null };
      const reading = await this.#feed.read(change);
      if (this.#hasLeft) return;
      if (reading) this.#send(change, reading);
      await this.#sink.ready();
      if (!reading?.hasMore || this.#hasLeft) break;
    }
    this.#release();
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const { change, reading } of held) this.hear(change, reading);
  }

  #send(change: Change, reading: Reading): void {
    if (this.offset !== null && reading.next !== undefined) {
      this.offset = reading.next;
      if (reading.json !== '') this.#sink.next(reading.json, String(reading.next));
      if (reading.isOver) this.end(null);
      return;
    }
    if (reading.json !== '') this.#sink.next(reading.json, change.cursor);
  }
}

function tooMuch(): DomainError {
  return new BadRequest(
    `More than ${MAX_MISSED_CHANGES} changes were missed. Read them with a query, and subscribe without \`after\`.`,
  );
}
