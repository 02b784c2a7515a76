import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { isMap, type Raw } from '#src/domain/ci/pipelines/config/base/values.ts';

/** Entries of maps that all merges of a configuration may copy together. */
const MAX_MERGED_ENTRIES = 500_000;

/** Merges maps of one configuration. */
export class Merger {
  #left = MAX_MERGED_ENTRIES;

  /** Both maps in one: the later entries win, maps are merged in turn, and anything else is replaced. Throws InvalidConfig. */
  merge(earlier: Raw, later: Raw): Raw {
    const keys = Object.keys(later);
    this.#left -= keys.length + Object.keys(earlier).length;
    if (this.#left < 0) throw new InvalidConfig('The configuration is too large');
    const merged: Raw = Object.assign(Object.create(null), earlier);
    for (const key of keys) {
      const [before, value] = [merged[key], later[key]];
      merged[key] = isMap(before) && isMap(value) ? this.merge(before, value) : value;
    }
    return merged;
  }
}
