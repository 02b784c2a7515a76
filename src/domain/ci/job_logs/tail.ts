import { chunkTails } from '#src/domain/ci/job_logs/chunks.ts';
import { readAt, traceFile } from '#src/domain/ci/job_logs/file.ts';
import { locateTraces } from '#src/domain/ci/job_logs/locate.ts';
import { textOf } from '#src/domain/ci/job_logs/read.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import { currentBudget } from '#src/platform/limits/budget.ts';

/** Bytes at the end of a job log that are searched and shown. */
const TAIL = 256 * 1024;

/** The end of a job's output, at most so many bytes; invalid UTF-8 is replaced. */
export async function readTraceTail(stores: WithRepositories, jobId: number, bytes = TAIL): Promise<string> {
  const [text = ''] = await readTraceTails(stores, [jobId], bytes);
  return text;
}

/** Lines and bytes of the ends that are shown for jobs that failed. */
const END = { lines: 20, bytes: 4 * 1024 };

/** The last twenty lines of the output of each job, at most 4 KiB of them. The caller must be allowed to read the jobs. */
export async function readTraceEnds(stores: WithRepositories, jobIds: readonly number[]): Promise<string[]> {
  const tails = await readTraceTails(stores, jobIds, END.bytes);
  return tails.map((tail) => tail.trimEnd().split('\n').slice(-END.lines).join('\n'));
}

/** As readTraceTail, for each of several jobs. The caller must be allowed to read the jobs. Throws TooExpensive if all together are too long. */
export async function readTraceTails(
  { db, repositories }: WithRepositories,
  jobIds: readonly number[],
  bytes = TAIL,
): Promise<string[]> {
  const files = new Map((await locateTraces(db, jobIds)).map((file) => [file.jobId, file]));
  const withoutFile = jobIds.filter((id) => !files.has(id));
  const old = await chunkTails(db, withoutFile, bytes);
  const lengthOf = (id: number) => Math.min(bytes, files.get(id)?.size ?? old.get(id)?.length ?? 0);
  currentBudget()?.spendBytes(jobIds.reduce((sum, id) => sum + lengthOf(id), 0));
  const texts: string[] = [];
  for (const id of jobIds) {
    const file = files.get(id);
    const length = lengthOf(id);
    const content = file ? await readAt(traceFile(repositories, file), file.size - length, length) : old.get(id);
    texts.push(textOf(content?.subarray(-bytes)));
  }
  return texts;
}
