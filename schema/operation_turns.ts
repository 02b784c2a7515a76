import type { Measure } from '#schema/measure.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { callerOf, programOf } from '#src/access/permissions/caller.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** Operations that cost more, and introspection, occupy the event loop for tens of milliseconds. */
const LARGE = 5000;
/** So do lists below lists that can have more records together. */
const MANY = 1000;

/** Large operations run one at a time per application of a caller, and two of a caller, so that they do not delay others. */
const LARGE_OPERATION_CONCURRENCY = {
  concurrency: 4,
  perCaller: 2,
  waitingPerCaller: 20,
  waiting: 200,
  patience: 20_000,
};
const PROGRAM_CONCURRENCY = { concurrency: 224, perCaller: 1, waitingPerCaller: 20, patience: 20_000 };
/** Those of a caller that run and wait, whatever it works with, so that those of many programs leave room for others. */
const CALLER_CONCURRENCY = { concurrency: 224, perCaller: 22 };

/** Who sends an operation. */
export interface Sender {
  readonly actor: Actor | null;
  readonly clientAddress: string | null;
}

/** Runs an operation when its turn comes, by its size. */
export type InTurn = <Result>(
  sender: Sender,
  measure: Pick<Measure, 'cost' | 'records' | 'introspectionCost'>,
  run: () => Promise<Result>,
) => Promise<Result>;

/** Runs operations in fair order, large ones one by one. @param turns those of all requests */
export function operationTurns(turns: CallerSemaphore): InTurn {
  const large = new CallerSemaphore(LARGE_OPERATION_CONCURRENCY);
  const largeOfProgram = new CallerSemaphore(PROGRAM_CONCURRENCY);
  const largeOfCaller = new CallerSemaphore(CALLER_CONCURRENCY);
  return ({ actor, clientAddress }, { cost, records, introspectionCost }, run) => {
    const caller = callerOf(actor, clientAddress);
    const isLarge = cost > LARGE || introspectionCost > LARGE || records > MANY;
    if (!isLarge) return turns.run(caller, run);
    const inLargeTurn = () => largeOfProgram.run(programOf(actor, clientAddress), () => large.run(caller, run));
    return largeOfCaller.run(caller, inLargeTurn);
  };
}
