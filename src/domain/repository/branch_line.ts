import { AsyncLocalStorage } from 'node:async_hooks';
import { RateLimited, Unavailable } from '#src/platform/errors.ts';

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
  timer: NodeJS.Timeout;
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
  /** By branch; those with nothing that waits or goes on are left out. */
  readonly #lines = new Map<string, Waiting<Task>[]>();
  /** The branches whose turn is to come, in that order. */
  readonly #ready: string[] = [];
  readonly #users = new Map<number, number>();
  #running = 0;
  #waiting = 0;
  #bytes = 0;

  /** @param work does tasks of one branch together, and settles each of them; it never rejects */
  constructor(work: (tasks: Task[]) => Promise<void>, limits: Partial<LineLimits> = {}) {
    this.#work = work;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Has a task done when it is its turn. Throws RateLimited for a user, and Unavailable, when too much waits already. */
  add(branch: string, task: Task): void {
    const line = this.#lines.get(branch);
    const { perBranch, perUser, waiting, bytes, patience } = this.#limits;
    const ofUser = this.#users.get(task.userId) ?? 0;
    if (ofUser >= perUser) throw new RateLimited(2, `You have ${perUser} commits waiting. Try again later.`);
    if ((line?.length ?? 0) >= perBranch)
      throw new Unavailable(`${perBranch} commits wait for this branch already. Try again later.`);
    if (this.#waiting >= waiting || (this.#waiting > 0 && this.#bytes + task.bytes > bytes))
      throw new Unavailable('Too many commits are already waiting. Try again later.');
    this.#users.set(task.userId, ofUser + 1);
    this.#waiting++;
    this.#bytes += task.bytes;
    const entry = { task, timer: setTimeout(() => this.#giveUp(branch, entry), patience) };
    if (line) line.push(entry);
    else {
      this.#lines.set(branch, [entry]);
      this.#ready.push(branch);
    }
    outside(() => this.#next());
  }

  #next(): void {
    while (this.#running < this.#limits.branches) {
      const branch = this.#ready.shift();
      if (branch === undefined) return;
      const group = this.#take(branch);
      if (group.length === 0) {
        // All gave up.
        this.#lines.delete(branch);
        continue;
      }
      this.#running++;
      void this.#work(group).finally(() => {
        this.#running--;
        // Behind the other branches, as it had its turn.
        if (this.#lines.get(branch)?.length) this.#ready.push(branch);
        else this.#lines.delete(branch);
        this.#next();
      });
    }
  }

  /** The first that wait for a branch, as far as they can be done together. */
  #take(branch: string): Task[] {
    const line = this.#lines.get(branch) ?? [];
    const { count, bytes } = this.#limits.group;
    const group: Task[] = [];
    let size = 0;
    for (let first = line[0]; first !== undefined; first = line[0]) {
      const { task, timer } = first;
      size += task.bytes;
      if (group.length > 0 && (task.alone || group.length >= count || size > bytes)) break;
      line.shift();
      clearTimeout(timer);
      this.#leave(task);
      group.push(task);
      if (task.alone) break;
    }
    return group;
  }

  #giveUp(branch: string, entry: Waiting<Task>): void {
    const line = this.#lines.get(branch);
    const at = line?.indexOf(entry) ?? -1;
    if (!line || at < 0) return;
    line.splice(at, 1);
    this.#leave(entry.task);
    entry.task.reject(new Unavailable('Others have been writing to this branch for too long. Try again later.'));
  }

  #leave({ userId, bytes }: Task): void {
    const left = (this.#users.get(userId) ?? 1) - 1;
    if (left > 0) this.#users.set(userId, left);
    else this.#users.delete(userId);
    this.#waiting--;
    this.#bytes -= bytes;
  }
}
