import crypto from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Bodies } from '#src/domain/webhooks/bodies.ts';
import { BATCH, dueHooks, keepHooks, type NextDelivery, releaseHook, takeHook } from '#src/domain/webhooks/outbox.ts';
import { bodyOf, type EventToSend, requestFor, type Stores } from '#src/domain/webhooks/request.ts';
import { type Outcome, send, unsent } from '#src/domain/webhooks/send.ts';
import { settleAttempt } from '#src/domain/webhooks/settle.ts';
import { tellIntegration } from '#src/domain/webhooks/tell_integration.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Listener } from '#src/platform/database/listener.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { KeyedWorkQueue } from '#src/platform/limits/keyed_work_queue.ts';
import { allowedHosts } from '#src/platform/outbound/hook_url.ts';
import { filledTemplate, TemplateFailed } from '#src/platform/outbound/json_template.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Delivers what is due. Processes that deliver are also notified of new deliveries. */
    'hooks.deliver': Record<string, never>;
  }
}

/** What notifies of deliveries, and where jobs are enqueued. */
export interface Surrounding {
  listener: Listener;
  jobs: JobQueue;
}

/** The channel on which the database announces hooks with new deliveries. */
const CHANNEL = 'gantry_hook_deliveries';
/** How many hooks are delivered to concurrently, how many more whose last attempt failed, and how many whose receiver is slow. */
const HEALTHY_CONCURRENCY = 64;
const FAILING_CONCURRENCY = 32;
/** Milliseconds from which on an answer is slow, and how many receivers are remembered for it. */
const SLOW = 1_000;
const SLOW_CONCURRENCY = 64;
const MAX_REMEMBERED = 10_000;
/** How many hooks at most have left their slot to others, as they take that long. */
const MAX_OUTSIDE = 256;
/** How many of these use the database concurrently: most connections are for requests. */
const STATEMENTS = { concurrency: 2, waitingPerCaller: Number.POSITIVE_INFINITY };
/** Milliseconds between two checks for deliveries of dead processes, and between two heartbeats of this one. */
const SWEEP = 10_000;
const HEARTBEAT = 5_000;
/** Milliseconds that running deliveries have to end; unfinished ones are sent again. */
const SHUTDOWN_GRACE = 5_000;

/**
 * Delivers events to hooks: per hook sequentially, in order, by one process at a time. A failed delivery delays later ones of its
 * hook only: neither failing hooks nor those whose receivers are slow take the slots of the others.
 */
export class HookDeliveries {
  readonly #options: Omit<Attempting, 'jobs'>;
  readonly #worker = crypto.randomUUID();
  readonly #healthy: KeyedWorkQueue<number>;
  readonly #failing: KeyedWorkQueue<number>;
  readonly #slow: KeyedWorkQueue<number>;
  /** Hooks whose last answer was slow. */
  readonly #slowHooks = new Set<number>();
  readonly #held = new Set<number>();
  /** What hooks that have left their slot still wait for. */
  readonly #outside = new Set<Promise<void>>();
  readonly #statements = new CallerSemaphore(STATEMENTS);
  readonly #bodies: Bodies;
  readonly #timers = new Set<NodeJS.Timeout>();
  #jobs: JobQueue | undefined;
  #stopped = false;
  #end: (() => Promise<void>) | undefined;

  constructor(options: Omit<Attempting, 'jobs'>) {
    this.#options = options;
    const { report } = options;
    this.#bodies = new Bodies((event) => this.#ask(() => bodyOf(options, event)));
    this.#healthy = new KeyedWorkQueue(HEALTHY_CONCURRENCY, (hookId) => this.#serveInSlot(hookId), report);
    this.#failing = new KeyedWorkQueue(FAILING_CONCURRENCY, (hookId) => this.#serve(hookId, true), report);
    this.#slow = new KeyedWorkQueue(SLOW_CONCURRENCY, (hookId) => this.#serve(hookId, false), report);
  }

  /** Starts delivering existing and new deliveries. */
  async start({ listener, jobs }: Surrounding): Promise<void> {
    this.#jobs = jobs;
    const sweep = () => void this.sweep().catch(this.#options.report);
    this.#every(SWEEP, sweep);
    this.#every(HEARTBEAT, () => {
      if (this.#held.size === 0) return;
      keepHooks(this.#options.db, [...this.#held], this.#worker).catch(this.#options.report);
    });
    const heard = (payload: string) => {
      if (payload === '') sweep();
      else for (const id of payload.split(' ')) this.#add(Number(id));
    };
    this.#end = await listener.subscribe(CHANNEL, heard, sweep);
    sweep();
  }

  /** Looks for hooks with pending deliveries. Does nothing before the start. */
  async sweep(): Promise<void> {
    if (this.#stopped || !this.#jobs) return;
    for (const { hookId, isFailing } of await dueHooks(this.#options.db)) {
      if (isFailing) this.#failing.add(hookId);
      else this.#add(hookId);
    }
  }

  /** Stops after the running deliveries; the rest is left to others, or the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#end?.();
    const queues = [this.#healthy, this.#slow, this.#failing];
    const ended = Promise.all([...queues.map((queue) => queue.stop()), ...this.#outside]);
    await Promise.race([ended, sleep(SHUTDOWN_GRACE, undefined, { ref: false })]);
  }

  /** Serves a hook that does not fail, as soon as there is a slot for its kind. */
  #add(hookId: number): void {
    (this.#slowHooks.has(hookId) ? this.#slow : this.#healthy).add(hookId);
  }

  /** Remembers whether the receiver of a hook is slow; whether that is news. */
  #judge(hookId: number, isSlow: boolean): boolean {
    if (this.#slowHooks.has(hookId) === isSlow) return false;
    if (!isSlow) return this.#slowHooks.delete(hookId);
    if (this.#slowHooks.size >= MAX_REMEMBERED) return false;
    this.#slowHooks.add(hookId);
    return true;
  }

  /** Serves a hook that does not fail until that is done, or has taken so long that others shall have the slot: it then goes on outside. */
  async #serveInSlot(hookId: number): Promise<void> {
    const ended = new AbortController();
    const served = this.#serve(hookId, false).finally(() => ended.abort());
    const isLate = await sleep(SLOW, true, { signal: ended.signal, ref: false }).catch(() => false);
    if (!isLate || this.#stopped || this.#outside.size >= MAX_OUTSIDE) return served;
    const outside = served.catch(this.#options.report).finally(() => this.#outside.delete(outside));
    this.#outside.add(outside);
  }

  /** Delivers a hook's pending deliveries until one fails, or is the first slow one. New ones are announced, and served in a later turn. */
  async #serve(hookId: number, isFailing: boolean): Promise<void> {
    const { db } = this.#options;
    const jobs = this.#jobs;
    if (this.#stopped || !jobs) return;
    const batch = await this.#ask(() => takeHook(db, hookId, this.#worker, isFailing));
    if (batch === null) return;
    this.#held.add(hookId);
    let isFree = false;
    let isSlow = this.#slowHooks.has(hookId);
    try {
      for (const delivery of batch) {
        const { headers, outcome } = await attempt({ ...this.#options, jobs }, delivery, (event) =>
          this.#bodies.of(event),
        );
        const made = { hookId, deliveryId: delivery.id, headers, outcome };
        const holder = { worker: this.#worker, isLast: delivery === batch.at(-1) };
        const { retryIn, isHeld } = await this.#ask(() => settleAttempt({ db, jobs }, made, holder));
        if (retryIn !== null) return this.#later(hookId, retryIn);
        isFree = holder.isLast && outcome.succeeded;
        const wasSlow = isSlow;
        isSlow = outcome.duration >= SLOW;
        if (isFree || (isSlow && !wasSlow)) break;
        if (!isHeld || this.#stopped) return;
      }
    } finally {
      this.#held.delete(hookId);
      if (!isFree) await this.#ask(() => releaseHook(db, hookId, this.#worker));
    }
    // There may be more, and announcements were ignored while it failed, or went to the queue that it leaves.
    const isMoved = this.#judge(hookId, isSlow);
    if (isFailing || isMoved || !isFree || batch.length === BATCH) this.#add(hookId);
  }

  #ask<T>(question: () => Promise<T>): Promise<T> {
    return this.#statements.run('', question);
  }

  #later(hookId: number, milliseconds: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#failing.add(hookId);
    }, milliseconds + 100);
    timer.unref();
    this.#timers.add(timer);
  }

  #every(milliseconds: number, work: () => void): void {
    const timer = setInterval(work, milliseconds);
    timer.unref();
    this.#timers.add(timer);
  }
}

/** What an attempt needs. */
export type Attempting = Stores & { imports: ImportSettings; jobs: JobQueue; report(error: unknown): void };

/** Attempts one delivery. A request that cannot be built counts as failed. */
export async function attempt(
  options: Attempting,
  { receiver, event }: Pick<NextDelivery, 'receiver' | 'event'>,
  makeBody: (event: EventToSend) => Promise<string> = (event) => bodyOf(options, event),
): Promise<{ headers: Record<string, string> | null; outcome: Outcome }> {
  const failed = (error: string) => ({ headers: null, outcome: unsent(error) });
  try {
    const payload = await makeBody(event);
    const { customWebhookTemplate: template, integration } = receiver;
    if (integration) return await tellIntegration(options, integration, event, payload);
    const body = template === null ? payload : filledTemplate(template, payload);
    const request = requestFor(receiver, event, { body, secret: options.secret, now: new Date() });
    if (request === null) return failed('The URL is not valid.');
    return {
      headers: request.shown,
      outcome: await send(request.sending, { ...options.imports, webhookHosts: await allowedHosts(options) }),
    };
  } catch (error) {
    if (error instanceof TemplateFailed) return failed(error.message);
    options.report(error);
    return failed('The request could not be made.');
  }
}
