import type { JobHandlers, JobName, JobQueue, Jobs } from '#src/platform/background/queue.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** Keeps the jobs that commands leave until they are asked for: the sample data is the same each time, so nobody works beside. */
export class LaterJobs implements JobQueue {
  #wanted: ((handlers: JobHandlers) => Promise<void>)[] = [];

  async enqueue<Name extends JobName>(_tx: Transaction, name: Name, data: Jobs[Name]): Promise<void> {
    this.#wanted.push((handlers) => handlers[name](data, this));
  }

  /** Does what was left so far, in its order. */
  async work(handlers: JobHandlers): Promise<void> {
    for (let next = this.#wanted.shift(); next; next = this.#wanted.shift()) await next(handlers);
  }
}
