import type { Context } from '#src/access/permissions/actor.ts';
import { readChunks } from '#src/domain/ci/job_logs/chunks.ts';
import { readAt, removeTraceFile, traceFile, writeAt } from '#src/domain/ci/job_logs/file.ts';
import { type LocatedTrace, locateTrace } from '#src/domain/ci/job_logs/locate.ts';
import { wholeCharacters } from '#src/domain/ci/job_logs/whole_characters.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

type Files = Pick<Context, 'repositories'>;

/** The result of appending a chunk to a job log. */
export interface Appended {
  /** False if the chunk does not begin at the end of what was sent before. */
  isAccepted: boolean;
  /** Bytes received so far; the next chunk begins there. */
  received: number;
}

/**
 * Appends a chunk to a job log. It is on the disk when this returns, and concurrent chunks are serialized across servers. A log
 * that exceeds the limit gets a last line saying so, and further bytes count as received but are not stored. Throws NotFound.
 *
 * @param offset how many bytes come before it
 * @param sent bytes of the chunk, if more than is passed here: more than is stored in any case
 */
export async function appendTrace(
  stores: WithRepositories,
  jobId: number,
  offset: number,
  piece: Buffer,
  sent = piece.length,
): Promise<Appended> {
  return stores.db.$transaction(async (tx) => {
    const trace = await lockTrace(tx, stores, jobId);
    if (offset !== trace.received) return { isAccepted: false, received: trace.received };
    await write(tx, stores, trace, piece, sent);
    return { isAccepted: true, received: trace.received + sent };
  });
}

/** Appends at the end of a job log, in the caller's transaction. Throws NotFound. */
export async function appendTraceWithin(tx: Transaction, stores: Files, jobId: number, piece: Buffer): Promise<void> {
  await write(tx, stores, await lockTrace(tx, stores, jobId), piece);
}

/** Replaces the log of a job; a text that begins with the existing log extends it. Limited as in appendTrace. Throws NotFound. */
export async function writeTrace(stores: WithRepositories, jobId: number, text: string | Buffer): Promise<void> {
  const whole = Buffer.isBuffer(text) ? text : Buffer.from(text);
  const replaced = await stores.db.$transaction(async (tx) => {
    const trace = await lockTrace(tx, stores, jobId);
    if (await begins(stores, trace, whole)) {
      await write(tx, stores, trace, whole.subarray(trace.received));
      return null;
    }
    const next = { ...trace, version: trace.version + 1, size: 0, received: 0 };
    await tx.$executeRaw`UPDATE job_traces SET version = ${next.version} WHERE job_id = ${jobId}`;
    await write(tx, stores, next, whole);
    return trace;
  });
  // The old file is no longer referenced; if this process dies now, fsck finds it.
  if (replaced) await removeTraceFile(stores.repositories, replaced);
}

/** The log of a job, locked until the transaction ends. Throws NotFound. */
async function lockTrace(tx: Transaction, { repositories }: Files, jobId: number): Promise<LocatedTrace> {
  const made = await tx.$executeRaw`
    INSERT INTO job_traces (job_id) SELECT id FROM jobs WHERE id = ${jobId} ON CONFLICT DO NOTHING`;
  await tx.$executeRaw`SELECT job_id FROM job_traces WHERE job_id = ${jobId} FOR UPDATE`;
  const trace = await locateTrace(tx, jobId);
  if (!trace) throw new NotFound('Job');
  if (made === 0) return trace;
  // The log of a job that began before logs were files is converted to one.
  const before = await readChunks(tx, jobId);
  if (before.length === 0) return trace;
  await writeAt(traceFile(repositories, trace), 0, before);
  await tx.jobTraceChunk.deleteMany({ where: { jobId } });
  return save(tx, trace, before.length, before.length);
}

/** Writes the part of a chunk that is stored. The log is locked. */
async function write(
  tx: Transaction,
  { repositories }: Files,
  trace: LocatedTrace,
  piece: Buffer,
  sent = piece.length,
): Promise<void> {
  if (sent === 0) return;
  const { size, received } = trace;
  const kept = keptOf(piece, { size, received }, repositories.limits.traceBytes);
  if (kept.length > 0) await writeAt(traceFile(repositories, trace), size, kept);
  await save(tx, trace, size + kept.length, received + sent);
}

/** The part of a chunk that is stored, given the bytes stored and received before. */
function keptOf(piece: Buffer, { size, received }: { size: number; received: number }, limit: number): Buffer {
  const isFull = received !== size || size > limit;
  if (isFull) return Buffer.alloc(0);
  if (size + piece.length <= limit) return piece;
  const fitting = piece.subarray(0, limit - size);
  const notice = `\nThe log is longer than ${limit} bytes. The rest of it is not kept.\n`;
  return Buffer.concat([fitting.subarray(0, wholeCharacters(fitting)), Buffer.from(notice)]);
}

async function save(tx: Transaction, trace: LocatedTrace, size: number, received: number): Promise<LocatedTrace> {
  await tx.$executeRaw`
    UPDATE job_traces SET size = ${size}::bigint, received = ${received}::bigint, updated_at = now()
    WHERE job_id = ${trace.jobId}`;
  return { ...trace, size, received };
}

/** Whether a text begins with everything received so far, as far as it was stored. */
async function begins({ repositories }: Files, trace: LocatedTrace, whole: Buffer): Promise<boolean> {
  const { size, received } = trace;
  if (whole.length < received) return false;
  if (size === 0) return true;
  // If the limit was exceeded, the line that says so may have replaced part of the last character.
  const compared = received === size ? size : Math.max(0, Math.min(size, repositories.limits.traceBytes - 3));
  const there = await readAt(traceFile(repositories, trace), 0, compared);
  return there.equals(whole.subarray(0, compared));
}
