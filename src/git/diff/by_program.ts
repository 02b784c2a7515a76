import { ProgramFailed } from '../errors.ts';
import type { Oid } from '../model.ts';
import { DiffTree, ProgramLate } from '../program/diff_tree.ts';
import { diffTrees } from '../program/diff_trees.ts';
import { type Comparison, unpaired } from './comparison.ts';
import { DiffOutput } from './output.ts';
import { Plan } from './plan.ts';
import type { Side } from './side.ts';

/** How many bytes of paths a program is started with: systems have limits. */
const MOST_ARGUMENTS = process.platform === 'win32' ? 16 * 1024 : 512 * 1024;
/** The longest single one, in bytes. */
const LONGEST_ARGUMENT = 64 * 1024;

/** Compares contents, and looks for renames, by the git program. What is not said by the deadline is too large. */
export async function compareByProgram(directory: string, comparison: Comparison): Promise<Plan> {
  if (comparison.changes.length === 0) return new Plan([], comparison);
  try {
    return await ask(directory, comparison);
  } catch (error) {
    if (!(error instanceof ProgramFailed) || error instanceof ProgramLate) throw error;
    // One that was started before may hold on to packs that are gone.
    diffTrees.release(directory);
    return ask(directory, comparison);
  }
}

async function ask(directory: string, comparison: Comparison): Promise<Plan> {
  const { from, to, changes, deadline } = comparison;
  const { output, start } = prepare(directory, comparison);
  const compare = async (program: DiffTree) => {
    if (await program.ask(from, to, (lines) => output.push(lines), deadline)) output.end();
  };
  try {
    await diffTrees.lend(directory, deadline, compare, start);
  } catch (error) {
    if (!(error instanceof ProgramLate)) throw error;
  }
  return output.plan ?? new Plan(unpaired(changes), comparison);
}

/** Most comparisons leave all to a program that may be there already; others need one with bounds of their own. */
function prepare(directory: string, comparison: Comparison): { output: DiffOutput; start?: () => DiffTree } {
  if (comparison.isComplete) {
    const output = new DiffOutput(comparison);
    return canBeRenamed(comparison) ? { output } : { output, start: () => new DiffTree(directory, ['-M100%']) };
  }
  const plan = new Plan(unpaired(comparison.changes), comparison);
  const paths = pathsOf(plan);
  return { output: new DiffOutput(comparison, plan), start: () => new DiffTree(directory, ['--no-renames'], paths) };
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

/** The paths to be compared, as many as a program can be told. */
function pathsOf(plan: Plan): string[] {
  const paths: string[] = [];
  let bytes = 0;
  for (const [at, { old, now }] of plan.shown.entries()) {
    const path = now?.path ?? old?.path ?? '';
    const length = Buffer.byteLength(path) + 1;
    if (!plan.wants(at) || !path.isWellFormed() || length > LONGEST_ARGUMENT) continue;
    bytes += length;
    if (bytes > MOST_ARGUMENTS) break;
    paths.push(path);
  }
  return paths;
}
