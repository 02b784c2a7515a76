/** Maximum number of errors that are kept. */
const MAX_ERRORS = 20;

/** Runs many tasks, all of them even if some fail. */
export class ErrorCollector {
  readonly #errors: unknown[] = [];
  readonly #what: string;
  #failed = 0;

  /** @param what plural noun for the tasks, used in the error message */
  constructor(what = 'repositories') {
    this.#what = what;
  }

  /** Runs the work for each item in order, even if it fails for some. */
  async run<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
    for (const item of items) {
      try {
        await work(item);
      } catch (error) {
        this.#failed++;
        if (this.#errors.length < MAX_ERRORS) this.#errors.push(error);
      }
    }
  }

  /** Throws AggregateError if some of them failed. */
  end(): void {
    if (this.#failed === 0) return;
    const said = this.#errors.map((error) => (error instanceof Error ? error.message : String(error)));
    throw new AggregateError(this.#errors, `${this.#failed} of the ${this.#what} failed: ${said.join('; ')}`);
  }
}
