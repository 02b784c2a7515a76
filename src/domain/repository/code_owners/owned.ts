import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { matchesPattern } from '#src/base/path_pattern.ts';
import type { CodeOwners, CodeOwnersEntry, CodeOwnersSection } from '#src/domain/repository/code_owners/parse.ts';

/** An entry that says who owns something, with its section. */
export interface OwningEntry {
  section: CodeOwnersSection;
  entry: CodeOwnersEntry;
}

/** Steps of comparisons for one set of paths: characters of paths times those of patterns. With more, all entries are taken to apply. */
const MAX_STEPS = 2_000_000_000;
/** How many of them are made before other work may have its turn. */
const STEPS_PER_TURN = 500_000;

/** Counts the steps of comparisons, and lets other work have its turn between them. */
class Comparing {
  #steps = 0;

  async isMatch({ text, pattern }: CodeOwnersEntry, path: string): Promise<boolean> {
    this.#steps += text.length * path.length;
    if (this.#steps >= STEPS_PER_TURN) {
      this.#steps = 0;
      await yieldToEventLoop();
    }
    return matchesPattern(pattern, path);
  }

  async ownersOf({ sections }: CodeOwners, path: string): Promise<OwningEntry[]> {
    const found: OwningEntry[] = [];
    for (const section of sections) {
      const entry = await this.#last(section, path);
      if (entry && entry.owners.length > 0 && !(await this.#isExcluded(section, path))) found.push({ section, entry });
    }
    return found;
  }

  async #last({ entries }: CodeOwnersSection, path: string): Promise<CodeOwnersEntry | null> {
    for (let at = entries.length - 1; at >= 0; at -= 1) {
      const entry = entries[at];
      if (entry && !entry.isExclusion && (await this.isMatch(entry, path))) return entry;
    }
    return null;
  }

  async #isExcluded({ entries }: CodeOwnersSection, path: string): Promise<boolean> {
    for (const entry of entries) if (entry.isExclusion && (await this.isMatch(entry, path))) return true;
    return false;
  }
}

/** The entries that apply to a path: in each section the last that matches, unless an exclusion does. */
export function ownersOfPath(owners: CodeOwners, path: string): Promise<OwningEntry[]> {
  return new Comparing().ownersOf(owners, path);
}

/**
 * The entries that apply to any of these paths, in the order of the file; all that name owners if the paths are not all that there are, or too
 * many to look at.
 *
 * @param paths null where there are more than were read
 */
export async function ownersOfPaths(owners: CodeOwners, paths: readonly string[] | null): Promise<OwningEntry[]> {
  const entries = owners.sections.flatMap((section) => section.entries.map((entry) => ({ section, entry })));
  const all = entries.filter(({ entry }) => entry.owners.length > 0);
  const [inPatterns, inPaths] = [entries.map(({ entry }) => entry.text), paths ?? []].map((texts) =>
    texts.reduce((sum, text) => sum + text.length, 0),
  );
  if (paths === null || (inPatterns ?? 0) * (inPaths ?? 0) > MAX_STEPS) return all;
  const found = new Set<CodeOwnersEntry>();
  const comparing = new Comparing();
  for (const path of paths) for (const { entry } of await comparing.ownersOf(owners, path)) found.add(entry);
  return all.filter(({ entry }) => found.has(entry));
}
