/** How many errors are kept. */
const MOST = 20;

/** Does many pieces of work of which one that fails does not keep the others from being done. */
export class EachApart {
  readonly #errors: unknown[] = [];
  readonly #what: string;
  #failed = 0;

  /** @param what the pieces are, for the message: a plural */
  constructor(what = 'repositories') {
    this.#what = what;
  }

  /** Does the work on one after the other, whatever happens to it. */
  async run<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
    for (const item of items) {
      try {
        await work(item);
      } catch (error) {
        this.#failed++;
        if (this.#errors.length < MOST) this.#errors.push(error);
      }
    }
  }

  /** Throws AggregateError if some of it failed. */
  end(): void {
    if (this.#failed === 0) return;
    const said = this.#errors.map((error) => (error instanceof Error ? error.message : String(error)));
    throw new AggregateError(this.#errors, `${this.#failed} of the ${this.#what} failed: ${said.join('; ')}`);
  }
}
