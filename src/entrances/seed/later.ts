import type { JobHandlers, JobName, JobQueue, Jobs } from '#src/platform/background/queue.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** Keeps enqueued jobs until `work` is called: no worker runs concurrently, so the sample data is the same each time. */
export class LaterJobs implements JobQueue {
  #wanted: ((handlers: JobHandlers) => Promise<void>)[] = [];

  async enqueue<Name extends JobName>(_tx: Transaction, name: Name, data: Jobs[Name]): Promise<void> {
    this.#wanted.push((handlers) => handlers[name](data, this));
  }

  /** Runs the jobs enqueued so far, in order. */
  async work(handlers: JobHandlers): Promise<void> {
    for (let next = this.#wanted.shift(); next; next = this.#wanted.shift()) await next(handlers);
  }
}
