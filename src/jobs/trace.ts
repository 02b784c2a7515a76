import { Readable } from 'node:stream';
import type { Context } from '#src/access/actor.ts';
import { findJob } from '#src/jobs/list.ts';
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

/** All that a job printed; what is no UTF-8 is replaced. The caller may read the job. Throws ContentTooLarge. */
export async function traceText({ db }: Context, { id }: { id: number }): Promise<string> {
  const [row] = await db.$queryRaw<[{ size: number }]>`
    SELECT COALESCE(sum(length(content)), 0)::float8 AS size FROM job_trace_chunks WHERE job_id = ${id}`;
  if (row.size > MAX_INLINE_BYTES) {
    throw new ContentTooLarge(
      `the trace has ${row.size} bytes, more than ${MAX_INLINE_BYTES}. The trace of the REST API streams it`,
    );
  }
  const parts: Buffer[] = [];
  for await (const part of chunks(db, id)) parts.push(part);
  return Buffer.concat(parts).toString('utf8').replaceAll('\0', '');
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
