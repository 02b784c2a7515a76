import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { RateLimited } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

type Caller = Pick<Context, 'actor' | 'clientAddress' | 'answer'>;

/** Concurrent requests with such work: each takes CPU time and memory of this process. */
const LIMITS = { concurrency: 6, perCaller: 2, anonymous: 4, waitingPerCaller: 200, patience: 20_000 };
const semaphore = new CallerSemaphore(LIMITS, busy);

/** The share of a response, and its latest work. */
interface Held {
  share: Promise<() => void>;
  last: Promise<unknown>;
}

const held = new WeakMap<NonNullable<Context['answer']>, Held>();

/**
 * Runs work that walks trees, compares contents or puts large content into a response, when the caller's turn comes. A request
 * does its work sequentially, and keeps its slot until its response is sent, which bounds its memory. Nothing is done for
 * disconnected clients. Throws RateLimited.
 */
export async function withEffort<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
  const { answer } = caller;
  if (!answer) {
    const release = await take(caller);
    return work().finally(release);
  }
  const mine = held.get(answer) ?? hold(caller, answer);
  const turn = mine.last.then(async () => {
    await mine.share;
    if (answer.destroyed) throw busy();
    return work();
  });
  mine.last = turn.catch(() => undefined);
  return turn;
}

function hold(caller: Caller, answer: NonNullable<Context['answer']>): Held {
  const mine: Held = { share: take(caller), last: Promise.resolve() };
  held.set(answer, mine);
  mine.share.then(
    (release) => (answer.destroyed ? release() : answer.once('close', release)),
    () => undefined,
  );
  return mine;
}

function take({ actor, clientAddress }: Caller): Promise<() => void> {
  return semaphore.take(callerOf(actor, clientAddress), { isAnonymous: actor === null });
}

function busy(): RateLimited {
  return new RateLimited(10, 'You have too many large requests under way. Try again later.');
}
