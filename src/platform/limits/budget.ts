import { AsyncLocalStorage } from 'node:async_hooks';
import { TooExpensive, Unavailable } from '../errors.ts';

/** What one operation may use of the database, however it came in. */
export interface BudgetLimits {
  /** Milliseconds from its start to its end. */
  milliseconds: number;
  statements: number;
  /** Records read, those within JSON included. */
  rows: number;
  /** Of the JSON that records come as. */
  bytes: number;
}

/** Generous for whatever the REST API and sensible documents ask for: a list takes a few statements. */
export const DEFAULT_BUDGET: BudgetLimits = {
  milliseconds: 30_000,
  statements: 500,
  rows: 50_000,
  bytes: 64 * 1024 * 1024,
};

/** A list of an operation whose records are not all counted. */
export interface CountedList {
  /** The keys that lead to it in the result. */
  at: readonly string[];
  /** One more stands for any number above. */
  upTo: number;
}

/**
 * Counts what an operation uses. Once it is over a limit, `signal` is aborted, its running statements are cancelled, and
 * every further one is refused; `exceeded` is the error that says which limit it was.
 */
export class Budget implements Disposable {
  readonly #limits: BudgetLimits;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #statements = 0;
  #rows = 0;
  #bytes = 0;

  /** Whether a client wrote the operation, who may write any number of them. */
  readonly isForeign: boolean;
  /** The list that is counted only so far. */
  readonly counted: CountedList | undefined;

  constructor(
    limits: BudgetLimits = DEFAULT_BUDGET,
    { isForeign = false, counted }: { isForeign?: boolean; counted?: CountedList | undefined } = {},
  ) {
    this.#limits = limits;
    this.isForeign = isForeign;
    this.counted = counted;
    const late = () => this.#end(new Unavailable(`The operation took longer than ${limits.milliseconds / 1000} s.`));
    this.#timer = setTimeout(late, limits.milliseconds).unref();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get exceeded(): TooExpensive | Unavailable | null {
    return this.#controller.signal.aborted ? (this.#controller.signal.reason as TooExpensive | Unavailable) : null;
  }

  /** Counts one statement that is about to run. Throws TooExpensive or Unavailable. */
  spendStatement(): void {
    this.#statements++;
    this.#require(this.#statements, 'statements', 'database statements');
  }

  /** Counts records that were read. Throws TooExpensive or Unavailable. */
  spendRows(count: number): void {
    this.#rows += count;
    this.#require(this.#rows, 'rows', 'records');
  }

  /** Counts bytes of records that were read. Throws TooExpensive or Unavailable. */
  spendBytes(count: number): void {
    this.#bytes += count;
    this.#require(this.#bytes, 'bytes', 'bytes');
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #require(used: number, limit: 'statements' | 'rows' | 'bytes', unit: string): void {
    const most = this.#limits[limit];
    if (used > most) {
      const message = `The operation needs more than ${most} ${unit}. Ask for less at once.`;
      this.#end(new TooExpensive(message, { kind: limit === 'rows' ? 'records' : limit, limit: most, used }));
    }
    this.#controller.signal.throwIfAborted();
  }

  #end(reason: TooExpensive | Unavailable): void {
    if (!this.#controller.signal.aborted) this.#controller.abort(reason);
  }
}

const storage = new AsyncLocalStorage<Budget>();

/** Runs work whose statements count against the budget, however deep they are. */
export function within<Result>(budget: Budget, work: () => Result): Result {
  return storage.run(budget, work);
}

/** The budget of what runs now; background work has none. */
export function currentBudget(): Budget | undefined {
  return storage.getStore();
}
