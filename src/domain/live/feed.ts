import { type Change, recordOf, waitingKey } from '#src/domain/live/change.ts';
import type { Member } from '#src/domain/live/member.ts';
import type { LiveCaller, LiveOperation, Reading } from '#src/domain/live/subscriber.ts';
import type { Topic } from '#src/domain/live/topic.ts';
import { DomainError, Unavailable } from '#src/platform/errors.ts';

/** Maximum number of pending changes of one feed. */
const MAX_PENDING_CHANGES = 1_000;

/** What feeds share. */
export interface FeedWork {
  /** Runs a read when the caller's turn comes. Throws RateLimited, Unavailable. */
  inTurn<Result>(caller: LiveCaller, work: () => Promise<Result>): Promise<Result>;
  /** Checks that the caller is still authenticated. Throws Unauthenticated. */
  recheck(caller: LiveCaller): Promise<void>;
  report(error: unknown): void;
}

/** All subscriptions to the same with the same credentials: each change is read once for them, in order. */
export class ChangeFeed {
  readonly topic: Topic;
  readonly caller: LiveCaller;
  readonly members = new Set<Member>();
  readonly operation: LiveOperation;
  readonly #work: FeedWork;
  readonly #pending = new Map<string, Change>();
  readonly #reading = new Map<string, Promise<Reading | null>>();
  /** The offset of the next chunk of each received job log. */
  readonly #offsets = new Map<number, number>();
  #isRunning = false;

  constructor(topic: Topic, caller: LiveCaller, operation: LiveOperation, work: FeedWork) {
    this.topic = topic;
    this.caller = caller;
    this.operation = operation;
    this.#work = work;
  }

  /** The job logs of which something was sent. */
  get knownTraces(): number[] {
    return [...this.#offsets.keys()];
  }

  /** Has a change read and sent to all members. */
  push(change: Change): void {
    const key = waitingKey(change);
    const before = this.#pending.get(key);
    // The later cursor stands for both, after all that came in between.
    this.#pending.delete(key);
    this.#pending.set(key, before ? { ...change, position: before.position } : change);
    if (this.#pending.size > MAX_PENDING_CHANGES)
      this.end(new Unavailable('Too much changed at once. Subscribe again.'));
    else void this.#run();
  }

  /** Ends all subscriptions. */
  end(reason: DomainError | null): void {
    this.#pending.clear();
    for (const member of [...this.members]) member.end(reason);
  }

  /** Reads a change as the caller may see it; concurrent reads of the same share the result. */
  read(change: Change): Promise<Reading | null> {
    const key = `${recordOf(change)} ${change.position ?? ''}`;
    const known = this.#reading.get(key);
    if (known) return known;
    const reading = this.#work
      .inTurn(this.caller, async () => {
        await this.#work.recheck(this.caller);
        return this.operation.read(this.caller, change);
      })
      .finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (let next = this.#next(); next; next = this.#next()) await this.#tell(next);
      for (const member of this.members) member.forget();
    } catch (error) {
      if (!(error instanceof DomainError)) this.#work.report(error);
      this.end(
        error instanceof DomainError ? error : new Unavailable('The change could not be read. Subscribe again.'),
      );
    } finally {
      this.#isRunning = false;
    }
  }

  #next(): Change | undefined {
    const [first] = this.#pending;
    if (!first || this.members.size === 0) return undefined;
    this.#pending.delete(first[0]);
    return first[1];
  }

  async #tell(change: Change): Promise<void> {
    if (change.kind === 'trace') return this.#pushTrace(change);
    const reading = await this.read(change);
    if (reading) for (const member of [...this.members]) member.hear(change, reading);
  }

  /** Sends a job's new output in chunks. */
  async #pushTrace(change: Change): Promise<void> {
    // No member needs this chunk. Reading it now would include later output, which would then count as sent.
    if (this.topic.scope !== 'job' && [...this.members].every((member) => member.joinedAfter(change))) return;
    for (;;) {
      const position = this.#offsets.get(change.id) ?? this.#startOf(change);
      if (position === undefined) return;
      const part = { ...change, position };
      const reading = await this.read(part);
      if (reading?.next !== undefined) this.#offsets.set(change.id, reading.next);
      if (reading) for (const member of [...this.members]) member.hear(part, reading);
      if (!reading?.hasMore || this.members.size === 0) return;
    }
  }

  /** The offset of a log's first chunk: that of the subscriptions to this job, else the one received. */
  #startOf({ position }: Change): number | undefined {
    const offsets = [...this.members].map(({ offset }) => offset).filter((offset) => offset !== null);
    return this.topic.scope === 'job' && offsets.length > 0 ? Math.min(...offsets) : position;
  }
}
