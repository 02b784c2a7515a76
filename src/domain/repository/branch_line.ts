import { AsyncLocalStorage } from 'node:async_hooks';
import { RateLimited, Unavailable } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { KeyedWorkQueue } from '#src/platform/limits/keyed_work_queue.ts';

/** A task that waits for a branch. */
export interface LineTask {
  /** The user who requested it. */
  userId: number;
  /** Memory that it holds, in bytes. */
  bytes: number;
  /** Whether it runs by itself, as it takes longer. */
  alone: boolean;
  reject(error: unknown): void;
}

/** Limits of waiting tasks in this process. */
export interface LineLimits {
  /** Waiting tasks per branch, per user, and in all. */
  perBranch: number;
  perUser: number;
  waiting: number;
  /** Memory of all waiting tasks, in bytes. */
  bytes: number;
  /** Maximum waiting time in milliseconds. */
  patience: number;
  /** Number of branches worked on concurrently: each takes a connection to the database, which others need too. */
  branches: number;
  /** Maximum number and bytes of tasks in one group. */
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

/** A group serves many requests, so its work counts against none of their budgets. */
const outside = AsyncLocalStorage.snapshot();

/**
 * Queues tasks on branches within this process: first come, first served per branch, in groups where possible; round-robin among
 * branches. Waiting tasks need no database connection.
 */
export class BranchLines<Task extends LineTask> {
  readonly #limits: LineLimits;
  readonly #work: (tasks: Task[]) => Promise<void>;
  /** Tasks by branch, for branches that have or wait for a turn. */
  readonly #lines = new Map<string, Waiting<Task>[]>();
  readonly #branches: KeyedWorkQueue<string>;
  readonly #room: CallerSemaphore;

  /** @param work runs tasks of one branch together, and settles each of them; it never rejects */
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

  /** Queues a task. Throws RateLimited for a user, and Unavailable, if too many are waiting. */
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
    // Back to the end of the queue.
    if (this.#lines.get(branch)?.length) this.#branches.add(branch);
    else this.#lines.delete(branch);
  }

  /** The first waiting tasks of a branch, as far as they can run together. */
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
