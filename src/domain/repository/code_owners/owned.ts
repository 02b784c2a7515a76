import { yieldToEventLoop } from '#src/base/event_loop.ts';
import type { CodeOwners, CodeOwnersEntry, CodeOwnersSection } from '#src/domain/repository/code_owners/parse.ts';
import { matchesPattern } from '#src/domain/repository/code_owners/pattern.ts';

/** An entry that says who owns something, with its section. */
export interface OwningEntry {
  section: CodeOwnersSection;
  entry: CodeOwnersEntry;
}

/** Comparisons of a path with a pattern for one set of paths; with more, all entries are taken to apply. */
const MAX_COMPARISONS = 2_000_000;
/** How many of them are made in one turn of the event loop. */
const BATCH_SIZE = 20_000;

/** The entries that apply to a path: in each section the last that matches, unless an exclusion does. */
export function ownersOfPath({ sections }: CodeOwners, path: string): OwningEntry[] {
  return sections.flatMap((section) => {
    const entry = section.entries.findLast((one) => !one.isExclusion && matchesPattern(one.pattern, path));
    if (!entry || entry.owners.length === 0) return [];
    const isExcluded = section.entries.some((one) => one.isExclusion && matchesPattern(one.pattern, path));
    return isExcluded ? [] : [{ section, entry }];
  });
}

/**
 * The entries that apply to any of these paths, in the order of the file; all that name owners if the paths are not all that there are, or too
 * many to look at.
 *
 * @param paths null where there are more than were read
 */
export async function ownersOfPaths(owners: CodeOwners, paths: readonly string[] | null): Promise<OwningEntry[]> {
  const all = owners.sections.flatMap((section) =>
    section.entries.filter((entry) => entry.owners.length > 0).map((entry) => ({ section, entry })),
  );
  const count = owners.sections.reduce((sum, { entries }) => sum + entries.length, 0);
  if (paths === null || paths.length * count > MAX_COMPARISONS) return all;
  const found = new Set<CodeOwnersEntry>();
  let compared = 0;
  for (const path of paths) {
    for (const { entry } of ownersOfPath(owners, path)) found.add(entry);
    compared += count;
    if (compared < BATCH_SIZE) continue;
    compared = 0;
    await yieldToEventLoop();
  }
  return all.filter(({ entry }) => found.has(entry));
}
