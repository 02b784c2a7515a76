import type { Oid } from '../model.ts';
import type { RepositoryReader } from '../reader.ts';
import { breathe } from '../turns.ts';
import { contentOf, sizeOf } from './contents.ts';
import type { Pairing } from './find_renames.ts';
import type { DiffLimits } from './limits.ts';
import type { Pair, Patch } from './patch.ts';
import { DiffAborted, diffPool } from './pool.ts';
import type { Side } from './renames.ts';

export interface PatchResult extends Patch {
  tooLarge: boolean;
}

/** A job for the pool holds at most this many files, and about this many bytes. */
const FILES_A_JOB = 100;
const BYTES_A_JOB = 2 * 1024 * 1024;
/** So many are loaded at a time. */
const JOBS_AT_ONCE = 3;

const NOTHING: PatchResult = { text: '', binary: false, additions: 0, deletions: 0, tooLarge: false };
const TOO_LARGE: PatchResult = { ...NOTHING, tooLarge: true };

/** Compares the contents of pairs in the worker pool; the results come in the order of the pairs. */
export async function makePatches(
  reader: RepositoryReader,
  pairings: Pairing[],
  limits: DiffLimits,
  wantsText: boolean,
  deadline: number,
): Promise<PatchResult[]> {
  const results: PatchResult[] = pairings.map(() => NOTHING);
  const sizes: { larger: number; both: number }[] = [];
  for (let at = 0; at < pairings.length; at += FILES_A_JOB) {
    await breathe();
    const part = pairings.slice(at, at + FILES_A_JOB);
    sizes.push(...(await Promise.all(part.map((pairing) => sizesOf(reader, pairing)))));
  }
  const jobs: number[][] = [];
  let text = 0;
  let total = 0;
  let job: number[] = [];
  let jobBytes = 0;
  const start = () => {
    if (job.length > 0) jobs.push(job);
    job = [];
    jobBytes = 0;
  };
  const runJob = async (at: number[]) => {
    // Nothing is loaded that would be left out in any case.
    const patches =
      text > 2 * limits.textBytes
        ? null
        : await patchJob(
            reader,
            at.map((index) => pairings[index]),
            wantsText,
            deadline,
          );
    for (const [position, index] of at.entries()) results[index] = limited(patches?.[position], limits);
    text += patches?.reduce((sum, patch) => sum + patch.text.length, 0) ?? 0;
  };
  for (const [at, { old, now }] of pairings.entries()) {
    if (old?.oid === now?.oid) continue;
    const { larger, both } = sizes[at] ?? { larger: 0, both: 0 };
    total += larger > limits.fileBytes ? 0 : both;
    if (larger > limits.fileBytes || total > limits.totalBytes) results[at] = TOO_LARGE;
    else {
      job.push(at);
      jobBytes += both;
      if (job.length >= FILES_A_JOB || jobBytes >= BYTES_A_JOB) start();
    }
  }
  start();
  const work = async () => {
    for (let next = jobs.shift(); next !== undefined; next = jobs.shift()) await runJob(next);
  };
  await Promise.all(Array.from({ length: JOBS_AT_ONCE }, work));
  return withinText(results, limits.textBytes);
}

/** The first patches, until there is too much text. */
function withinText(results: PatchResult[], limit: number): PatchResult[] {
  let text = 0;
  return results.map((result) => {
    text += result.text.length;
    return text > limit ? TOO_LARGE : result;
  });
}

/** Null if time or memory ran out. */
async function patchJob(
  reader: RepositoryReader,
  pairings: (Pairing | undefined)[],
  wantsText: boolean,
  deadline: number,
): Promise<Patch[] | null> {
  // Many files may have the same content: it is read once, and comes to the thread once.
  const contents = new Map<Oid, Promise<Buffer | null>>();
  const content = (side: Side | null) => {
    const known = side === null ? undefined : contents.get(side.oid);
    const found = known ?? contentOf(reader, side);
    if (side !== null) contents.set(side.oid, found);
    return found;
  };
  const pairs = await Promise.all(pairings.map((pairing) => load(content, pairing)));
  const left = deadline - performance.now();
  if (left <= 0) return null;
  try {
    return await diffPool.run('patches', { pairs, wantsText }, left);
  } catch (error) {
    if (error instanceof DiffAborted) return null;
    throw error;
  }
}

async function load(
  content: (side: Side | null) => Promise<Buffer | null>,
  pairing: Pairing | undefined,
): Promise<Pair> {
  const { old = null, now = null } = pairing ?? {};
  const [before, after] = await Promise.all([content(old), content(now)]);
  return { oldPath: old?.path ?? '', newPath: now?.path ?? '', before, after };
}

async function sizesOf(reader: RepositoryReader, { old, now }: Pairing): Promise<{ larger: number; both: number }> {
  if (old?.oid === now?.oid) return { larger: 0, both: 0 };
  const [before, after] = await Promise.all([sizeOf(reader, old), sizeOf(reader, now)]);
  return { larger: Math.max(before, after), both: before + after };
}

function limited(patch: Patch | undefined, limits: DiffLimits): PatchResult {
  if (patch === undefined || patch.text.length > limits.patchBytes) return TOO_LARGE;
  return { ...patch, tooLarge: false };
}
