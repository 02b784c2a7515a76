import type { RepositoryReader } from '../reader.ts';
import { contentOf, sizeOf } from './contents.ts';
import type { Pairing } from './find-renames.ts';
import type { DiffLimits } from './limits.ts';
import type { Pair, Patch } from './patch.ts';
import { DiffAborted, diffPool } from './pool.ts';

export interface PatchResult extends Patch {
  tooLarge: boolean;
}

/** A job for the pool holds at most this many files, and about this many bytes. */
const FILES_A_JOB = 100;
const BYTES_A_JOB = 2 * 1024 * 1024;

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
  const sizes = await Promise.all(pairings.map((pairing) => sizesOf(reader, pairing)));
  const running: Promise<void>[] = [];
  let total = 0;
  let job: number[] = [];
  let jobBytes = 0;
  const start = () => {
    if (job.length > 0) running.push(runJob(job));
    job = [];
    jobBytes = 0;
  };
  const runJob = async (at: number[]) => {
    const patches = await patchJob(
      reader,
      at.map((index) => pairings[index]),
      wantsText,
      deadline,
    );
    for (const [position, index] of at.entries()) results[index] = limited(patches?.[position], limits);
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
  await Promise.all(running);
  return results;
}

/** Null if time or memory ran out. */
async function patchJob(
  reader: RepositoryReader,
  pairings: (Pairing | undefined)[],
  wantsText: boolean,
  deadline: number,
): Promise<Patch[] | null> {
  const pairs = await Promise.all(pairings.map((pairing) => load(reader, pairing)));
  const left = deadline - performance.now();
  if (left <= 0) return null;
  try {
    return await diffPool.run('patches', { pairs, wantsText }, left);
  } catch (error) {
    if (error instanceof DiffAborted) return null;
    throw error;
  }
}

async function load(reader: RepositoryReader, pairing: Pairing | undefined): Promise<Pair> {
  const { old = null, now = null } = pairing ?? {};
  const [before, after] = await Promise.all([contentOf(reader, old), contentOf(reader, now)]);
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
