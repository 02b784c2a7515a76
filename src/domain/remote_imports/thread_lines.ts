import type { DiffPosition, KeptLine } from '#src/domain/tracking/discussions/position.ts';
import { findInDiff } from '#src/domain/tracking/discussions/position.ts';
import { GitError, isLimit } from '#src/git/base/errors.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { type DiffEntry, diffTrees } from '#src/git/diff/diff.ts';
import { DomainError } from '#src/platform/errors.ts';

/** Reads the lines of diffs that threads are on. What was compared last is kept: the threads of a merge request come one after another. */
export class ThreadLines {
  readonly #reader: RepositoryReader | null;
  #compared = '';
  #entries: readonly DiffEntry[] = [];

  constructor(reader: RepositoryReader | null) {
    this.#reader = reader;
  }

  /** The lines up to that of a thread; null where the repository does not have them, or the thread is on a file. */
  async of(position: DiffPosition): Promise<KeptLine[] | null> {
    if ((position.positionType ?? 'text') !== 'text') return null;
    try {
      const { lines } = findInDiff(await this.#diff(position), position);
      return lines.length === 0 ? null : lines;
    } catch (error) {
      if (error instanceof GitError || error instanceof DomainError || isLimit(error, 'work')) return null;
      throw error;
    }
  }

  async #diff({ baseSha, startSha, headSha }: DiffPosition): Promise<readonly DiffEntry[]> {
    const [from, compared] = [baseSha ?? startSha, `${baseSha ?? startSha} ${headSha}`];
    if (this.#reader === null) return [];
    if (compared === this.#compared) return this.#entries;
    // What cannot be compared is not tried again for each of its threads.
    this.#compared = compared;
    this.#entries = [];
    const known = await Promise.all([this.#reader.commit(from), this.#reader.commit(headSha)]);
    if (known.every((commit) => commit !== null)) {
      this.#entries = (await diffTrees(this.#reader, from, headSha)).entries;
    }
    return this.#entries;
  }
}
