import { setTimeout as sleep } from 'node:timers/promises';
import { authenticateAgain } from '#src/access/credentials/authenticate_again.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { Announcement } from '#src/domain/live/announcement.ts';
import {
  CHANGES,
  type Change,
  type ChangeKind,
  CURSORLESS,
  isCursorless,
  parseChange,
  reachesProjects,
  STATES,
  type StateKind,
  waitingKey,
} from '#src/domain/live/change.ts';
import { EventIds, type EventPosition, eventCursor, parseEventCursor } from '#src/domain/live/event_ids.ts';
import { ChangeFeed, type FeedWork } from '#src/domain/live/feed.ts';
import { Member } from '#src/domain/live/member.ts';
import { MAX_MISSED_CHANGES, missedEvents, missedStates, newestEvents, traceEnd } from '#src/domain/live/missed.ts';
import { placeOf, placesOf } from '#src/domain/live/places.ts';
import { type LiveCaller, type LiveOperation, ServerStops, type Sink } from '#src/domain/live/subscriber.ts';
import { type Topic, topicKey, topicsOf } from '#src/domain/live/topic.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
import type { Listener } from '#src/platform/database/listener.ts';
import { BadRequest, DomainError, Unauthenticated, Unavailable } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

export interface HubOptions {
  db: Db;
  /** Receives notifications of changes. */
  listener: Pick<Listener, 'subscribe'>;
  report(error: unknown): void;
}

/** A subscription request. */
export interface Wanted {
  topic: Topic;
  caller: LiveCaller;
  operation: LiveOperation;
  /** The cursor after which a lost subscription resumes; null to begin now. */
  after: string | null;
}

/** Reads of all callers: few at a time, besides requests, and fair between callers. */
const CONCURRENCY_LIMITS = {
  concurrency: 4,
  perCaller: 2,
  waitingPerCaller: 20_000,
  waiting: 50_000,
  patience: 120_000,
};

/** Milliseconds for which changes are collected into a batch. */
const GATHERING = 10;
/** Maximum number of collected changes. */
const MAX_COLLECTED_CHANGES = 100_000;
/** Milliseconds before retrying a failed read of the database. */
const RETRY = 500;
/** Milliseconds between two checks whether all callers are still authenticated, and callers per statement. */
const RECHECK = 15_000;
const BATCH_SIZE = 500;
/** Milliseconds for which such a check is valid for queued reads. */
const FRESH = 1_000;

/** Receives changes by any process, and has them read for those who subscribed to them. */
export class SubscriptionHub implements FeedWork {
  readonly report: (error: unknown) => void;
  readonly #db: Db;
  readonly #listener: Pick<Listener, 'subscribe'>;
  readonly #announcement: Announcement;
  readonly #turns = new CallerSemaphore(CONCURRENCY_LIMITS);
  readonly #feeds = new Map<string, ChangeFeed>();
  /** Feeds by topic. */
  readonly #topics = new Map<string, Set<ChangeFeed>>();
  /** Those of groups and viewers, which include several projects. */
  readonly #wide = new Map<string, Topic>();
  /** Callers with subscriptions, by key. */
  readonly #callers = new Map<string, { caller: LiveCaller; feeds: Set<ChangeFeed> }>();
  #gathered = new Map<string, Change>();
  #timer: NodeJS.Timeout | undefined;
  #listening: Promise<void> | undefined;
  /** Subscriptions that are being started. */
  #joining = 0;
  /** Number of job log subscriptions started so far. */
  #joins = 0;
  #stopListening: () => void = () => undefined;
  #ids: EventIds | undefined;
  /** When this process last received anything, on the clock of `performance`. */
  #heardAt = performance.now();
  readonly #rechecking: NodeJS.Timeout;
  #isStopped = false;

  constructor({ db, listener, report }: HubOptions) {
    this.#db = db;
    this.#announcement = new Announcement(db);
    this.#listener = listener;
    this.report = report;
    this.#rechecking = setInterval(() => void this.#lookAfter().catch(report), RECHECK).unref();
  }

  /**
   * Checks a subscription request.
   *
   * @returns a function that subscribes, and returns one that ends the subscription
   * @throws BadRequest if `after` is not a valid cursor of such a subscription, Unavailable if the server is stopping
   */
  prepare(wanted: Wanted): (sink: Sink) => Promise<() => void> {
    if (this.#isStopped) throw new ServerStops();
    const replay = this.#replayOf(wanted.topic, wanted.after);
    return (sink) => this.#join(wanted, replay, sink);
  }

  async #join(wanted: Wanted, replay: (feed: ChangeFeed) => Promise<Change[]>, sink: Sink): Promise<() => void> {
    const { topic, after } = wanted;
    this.#joining += 1;
    let offset: number | null;
    try {
      this.#listening ??= this.#listen();
      await this.#listening;
      offset = topic.scope === 'job' ? Number(after ?? (await traceEnd(this.#db, topic.id))) : null;
    } finally {
      this.#joining -= 1;
    }
    if (this.#isStopped) throw new ServerStops();
    const feed = this.#feedOf(wanted);
    const member = new Member(feed, sink, offset, () => this.#leave(feed, member));
    feed.members.add(member);
    if (topic.kind === 'trace') this.#joins += 1;
    const catchUp = offset !== null ? member.catchUp() : replay(feed).then((missed) => member.replay(missed));
    catchUp.catch((error) => {
      const known = error instanceof DomainError;
      if (!known) this.report(error);
      member.end(known ? error : new Unavailable('What was missed could not be read. Try again.'));
    });
    return () => member.leave();
  }

  /** Ends all subscriptions, and accepts no more. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#rechecking);
    clearTimeout(this.#timer);
    this.#stopListening();
    if (this.#listening) this.#announcement.withdraw().catch(() => undefined);
    this.#endAll(new ServerStops());
  }

  inTurn<Result>({ actor }: LiveCaller, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(callerOf(actor, null), work);
  }

  async recheck(caller: LiveCaller): Promise<void> {
    if (performance.now() - caller.checkedAt > FRESH) await this.#look([caller]);
    if (caller.checkedAt < 0) throw ended();
  }

  /** Returns a function that reads what was missed. Throws BadRequest. */
  #replayOf(topic: Topic, after: string | null): (feed: ChangeFeed) => Promise<Change[]> {
    const { kind } = topic;
    if (after === null) return async () => [];
    if (isCursorless(kind)) throw new BadRequest('This subscription has no cursor: read the records again.');
    if (kind === 'event') {
      const from = parseEventCursor(after);
      if (from)
        return async ({ caller }) => this.#numbered(await missedEvents(this.#db, topic, from, caller.actor), from);
    } else if (kind === 'trace') {
      if (topic.scope !== 'job') throw new BadRequest('`after` goes with the trace of one job.');
      if (/^\d{1,15}$/.test(after)) return async () => [];
    } else if (parseMoment(after)) {
      const since = Prisma.sql`${after}::timestamptz`;
      return ({ caller }) => missedStates(this.#db, kind, topic, since, caller.actor, after);
    }
    throw new BadRequest('`after` is not a valid cursor for this subscription.');
  }

  /** Missed events, each with the cursor after it. */
  #numbered(missed: readonly Change[], from: EventPosition): Change[] {
    const told = new Set(missed.map(({ id }) => id));
    const open = this.#ids?.position().open.filter((id) => !told.has(id)) ?? [];
    return missed.map((change, index) => {
      const after = Math.max(from.after, change.id);
      const left = change.id < after ? missed.slice(index + 1).map(({ id }) => id) : [];
      return { ...change, cursor: eventCursor({ after, open: [...open, ...left].filter((id) => id < after) }) };
    });
  }

  #feedOf({ topic, caller: given, operation }: Wanted): ChangeFeed {
    const caller = this.#callers.get(given.key)?.caller ?? given;
    const of = topicKey(topic);
    const key = feedKey(topic, caller, operation);
    const known = this.#feeds.get(key);
    if (known) return known;
    const feed = new ChangeFeed(topic, caller, operation, this);
    this.#feeds.set(key, feed);
    this.#callers.set(caller.key, { caller, feeds: (this.#callers.get(caller.key)?.feeds ?? new Set()).add(feed) });
    this.#topics.set(of, (this.#topics.get(of) ?? new Set()).add(feed));
    if (topic.scope === 'group' || topic.scope === 'viewer') this.#wide.set(of, topic);
    return feed;
  }

  #leave(feed: ChangeFeed, member: Member): void {
    const { topic, caller } = feed;
    feed.members.delete(member);
    if (feed.members.size > 0) return;
    const of = topicKey(topic);
    this.#feeds.delete(feedKey(topic, caller, feed.operation));
    const feeds = this.#topics.get(of);
    feeds?.delete(feed);
    if (feeds?.size === 0) {
      this.#topics.delete(of);
      this.#wide.delete(of);
    }
    const known = this.#callers.get(caller.key);
    known?.feeds.delete(feed);
    if (known?.feeds.size === 0) this.#callers.delete(caller.key);
  }

  #endAll(reason: DomainError, kind?: ChangeKind): void {
    for (const feed of [...this.#feeds.values()]) if (!kind || feed.topic.kind === kind) feed.end(reason);
  }

  /** Listens to the database from the first subscription on. */
  async #listen(): Promise<void> {
    let isFirst = true;
    const connected = () => {
      if (!isFirst) void this.#catchUp();
      isFirst = false;
    };
    let stop: (() => Promise<void>) | undefined;
    try {
      stop = await this.#listener.subscribe(CHANGES, (payload) => this.#heard(payload), connected);
      await this.#announcement.make();
      const ended = stop;
      this.#stopListening = () => void ended().catch(this.report);
      const { after, open } = await newestEvents(this.#db);
      this.#ids = new EventIds(after, open);
    } catch (error) {
      this.#listening = undefined;
      await stop?.().catch(() => undefined);
      throw error;
    }
  }

  #heard(payload: string): void {
    this.#heardAt = performance.now();
    const change = parseChange(payload);
    if (change) this.#gather([{ ...change, heardAt: this.#heardAt, joins: this.#joins }]);
  }

  #gather(changes: readonly Change[]): void {
    for (const change of changes) {
      const key = waitingKey(change);
      const first = this.#gathered.get(key);
      // Only the first chunk of a log counts: later ones are read with it.
      this.#gathered.set(key, first ? { ...change, position: first.position } : change);
    }
    if (this.#gathered.size > MAX_COLLECTED_CHANGES) {
      this.#gathered.clear();
      this.#endAll(new Unavailable('Too much changed at once. Subscribe again.'));
    }
    this.#timer ??= setTimeout(() => void this.#next(), GATHERING);
  }

  /** Processes the collected batch; later changes wait. */
  async #next(): Promise<void> {
    const changes = [...this.#gathered.values()].sort((one, other) => one.id - other.id);
    this.#gathered = new Map();
    for (const change of changes) if (change.kind === 'event') change.cursor = this.#ids?.seen(change.id) ?? null;
    while (!this.#isStopped) {
      try {
        await this.#tell(changes);
        break;
      } catch (error) {
        this.report(error);
        await sleep(RETRY);
      }
    }
    this.#timer = undefined;
    if (this.#gathered.size > 0) this.#gather([]);
  }

  /** Has the changes read by all subscribers who are still authenticated. */
  async #tell(changes: readonly Change[]): Promise<void> {
    const wide = [...this.#wide.values()];
    const kinds = new Set(wide.map(({ kind }) => kind));
    const wanted = changes.filter(
      (change) =>
        kinds.has(change.kind) || reachesProjects(change) || topicsOf(change).some((topic) => this.#topics.has(topic)),
    );
    if (wanted.length === 0) return;
    const users = new Set(wide.filter(({ scope }) => scope === 'viewer').map(({ id }) => id));
    const projects = new Set(
      [...this.#feeds.values()].flatMap(({ topic }) =>
        topic.scope === 'project' && isCursorless(topic.kind) ? topic.id : [],
      ),
    );
    const { places, now } = await placesOf(this.#db, wanted, { users: [...users], projects: [...projects] });
    const told: [ChangeFeed, Change][] = wanted.flatMap((change) => {
      const feeds = topicsOf(change, places.get(placeOf(change) ?? '')).flatMap((topic) => [
        ...(this.#topics.get(topic) ?? []),
      ]);
      const cursor = change.kind === 'trace' || isCursorless(change.kind) ? null : (change.cursor ?? now);
      return feeds.map((feed): [ChangeFeed, Change] => [feed, { ...change, cursor }]);
    });
    await this.#look([...new Set(told.map(([{ caller }]) => caller))]);
    for (const [feed, change] of told) if (feed.caller.checkedAt >= 0) feed.push(change);
  }

  /** Renews the announcement while there are subscriptions, and checks whether their callers are still authenticated. */
  async #lookAfter(): Promise<void> {
    await this.#listening?.catch(() => undefined);
    if (!this.#listening || this.#isStopped) return;
    if (this.#feeds.size === 0 && this.#joining === 0) {
      this.#listening = undefined;
      this.#stopListening();
      return this.#announcement.withdraw();
    }
    if (await this.#announcement.make()) await this.#catchUp();
    await this.#lookAtAll();
  }

  /** Reads changes that may have been missed while not listening. */
  async #catchUp(): Promise<void> {
    const since = Prisma.sql`now() - make_interval(secs => ${(performance.now() - this.#heardAt) / 1000})`;
    const kinds = new Set([...this.#feeds.values()].map(({ topic }) => topic.kind));
    for (const kind of CURSORLESS)
      this.#endAll(new Unavailable('Changes may have been missed. Subscribe again.'), kind);
    try {
      const position = this.#ids?.position();
      if (position) this.#gatherOrEnd('event', await missedEvents(this.#db, null, position, null));
      for (const kind of Object.keys(STATES) as StateKind[]) {
        if (kinds.has(kind)) this.#gatherOrEnd(kind, await missedStates(this.#db, kind, null, since, null));
      }
      for (const feed of this.#feeds.values()) {
        if (feed.topic.kind !== 'trace') continue;
        for (const id of feed.knownTraces) feed.push({ kind: 'trace', id, projectId: 0, cursor: null });
      }
    } catch (error) {
      this.report(error);
      this.#endAll(new Unavailable('Changes may have been missed. Subscribe again with `after`.'));
    }
  }

  #gatherOrEnd(kind: ChangeKind, missed: readonly Change[]): void {
    if (missed.length > MAX_MISSED_CHANGES)
      this.#endAll(new Unavailable('Too much changed at once. Subscribe again.'), kind);
    else this.#gather(missed.map((change) => ({ ...change, cursor: null })));
  }

  async #lookAtAll(): Promise<void> {
    await this.#look([...this.#callers.values()].map(({ caller }) => caller)).catch(this.report);
  }

  /** Ends the subscriptions of callers who are no longer authenticated. */
  async #look(callers: readonly LiveCaller[]): Promise<void> {
    const known = callers.flatMap((caller) => (caller.actor ? [{ caller, actor: caller.actor }] : []));
    for (let from = 0; from < known.length; from += BATCH_SIZE) {
      const some = known.slice(from, from + BATCH_SIZE);
      const given = some.map(({ caller: { credentials }, actor }) => ({ credentials, actor }));
      const actors = await authenticateAgain(this.#db, given);
      for (const [index, { caller }] of some.entries()) {
        const actor = actors[index];
        caller.checkedAt = actor ? performance.now() : -1;
        if (actor) caller.actor = actor;
        else for (const feed of [...(this.#callers.get(caller.key)?.feeds ?? [])]) feed.end(ended());
      }
    }
  }
}

function feedKey(topic: Topic, caller: LiveCaller, { key }: LiveOperation): string {
  return `${topicKey(topic)} ${caller.key} ${key}`;
}

function parseMoment(after: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/.test(after) && !Number.isNaN(Date.parse(after));
}

function ended(): Unauthenticated {
  return new Unauthenticated('The credential was revoked or has expired, or its user was blocked.');
}
