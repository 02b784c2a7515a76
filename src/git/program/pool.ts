import { ProgramFailed } from '../base/errors.ts';
import { CatFile } from './cat_file.ts';

interface Member {
  program: CatFile;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Long-lived `git cat-file` programs, one a repository and a bounded number in all. Idle ones end after a while, or when
 * their place is needed.
 */
export class CatFilePool {
  readonly #size: number;
  readonly #idleMs: number;
  /** By directory, the one that was used least recently first. */
  readonly #members = new Map<string, Member>();
  readonly #waiting: (() => void)[] = [];

  /** @param idleMs after how many idle milliseconds a program ends */
  constructor(size = 12, idleMs = 15_000) {
    this.#size = size;
    this.#idleMs = idleMs;
  }

  /** How many programs there are at the moment. */
  get size(): number {
    return this.#members.size;
  }

  /** Asks the program of a repository, once more if it ended meanwhile. Waits for a place if all are busy. */
  async ask<T>(directory: string, question: (program: CatFile) => Promise<T>): Promise<T> {
    try {
      return await this.#ask(directory, question);
    } catch (error) {
      if (!(error instanceof ProgramFailed)) throw error;
      return this.#ask(directory, question);
    }
  }

  /** Ends the program of a repository, if there is one, once it has answered what it was asked. */
  release(directory: string): void {
    const member = this.#members.get(directory);
    if (member === undefined) return;
    clearTimeout(member.timer);
    this.#members.delete(directory);
    member.program.end();
    this.#waiting.shift()?.();
  }

  async #ask<T>(directory: string, question: (program: CatFile) => Promise<T>): Promise<T> {
    // Nothing may come between the choice and the question: until it is asked a program looks idle, and may be ended for others.
    for (;;) {
      const program = this.#place(directory);
      if (program !== null) return question(program);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #place(directory: string): CatFile | null {
    const known = this.#members.get(directory);
    if (known !== undefined && !known.program.ended) return this.#use(directory, known);
    return this.#members.size < this.#size || this.#evict() ? this.#start(directory) : null;
  }

  #use(directory: string, member: Member): CatFile {
    clearTimeout(member.timer);
    this.#members.delete(directory);
    this.#members.set(directory, member);
    member.timer = setTimeout(() => this.#rest(directory, member), this.#idleMs).unref();
    return member.program;
  }

  #start(directory: string): CatFile {
    const program = new CatFile(directory);
    const member: Member = { program, timer: undefined };
    program.onIdle = () => this.#waiting.shift()?.();
    program.onEnd = () => {
      if (this.#members.get(directory) === member) this.release(directory);
    };
    return this.#use(directory, member);
  }

  #rest(directory: string, member: Member): void {
    if (member.program.idle) this.release(directory);
    else this.#use(directory, member);
  }

  #evict(): boolean {
    for (const [directory, { program }] of this.#members) {
      if (!program.idle) continue;
      this.release(directory);
      return true;
    }
    return false;
  }
}

/** The one pool of the process. */
export const catFiles = new CatFilePool();
