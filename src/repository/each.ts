/** How many errors are kept. */
const MOST = 20;

/** Does work on many repositories: one that is damaged does not keep it from the others. */
export class EachApart {
  readonly #errors: unknown[] = [];
  #failed = 0;

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
    throw new AggregateError(this.#errors, `${this.#failed} repositories: ${said.join('; ')}`);
  }
}
