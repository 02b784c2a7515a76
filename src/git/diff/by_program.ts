import { type Comparison, unpaired } from '../base/comparison.ts';
import { ProgramFailed } from '../base/errors.ts';
import type { Oid } from '../base/model.ts';
import type { Change, Side } from '../base/side.ts';
import { DiffTree, ProgramLate, RENAMES } from '../program/diff_tree.ts';
import { diffTrees } from '../program/diff_trees.ts';
import { withExactRenames } from './exact_renames.ts';
import { DiffOutput } from './output.ts';
import { Plan } from './plan.ts';

/** How many bytes of paths a program is started with: systems have limits. */
const MAX_ARGUMENTS_BYTES = process.platform === 'win32' ? 16 * 1024 : 512 * 1024;
/** The longest single one, in bytes. */
const MAX_ARGUMENT_BYTES = 64 * 1024;

/** Larger files are not left to git where one side has none; in bytes. */
const HUGE = 8 * 1024 * 1024;

/** Compares contents, and looks for renames, by the git program. Files without output by the deadline count as too large. */
export async function compareByProgram(directory: string, comparison: Comparison): Promise<Plan> {
  if (comparison.changes.length === 0) return new Plan([], comparison);
  try {
    return await ask(directory, comparison);
  } catch (error) {
    if (!(error instanceof ProgramFailed) || error instanceof ProgramLate) throw error;
    // One that was started before may hold on to packs that are gone, and makes no large allocations.
    diffTrees.release(directory);
    return ask(directory, comparison, () => new DiffTree(directory));
  }
}

/** @param startPlain starts the program for what could be left to one that is there already */
async function ask(directory: string, comparison: Comparison, startPlain?: () => DiffTree): Promise<Plan> {
  const { from, to, changes, deadline } = comparison;
  const { output, start = startPlain, isEmpty = false } = prepare(directory, comparison);
  const compare = async (program: DiffTree) => {
    if (await program.ask(from, to, (lines) => output.push(lines), deadline)) output.end();
  };
  try {
    if (isEmpty) {
      diffTrees.forget(directory, comparison);
      output.end();
    } else await diffTrees.lend(directory, comparison, compare, start);
  } catch (error) {
    if (!(error instanceof ProgramLate)) throw error;
  }
  return output.plan ?? new Plan(unpaired(changes), comparison);
}

interface Prepared {
  output: DiffOutput;
  /** Starts a program with bounds of its own. */
  start?: () => DiffTree;
  /** Whether there is nothing to ask about. */
  isEmpty?: boolean;
}

/** Most comparisons leave all to a program that may be there already. */
function prepare(directory: string, comparison: Comparison): Prepared {
  const { changes, isComplete } = comparison;
  const apart = hugeOnes(comparison);
  const kept = changes.filter((change) => !apart.has(change));
  const paths = pathsOf(kept.map(({ path }) => path));
  if (!isComplete || (apart.size > 0 && paths.length < kept.length)) return named(directory, comparison, apart);
  const renames = canBeRenamed({ ...comparison, changes: kept }) ? RENAMES : ['-M100%'];
  if (apart.size === 0) {
    const start = () => new DiffTree(directory, renames);
    return { output: new DiffOutput(comparison, {}), ...(renames !== RENAMES && { start }) };
  }
  const start = () => new DiffTree(directory, renames, paths);
  const output = new DiffOutput(comparison, { apart: withExactRenames(unpaired([...apart])) });
  return { output, start, isEmpty: paths.length === 0 };
}

/** Has a program look at no other files than those that are compared. */
function named(directory: string, comparison: Comparison, apart: ReadonlySet<Change>): Prepared {
  const plan = new Plan(unpaired(comparison.changes), comparison);
  const others = new Set([...apart].map(({ path }) => path));
  const wanted = plan.shown.flatMap(({ old, now }, at) => (plan.wants(at) ? [now?.path ?? old?.path ?? ''] : []));
  const paths = pathsOf(wanted.filter((path) => !others.has(path)));
  const start = () => new DiffTree(directory, ['--no-renames'], paths);
  return { output: new DiffOutput(comparison, { plan }), start, isEmpty: paths.length === 0 };
}

/**
 * Files that were added or removed, of which git would read all to say no more than that they are binary; and files at whose paths
 * others have such ones in a directory: git would look at these as well.
 */
function hugeOnes({ changes, sizes }: Comparison): Set<Change> {
  const isHuge = ({ old, now }: Change) =>
    (old === null || now === null) && (sizes.get((old ?? now)?.oid ?? '') ?? 0) > HUGE;
  const paths = changes.flatMap((change) => (isHuge(change) ? [change.path] : [])).sort();
  const isAbove = ({ path }: Change) => firstFrom(paths, `${path}/`)?.startsWith(`${path}/`) === true;
  return new Set(paths.length === 0 ? [] : changes.filter((change) => isHuge(change) || isAbove(change)));
}

/** The first of sorted texts that does not come before another one. */
function firstFrom(sorted: readonly string[], text: string): string | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return sorted[low];
}

/** Whether added files may be compared with removed ones: git would read all of them, however large. */
function canBeRenamed({ changes, sizes, limits }: Comparison): boolean {
  const removed = changes.flatMap(({ old, now }) => (old !== null && now === null ? [old] : []));
  const added = changes.flatMap(({ old, now }) => (now !== null && old === null ? [now] : []));
  const left = unlike(removed, added, sizes);
  const right = unlike(added, removed, sizes);
  if (Math.min(largest(left), largest(right)) > limits.fileBytes) return false;
  return [...left, ...right].reduce((sum, size) => sum + size, 0) <= limits.totalBytes;
}

/** The sizes of those that the other side does not have. */
function unlike(sides: Side[], others: Side[], sizes: ReadonlyMap<Oid, number>): number[] {
  const there = new Set(others.map(({ oid }) => oid));
  return sides.flatMap(({ oid }) => (there.has(oid) ? [] : [sizes.get(oid) ?? 0]));
}

function largest(sizes: number[]): number {
  return sizes.reduce((most, size) => Math.max(most, size), 0);
}

/** As many paths as a program can be told, of those that it can be told. */
function pathsOf(paths: string[]): string[] {
  const told: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    const length = Buffer.byteLength(path) + 1;
    if (!path.isWellFormed() || length > MAX_ARGUMENT_BYTES) continue;
    bytes += length;
    if (bytes > MAX_ARGUMENTS_BYTES) break;
    told.push(path);
  }
  return told;
}
