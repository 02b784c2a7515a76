import { AsyncLocalStorage } from 'node:async_hooks';
import { RateLimited, Unavailable } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { KeyedWorkQueue } from '#src/platform/limits/keyed_work_queue.ts';

/** What waits to be done to one branch. */
export interface LineTask {
  /** The user who wants it. */
  userId: number;
  /** What it keeps in memory, in bytes. */
  bytes: number;
  /** Whether it is done apart from others: it takes longer. */
  alone: boolean;
  reject(error: unknown): void;
}

/** Bounds of what waits in this process. */
export interface LineLimits {
  /** How much waits for one branch, of one user, and in all. */
  perBranch: number;
  perUser: number;
  waiting: number;
  /** What all that waits keeps in memory, in bytes. */
  bytes: number;
  /** Milliseconds that one waits at most. */
  patience: number;
  /** On how many branches work goes on at once: each takes a connection to the database, which others need too. */
  branches: number;
  /** How much is done in one turn, in number and bytes. */
  group: { count: number; bytes: number };
}

const LIMITS: LineLimits = {
  perBranch: 500,
  perUser: 200,
  waiting: 2_000,
  bytes: 256 * 1024 * 1024,
  patience: 20_000,
  branches: 5,
  group: { count: 16, bytes: 16 * 1024 * 1024 },
};

interface Waiting<Task> {
  task: Task;
  /** Ends its wait. */
  leave(): void;
}

/** Work in a line serves many requests: it counts against the budget of none. */
const outside = AsyncLocalStorage.snapshot();

/**
 * What waits to be done to branches, in this process: to each branch first come, first served, several at a time where they
 * can be done together; among branches by turns. Who waits needs no connection to the database.
 */
export class BranchLines<Task extends LineTask> {
  readonly #limits: LineLimits;
  readonly #work: (tasks: Task[]) => Promise<void>;
  /** By branch; those whose turn neither is to come nor goes on are left out. */
  readonly #lines = new Map<string, Waiting<Task>[]>();
  readonly #branches: KeyedWorkQueue<string>;
  readonly #room: CallerSemaphore;

  /** @param work does tasks of one branch together, and settles each of them; it never rejects */
  constructor(work: (tasks: Task[]) => Promise<void>, limits: Partial<LineLimits> = {}) {
    this.#work = work;
    this.#limits = { ...LIMITS, ...limits };
    const { branches, waiting, perUser, bytes } = this.#limits;
    this.#branches = new KeyedWorkQueue(
      branches,
      (branch) => this.#turn(branch),
      () => undefined,
    );
    this.#room = new CallerSemaphore({ concurrency: waiting, perCaller: perUser, bytes }, (limit) =>
      limit === 'own'
        ? new RateLimited(2, `You have ${perUser} commits waiting. Try again later.`)
        : new Unavailable('Too many commits are already waiting. Try again later.'),
    );
  }

  /** Has a task done when it is its turn. Throws RateLimited for a user, and Unavailable, when too much waits already. */
  add(branch: string, task: Task): void {
    const line = this.#lines.get(branch) ?? [];
    const { perBranch, patience } = this.#limits;
    if (line.length >= perBranch)
      throw new Unavailable(`${perBranch} commits wait for this branch already. Try again later.`);
    const release = this.#room.takeNow(`user ${task.userId}`, { bytes: task.bytes });
    const timer = setTimeout(() => {
      line.splice(line.indexOf(entry), 1);
      release();
      task.reject(new Unavailable('Others have been writing to this branch for too long. Try again later.'));
    }, patience);
    const leave = () => {
      clearTimeout(timer);
      release();
    };
    const entry: Waiting<Task> = { task, leave };
    line.push(entry);
    if (this.#lines.has(branch)) return;
    this.#lines.set(branch, line);
    outside(() => this.#branches.add(branch));
  }

  async #turn(branch: string): Promise<void> {
    const group = this.#take(branch);
    if (group.length > 0) await this.#work(group);
    // Behind the other branches, as it had its turn.
    if (this.#lines.get(branch)?.length) this.#branches.add(branch);
    else this.#lines.delete(branch);
  }

  /** The first that wait for a branch, as far as they can be done together. */
  #take(branch: string): Task[] {
    const line = this.#lines.get(branch) ?? [];
    const { count, bytes } = this.#limits.group;
    const group: Task[] = [];
    let size = 0;
    for (let first = line[0]; first !== undefined; first = line[0]) {
      const { task, leave } = first;
      size += task.bytes;
      if (group.length > 0 && (task.alone || group.length >= count || size > bytes)) break;
      line.shift();
      leave();
      group.push(task);
      if (task.alone) break;
    }
    return group;
  }
}
