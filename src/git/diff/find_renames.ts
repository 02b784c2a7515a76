import type { RepositoryReader } from '../reader.ts';
import { breathe } from '../turns.ts';
import type { Change } from './changes.ts';
import { contentOf, sizeOf } from './contents.ts';
import type { DiffLimits } from './limits.ts';
import { DiffAborted, diffPool } from './pool.ts';
import { exactRenames, isRegular, type Rename, type Side } from './renames.ts';

/** How many sizes are asked for at a time. */
const AT_ONCE = 200;

/** What is compared with what. */
export interface Pairing {
  old: Side | null;
  now: Side | null;
  /** In percent, if it is a rename. */
  similarity: number | null;
}

/** Pairs removed with added files where one was made of the other. The order of the changes is kept. */
export async function findRenames(
  reader: RepositoryReader,
  changes: Change[],
  limits: DiffLimits,
  deadline: number,
): Promise<Pairing[]> {
  const sources = changes.flatMap(({ old, now }) => (old !== null && now === null ? [old] : []));
  const targets = changes.flatMap(({ old, now }) => (now !== null && old === null ? [now] : []));
  const found = new Map<Side, { source: Side; similarity: number }>();
  const note = (renames: Rename[], from: Side[], to: Side[]) => {
    for (const { source, target, similarity } of renames) {
      const [old, now] = [from[source], to[target]];
      if (old !== undefined && now !== undefined) found.set(now, { source: old, similarity });
    }
  };
  note(exactRenames(sources, targets), sources, targets);
  const used = new Set([...found.values()].map(({ source }) => source));
  const left = sources.filter((side) => !used.has(side) && isRegular(side.mode));
  const right = targets.filter((side) => !found.has(side) && isRegular(side.mode));
  note(await inexact(reader, left, right, limits, deadline), left, right);
  return pair(changes, found);
}

/** The changes as they are, where there are too many to look for renames among them. */
export function withoutRenames(changes: Change[]): Pairing[] {
  return pair(changes, new Map());
}

function pair(changes: Change[], found: Map<Side, { source: Side; similarity: number }>): Pairing[] {
  const moved = new Set([...found.values()].map(({ source }) => source));
  return changes.flatMap(({ old, now }): Pairing[] => {
    const rename = now === null ? undefined : found.get(now);
    if (rename !== undefined) return [{ old: rename.source, now, similarity: rename.similarity }];
    if (old !== null && moved.has(old)) return [];
    // A file that became a link, say, is shown as removed and added.
    if (old !== null && now !== null && old.mode.slice(0, 2) !== now.mode.slice(0, 2))
      return [
        { old, now: null, similarity: null },
        { old: null, now, similarity: null },
      ];
    return [{ old, now, similarity: null }];
  });
}

async function inexact(
  reader: RepositoryReader,
  sources: Side[],
  targets: Side[],
  limits: DiffLimits,
  deadline: number,
): Promise<Rename[]> {
  if (sources.length === 0 || targets.length === 0) return [];
  const candidates = await Promise.all([small(reader, sources, limits), small(reader, targets, limits)]);
  const [left, right] = [candidates[0].list, candidates[1].list];
  if (left.length === 0 || right.length === 0 || left.length * right.length > limits.renames ** 2) return [];
  if (candidates[0].bytes + candidates[1].bytes > limits.totalBytes) return [];
  const load = (sides: Side[]) =>
    Promise.all(
      sides.map(async (side) => ({ path: side.path, content: (await contentOf(reader, side)) ?? Buffer.alloc(0) })),
    );
  const input = { sources: await load(left), targets: await load(right) };
  try {
    const renames = await diffPool.run('renames', input, Math.max(1, deadline - performance.now()));
    const at = (list: Side[], side: Side | undefined) => (side === undefined ? -1 : list.indexOf(side));
    return renames.map(({ source, target, similarity }) => ({
      source: at(sources, left[source]),
      target: at(targets, right[target]),
      similarity,
    }));
  } catch (error) {
    // Without renames the diff is still right.
    if (error instanceof DiffAborted) return [];
    throw error;
  }
}

/** Those of a size that is compared. Empty files are renamed only as exact copies. */
async function small(reader: RepositoryReader, sides: Side[], limits: DiffLimits) {
  const sizes: number[] = [];
  for (let at = 0; at < sides.length; at += AT_ONCE) {
    await breathe();
    sizes.push(...(await Promise.all(sides.slice(at, at + AT_ONCE).map((side) => sizeOf(reader, side)))));
  }
  const fits = (at: number) => (sizes[at] ?? 0) > 0 && (sizes[at] ?? 0) <= limits.fileBytes;
  const list = sides.filter((_, at) => fits(at));
  return { list, bytes: sizes.reduce((sum, size, at) => sum + (fits(at) ? size : 0), 0) };
}
