import type { Db, Transaction } from '#src/platform/database/db.ts';

/** Job logs from before they were files: rows of `job_trace_chunks`, written by earlier versions. */
type Reader = Pick<Db, '$queryRaw'> | Transaction;

/** Log sizes in bytes by job ID; jobs without one are absent. */
export async function chunkSizes(db: Reader, jobIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.$queryRaw<{ id: number; size: number }[]>`
    SELECT job_id AS id, sum(length(content))::float8 AS size FROM job_trace_chunks
    WHERE job_id = ANY(${[...jobIds]}::int[]) GROUP BY job_id`;
  return new Map(rows.map(({ id, size }) => [id, size]));
}

/** The whole log of a job; empty if there is none. */
export async function readChunks(db: Reader, jobId: number): Promise<Buffer> {
  return (await chunksOf(db, [jobId])).get(jobId) ?? Buffer.alloc(0);
}

/** The whole logs of jobs by ID. */
export async function chunksOf(db: Reader, jobIds: readonly number[]): Promise<Map<number, Buffer>> {
  if (jobIds.length === 0) return new Map();
  const rows = await db.$queryRaw<{ id: number; content: Uint8Array }[]>`
    SELECT job_id AS id, string_agg(content, ''::bytea ORDER BY position) AS content FROM job_trace_chunks
    WHERE job_id = ANY(${[...jobIds]}::int[]) GROUP BY job_id`;
  return new Map(rows.map(({ id, content }) => [id, Buffer.from(content)]));
}

/** The ends of logs by job ID: at least so many bytes, if there are as many, from the beginning of a row. */
export async function chunkTails(db: Reader, jobIds: readonly number[], bytes: number): Promise<Map<number, Buffer>> {
  if (jobIds.length === 0) return new Map();
  const rows = await db.$queryRaw<{ id: number; content: Uint8Array }[]>`
    SELECT job_id AS id, string_agg(content, ''::bytea ORDER BY position) AS content FROM (
      SELECT job_id, position, content, max(position + length(content)) OVER (PARTITION BY job_id) AS size
      FROM job_trace_chunks WHERE job_id = ANY(${[...jobIds]}::int[])) chunk
    WHERE position + length(content) > size - ${bytes}::int GROUP BY job_id`;
  return new Map(rows.map(({ id, content }) => [id, Buffer.from(content)]));
}

/** At most so many bytes of a log from a position on; fewer if more rows would have to be read. */
export async function readChunksAt(db: Reader, jobId: number, from: number, length: number): Promise<Buffer> {
  const chunks = await db.$queryRaw<{ content: Uint8Array }[]>`
    SELECT substring(content FROM (greatest(${from} - position, 0) + 1)::int FOR ${length}::int) AS content
    FROM job_trace_chunks
    WHERE job_id = ${jobId} AND position + length(content) > ${from}
      AND position >= COALESCE((SELECT max(position) FROM job_trace_chunks WHERE job_id = ${jobId} AND position <= ${from}), 0)
    ORDER BY position LIMIT 16`;
  return Buffer.concat(chunks.map(({ content }) => content)).subarray(0, length);
}
