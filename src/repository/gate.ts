/**
 * Keeps apart, in this process, the work on a repository that relies on objects to which no ref leads yet from the work that
 * removes such objects. A data directory belongs to one process.
 */
export class Gate {
  readonly #inside = new Map<number, number>();
  readonly #closed = new Map<number, Promise<void>>();

  /** Does work that relies on objects; waits while the repository is closed. */
  async pass<T>(projectId: number, work: () => Promise<T>): Promise<T> {
    for (let closed = this.#closed.get(projectId); closed; closed = this.#closed.get(projectId)) await closed;
    this.#inside.set(projectId, (this.#inside.get(projectId) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#inside.get(projectId) ?? 1) - 1;
      if (left > 0) this.#inside.set(projectId, left);
      else this.#inside.delete(projectId);
    }
  }

  /** Does work while nobody passes; returns false, without doing it, if somebody is inside or another one closed it. */
  async close(projectId: number, work: () => Promise<void>): Promise<boolean> {
    if (this.#inside.has(projectId) || this.#closed.has(projectId)) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closed.set(projectId, promise);
    try {
      await work();
      return true;
    } finally {
      this.#closed.delete(projectId);
      resolve();
    }
  }
}

/** The one of the process. */
export const gate = new Gate();
