import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { chunkSizes, chunksOf, readChunksAt } from '#src/domain/ci/job_logs/chunks.ts';
import { readAt, traceFile } from '#src/domain/ci/job_logs/file.ts';
import { locateTrace, locateTraces } from '#src/domain/ci/job_logs/locate.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import { ContentTooLarge } from '#src/platform/errors.ts';
import { currentBudget } from '#src/platform/limits/budget.ts';

/** Bytes of the longest log that is returned inline. */
const MAX_INLINE_BYTES = 4 * 1024 * 1024;
/** Bytes reserved for the line that says that a log exceeds the limit. */
const NOTICE = 1024;
/** Bytes of rows that are read per statement. */
const CHUNK = 256 * 1024;

/** The size of a log in bytes, and a stream of a range of them. The caller must be allowed to read the job. */
export async function openTrace(
  { db, repositories }: WithRepositories,
  jobId: number,
): Promise<{ size: number; part(from: number, to: number): Readable }> {
  const trace = await locateTrace(db, jobId);
  if (!trace) {
    const size = (await chunkSizes(db, [jobId])).get(jobId) ?? 0;
    return { size, part: (from, to) => Readable.from(chunks(db, jobId, from, to), { objectMode: false }) };
  }
  const file = traceFile(repositories, trace);
  const part = (start: number, to: number) =>
    to <= start ? Readable.from([]) : createReadStream(file, { start, end: to - 1 });
  return { size: trace.size, part };
}

/** Yields the rows of a range in batches, with constant memory. */
async function* chunks(db: WithRepositories['db'], jobId: number, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const next = await readChunksAt(db, jobId, at, Math.min(CHUNK, to - at));
    if (next.length === 0) return;
    at += next.length;
    yield next;
  }
}

/**
 * The whole output of each job; invalid UTF-8 is replaced. The caller must be allowed to read the jobs. ContentTooLarge in place
 * of logs that are too long for a response. Throws TooExpensive if all together are too long.
 */
export async function traceTexts(
  { db, repositories }: WithRepositories,
  ids: readonly number[],
): Promise<(string | Error)[]> {
  const files = await locateTraces(db, ids);
  const isFile = new Set(files.map(({ jobId }) => jobId));
  const old = ids.filter((id) => !isFile.has(id));
  const sizes = new Map([
    ...(old.length > 0 ? await chunkSizes(db, old) : []),
    ...files.map(({ jobId, size }) => [jobId, size] as const),
  ]);
  const fits = (id: number) => (sizes.get(id) ?? 0) <= MAX_INLINE_BYTES + NOTICE;
  const fitting = ids.filter(fits);
  currentBudget()?.spendBytes(fitting.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0));
  const texts = await chunksOf(
    db,
    old.filter((id) => sizes.has(id) && fits(id)),
  );
  for (const file of files.filter(({ jobId }) => fits(jobId))) {
    texts.set(file.jobId, await readAt(traceFile(repositories, file), 0, file.size));
  }
  return ids.map((id) => (fits(id) ? textOf(texts.get(id)) : tooLarge(sizes.get(id) ?? 0)));
}

/** Decodes bytes: invalid UTF-8 is replaced, and NUL is dropped. */
export function textOf(bytes: Buffer = Buffer.alloc(0)): string {
  return bytes.toString('utf8').replaceAll('\0', '');
}

function tooLarge(size: number): ContentTooLarge {
  const limit = `the trace has ${size} bytes, more than ${MAX_INLINE_BYTES}`;
  return new ContentTooLarge(`${limit}. The trace of the REST API streams it`);
}
