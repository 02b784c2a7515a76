import { type StructuredPatchHunk, structuredPatch } from 'diff';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { Threads } from '#src/base/thread.ts';
import type { Patch } from '../base/comparison.ts';
import { type Comparison, type Pairing, unpaired } from '../base/comparison.ts';
import { MissingObject } from '../base/errors.ts';
import { SUBMODULE } from '../base/model.ts';
import type { RepositoryReader } from '../base/reader.ts';
import type { Side } from '../base/side.ts';
import { withExactRenames } from './exact_renames.ts';
import { label } from './label.ts';
import { Plan } from './plan.ts';

/** Contents above this size are never compared; in bytes. */
const MAX_COMPARED_BYTES = 64 * 1024 * 1024;

/** Texts that differ in more lines than this are compared in a thread of their own. */
const FEW = 100;

/** In a checkout the script is TypeScript, in the published package JavaScript. */
const SCRIPT = new URL(import.meta.filename.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);
const threads = new Threads<[before: string, after: string], StructuredPatchHunk[]>(SCRIPT, {
  threads: 6,
  memory: 384,
  milliseconds: 10_000,
  idle: 1_000,
});

/**
 * Compares contents in this process. Renames are found where the content is the same, and lines may be matched in another way than
 * git does. Files that are not compared by the deadline count as too large.
 */
export async function compareInProcess(reader: RepositoryReader, comparison: Comparison): Promise<Plan> {
  const { changes, isComplete, text, deadline } = comparison;
  const pairings = unpaired(changes);
  const plan = new Plan(isComplete ? withExactRenames(pairings) : pairings, comparison);
  for (const [at, pairing] of plan.shown.entries()) {
    if (!plan.wants(at)) continue;
    await yieldToEventLoop();
    if (plan.isFull || (text && performance.now() >= deadline)) break;
    const [before, after] = await Promise.all([contentOf(reader, pairing.old), contentOf(reader, pairing.now)]);
    const find = (left: string, right: string) => hunksOf(left, right, deadline);
    const patch = await makePatch(pairing, before, after, { text, find });
    if (patch !== null) plan.take(at, patch);
  }
  return plan;
}

/**
 * How two contents differ, which need not be in a repository; null on the side where there is none. Null if there is no time: the deadline
 * is on the clock of `performance.now()`.
 */
export function patchOfContents(
  sides: Pick<Pairing, 'old' | 'now'>,
  before: Buffer | null,
  after: Buffer | null,
  deadline: number,
): Promise<Patch | null> {
  const find = (left: string, right: string) => hunksOf(left, right, deadline);
  return makePatch({ ...sides, similarity: null }, before, after, { text: true, find });
}

/** What is compared for one side: the content of a file, the target of a link, a line that names the commit of a submodule. */
async function contentOf(reader: RepositoryReader, side: Side | null): Promise<Buffer | null> {
  if (side === null) return null;
  if (side.mode === SUBMODULE) return Buffer.from(`Subproject commit ${side.oid}\n`);
  const content = await reader.blob(side.oid, MAX_COMPARED_BYTES);
  if (content === null) throw new MissingObject(side.oid, 'blob');
  return content;
}

/** What `git diff` says about two contents, without the lines that precede `---`; null if there is no time. */
async function makePatch(
  { old, now }: Pairing,
  before: Buffer | null,
  after: Buffer | null,
  { text, find }: { text: boolean; find: (before: string, after: string) => Promise<StructuredPatchHunk[] | null> },
): Promise<Patch | null> {
  const names = [old === null ? '/dev/null' : label('a', old.path), now === null ? '/dev/null' : label('b', now.path)];
  const contents = [before ?? Buffer.alloc(0), after ?? Buffer.alloc(0)] as const;
  if (contents.some(isBinary))
    return { text: `Binary files ${names[0]} and ${names[1]} differ\n`, binary: true, additions: 0, deletions: 0 };
  // As Latin-1 no byte is lost.
  const found = await find(contents[0].toString('latin1'), contents[1].toString('latin1'));
  // Where only lines are counted, one text takes the place of the other then.
  if (found === null && text) return null;
  if (found === null)
    return { text: '', binary: false, additions: linesIn(contents[1]), deletions: linesIn(contents[0]) };
  const lines = found.flatMap((hunk) => hunk.lines);
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  const patch = { text: '', binary: false, additions: count('+'), deletions: count('-') };
  if (!text) return patch;
  const hunks = found.map(({ oldStart, oldLines, newStart, newLines, lines }) =>
    [`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...lines, ''].join('\n'),
  );
  // A tab tells where a name with spaces ends.
  const [from, to] = names.map((name) => (name.includes(' ') ? `${name}\t` : name));
  return { ...patch, text: `--- ${from}\n+++ ${to}\n${Buffer.from(hunks.join(''), 'latin1').toString('utf8')}` };
}

/** Null when there is no time, or too little memory. */
async function hunksOf(before: string, after: string, deadline: number): Promise<StructuredPatchHunk[] | null> {
  // A file that is new or gone has as many edits as lines, and only one way to make them.
  const most = before === '' || after === '' ? Number.POSITIVE_INFINITY : FEW;
  const few = structuredPatch('', '', before, after, '', '', { context: 3, maxEditLength: most });
  if (few !== undefined) return few.hunks;
  const left = deadline - performance.now();
  return left <= 0 ? null : threads.run([before, after], left).catch(() => null);
}

function linesIn(bytes: Buffer): number {
  let count = bytes.length === 0 || bytes.at(-1) === 10 ? 0 : 1;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}

/** An empty range is named by the line before it, a single line without a length. */
function range(start: number, length: number): string {
  if (length === 1) return `${start}`;
  return `${length === 0 ? start - 1 : start},${length}`;
}

/** Whether git takes a content for binary: a NUL among the first 8,000 bytes. */
function isBinary(bytes: Buffer): boolean {
  const nul = bytes.indexOf(0);
  return nul >= 0 && nul < 8_000;
}
