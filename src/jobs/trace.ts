import { Readable } from 'node:stream';
import type { Context } from '#src/access/actor.ts';
import { findJob } from '#src/jobs/list.ts';
import { currentBudget } from '#src/platform/budget.ts';
import type { Db } from '#src/platform/db.ts';
import { ContentTooLarge } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';
import { findProject } from '#src/projects/find.ts';
import type { RawContent } from '#src/repository/raw.ts';

/** A job whose trace an operation found. */
export interface RawTrace {
  projectId: number;
  databaseId: number;
}

/** Bytes of the longest trace that is an answer as a whole. */
const MAX_INLINE_BYTES = 4 * 1024 * 1024;

/** What a job printed so far, as a stream. Throws NotFound, Forbidden, Unauthenticated. */
export async function readRawTrace(context: Context, { projectId, databaseId }: RawTrace): Promise<RawContent> {
  const project = await findProject(context, projectId);
  const { id } = await findJob(context, project, databaseId, select('Job', { id: true }));
  return {
    stream: Readable.from(chunks(context.db, id), { objectMode: false }),
    // More may come while it is read.
    size: null,
    type: 'text/plain; charset=utf-8',
    fileName: `${id}.log`,
    etag: null,
  };
}

/**
 * All that each of the jobs printed; what is no UTF-8 is replaced. The caller may read the jobs. ContentTooLarge in the place of
 * those that printed more than an answer holds. Throws TooExpensive where it is too much together.
 */
export async function traceTexts({ db }: Context, ids: readonly number[]): Promise<(string | Error)[]> {
  const sizes = await db.$queryRaw<{ id: number; size: number }[]>`
    SELECT job_id AS id, sum(length(content))::float8 AS size FROM job_trace_chunks
    WHERE job_id = ANY(${[...ids]}::int[]) GROUP BY job_id`;
  const fitting = sizes.filter(({ size }) => size <= MAX_INLINE_BYTES);
  const tooLarge = new Map(sizes.map(({ id, size }) => [id, size]));
  for (const { id } of fitting) tooLarge.delete(id);
  currentBudget()?.spendBytes(fitting.reduce((sum, { size }) => sum + size, 0));
  const texts = await readTexts(
    db,
    fitting.map(({ id }) => id),
  );
  return ids.map((id) => {
    const size = tooLarge.get(id);
    if (size === undefined) return texts.get(id) ?? '';
    const limit = `the trace has ${size} bytes, more than ${MAX_INLINE_BYTES}`;
    return new ContentTooLarge(`${limit}. The trace of the REST API streams it`);
  });
}

async function readTexts(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.$queryRaw<{ id: number; content: Uint8Array }[]>`
    SELECT job_id AS id, string_agg(content, ''::bytea ORDER BY position) AS content FROM job_trace_chunks
    WHERE job_id = ANY(${[...ids]}::int[]) GROUP BY job_id`;
  return new Map(rows.map(({ id, content }) => [id, Buffer.from(content).toString('utf8').replaceAll('\0', '')]));
}

/** The parts in their order, one statement each: memory stays flat. */
async function* chunks(db: Db, jobId: number): AsyncGenerator<Buffer> {
  for (let position = -1n; ; ) {
    const next = await db.jobTraceChunk.findFirst({
      where: { jobId, position: { gt: position } },
      orderBy: { position: 'asc' },
    });
    if (!next) return;
    position = next.position;
    yield Buffer.from(next.content);
  }
}
