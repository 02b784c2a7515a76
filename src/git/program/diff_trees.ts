import { availableParallelism } from 'node:os';
import { DiffTree, ProgramLate, type Trees } from './diff_tree.ts';

/** Comparisons after which a program is replaced, as its cache of trees only grows. */
const MAX_COMPARISONS_PER_PROCESS = 200;

/** Two trees to be compared. */
export interface Question extends Trees {
  /** On the clock of `performance.now()`. */
  deadline: number;
}

interface Idle {
  directory: string;
  program: DiffTree;
  timer: NodeJS.Timeout;
}

/** The `git diff-tree` programs of this process: so many at once, and idle ones for a while. */
export class DiffTreePool {
  readonly #size: number;
  readonly #idleMs: number;
  /** The one that was used least recently first. */
  readonly #idle: Idle[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  /** @param idleMs after how many idle milliseconds a program ends */
  constructor(size = Math.max(2, Math.min(4, availableParallelism())), idleMs = 15_000) {
    this.#size = size;
    this.#idleMs = idleMs;
  }

  /** How many programs there are at the moment. */
  get size(): number {
    return this.#busy + this.#idle.length;
  }

  /**
   * Lends a program for a repository to one caller, who asks it one question. With `start` it is started for that question
   * alone, else it may have answered others before, or be at this one already. Throws ProgramLate when none is free until
   * the deadline.
   */
  async lend<T>(
    directory: string,
    question: Question,
    ask: (program: DiffTree) => Promise<T>,
    start?: () => DiffTree,
  ): Promise<T> {
    await this.#turn(question.deadline);
    if (start !== undefined) this.forget(directory, question);
    const known = start === undefined ? this.#fit(directory, question) : undefined;
    if (this.size > this.#size) this.#drop(0)?.end();
    const program = known ?? start?.() ?? DiffTree.careful(directory);
    let isGood = false;
    try {
      program.hold(true);
      const answer = await ask(program);
      isGood = start === undefined && !program.ended && program.asked < MAX_COMPARISONS_PER_PROCESS;
      return answer;
    } finally {
      if (isGood) this.#rest(directory, program);
      else program.end();
      this.#busy--;
      this.#waiting.shift()?.();
    }
  }

  /** Starts a program that is likely to be asked soon, if there is room and none is idle. */
  start(directory: string): void {
    const isThere = this.#idle.some((idle) => idle.directory === directory && !idle.program.ended);
    if (!isThere && this.size < this.#size) this.#rest(directory, DiffTree.careful(directory));
  }

  /**
   * Has a program begin with a question that is likely to be asked soon, unless one has: an idle one, or a new one if there is
   * room. The caller that asks that question gets it.
   *
   * @returns the program, if there was one
   */
  prepare(directory: string, trees: Trees): DiffTree | null {
    const begun = this.#idle.find((idle) => idle.directory === directory && idle.program.hasBegun(trees));
    if (begun !== undefined) return begun.program;
    const known = this.#take(directory, isFree);
    if (known === undefined && this.size >= this.#size) return null;
    const program = known ?? DiffTree.careful(directory);
    program.begin(trees);
    this.#rest(directory, program);
    return program;
  }

  /** Ends a program that was started for a question that is not going to be asked. */
  forget(directory: string, trees: Trees): void {
    this.#take(directory, (program) => program.hasBegun(trees))?.end();
  }

  /** Ends the idle programs of a repository. */
  release(directory: string): void {
    for (let program = this.#take(directory); program !== undefined; program = this.#take(directory)) program.end();
  }

  async #turn(deadline: number): Promise<void> {
    if (performance.now() >= deadline) throw new ProgramLate('There is no time to compare');
    while (this.#busy >= this.#size) await this.#wait(deadline);
    this.#busy++;
  }

  #wait(deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          this.#waiting.splice(this.#waiting.indexOf(go), 1);
          reject(new ProgramLate('No git diff-tree was free in time'));
        },
        Math.max(0, deadline - performance.now()),
      );
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.push(go);
    });
  }

  /** An idle program that has begun with the question, or with none. */
  #fit(directory: string, question: Trees): DiffTree | undefined {
    return this.#take(directory, (program) => program.hasBegun(question)) ?? this.#take(directory, isFree);
  }

  #take(directory: string, isWanted: (program: DiffTree) => boolean = () => true): DiffTree | undefined {
    const at = this.#idle.findLastIndex(
      ({ directory: own, program }) => own === directory && !program.ended && isWanted(program),
    );
    return at < 0 ? undefined : this.#drop(at);
  }

  #rest(directory: string, program: DiffTree): void {
    program.hold(false);
    const timer = setTimeout(() => {
      this.#drop(this.#idle.findIndex((idle) => idle.program === program))?.end();
    }, this.#idleMs).unref();
    this.#idle.push({ directory, program, timer });
  }

  #drop(at: number): DiffTree | undefined {
    const [idle] = at < 0 ? [] : this.#idle.splice(at, 1);
    clearTimeout(idle?.timer);
    return idle?.program;
  }
}

/** Whether a program is at nothing. */
function isFree(program: DiffTree): boolean {
  return !program.hasBegun();
}

/** The one pool of the process. */
export const diffTrees = new DiffTreePool();
