import type { ReadBackup } from './input.ts';
import type { Elsewhere, Link, Sum } from './manifest.ts';

/** Immutable files in earlier backups, which are not copied again. */
export class Known {
  readonly #files = new Map<string, Elsewhere>();
  readonly #taken: Elsewhere[] = [];
  /** The backups that contain them, latest first. */
  readonly links: readonly Link[];

  /** @param earlier the backup to build on, with its file name; without one, no files are known */
  constructor(earlier?: ReadBackup & { name: string }) {
    if (!earlier) {
      this.links = [];
      return;
    }
    const { id, createdAt } = earlier.head;
    this.links = [{ id, name: earlier.name, createdAt }, ...earlier.head.earlier];
    for (const sum of earlier.manifest.sums) if (isConstant(sum)) this.#files.set(sum.path, { ...sum, in: id });
    for (const file of earlier.manifest.elsewhere) this.#files.set(file.path, file);
  }

  /** Whether an earlier backup contains exactly this file; if so, it is recorded as needed. */
  take(path: string, size: number, tag?: string): boolean {
    const file = this.#files.get(path);
    if (!file || file.size !== size || file.tag !== tag) return false;
    this.#taken.push(file);
    return true;
  }

  /** The files that were found in earlier backups. */
  get taken(): Elsewhere[] {
    return this.#taken;
  }
}

function isConstant({ path, tag }: Sum): boolean {
  return tag !== undefined || /^(uploads|artifacts|packages|pages|containers|traces)\//.test(path);
}
