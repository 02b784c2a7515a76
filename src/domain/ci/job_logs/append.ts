import type { Context } from '#src/access/permissions/actor.ts';
import { readChunks } from '#src/domain/ci/job_logs/chunks.ts';
import { readAt, removeTraceFile, traceFile, writeAt } from '#src/domain/ci/job_logs/file.ts';
import { type LocatedTrace, locateTrace } from '#src/domain/ci/job_logs/locate.ts';
import { wholeCharacters } from '#src/domain/ci/job_logs/whole_characters.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

type Stores = Pick<Context, 'db' | 'repositories'>;
type Files = Pick<Context, 'repositories'>;

/** What became of a piece of a trace. */
export interface Appended {
  /** False where the piece does not begin at the end of what was sent before. */
  isAccepted: boolean;
  /** Bytes that were sent by now; the next piece begins there. */
  received: number;
}

/**
 * Appends a piece to the trace of a job. It is on the disk when this returns, and pieces that come at once follow each other,
 * whichever servers they reach. Of a trace that is longer than traces may be a last line says so, and the rest counts as
 * received without being kept. Throws NotFound.
 *
 * @param offset how many bytes come before it
 * @param sent bytes of the piece, if it is longer than what of it is given here: more than is kept in any case
 */
export async function appendTrace(
  stores: Stores,
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

/** Appends at the end, wherever that is, in a transaction of the caller. Throws NotFound. */
export async function appendTraceWithin(tx: Transaction, stores: Files, jobId: number, piece: Buffer): Promise<void> {
  await write(tx, stores, await lockTrace(tx, stores, jobId), piece);
}

/** Gives a job this trace, whatever it had before; one that begins like that goes on. Limited as in appendTrace. Throws NotFound. */
export async function writeTrace(stores: Stores, jobId: number, text: string | Buffer): Promise<void> {
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
  // Nothing leads there any more; where this process dies now, fsck finds it.
  if (replaced) await removeTraceFile(stores.repositories, replaced);
}

/** The trace of a job, of which nobody else changes anything until the transaction ends. Throws NotFound. */
async function lockTrace(tx: Transaction, { repositories }: Files, jobId: number): Promise<LocatedTrace> {
  const made = await tx.$executeRaw`
    INSERT INTO job_traces (job_id) SELECT id FROM jobs WHERE id = ${jobId} ON CONFLICT DO NOTHING`;
  await tx.$executeRaw`SELECT job_id FROM job_traces WHERE job_id = ${jobId} FOR UPDATE`;
  const trace = await locateTrace(tx, jobId);
  if (!trace) throw new NotFound('Job');
  if (made === 0) return trace;
  // A job that began before traces were files goes on in one.
  const before = await readChunks(tx, jobId);
  if (before.length === 0) return trace;
  await writeAt(traceFile(repositories, trace), 0, before);
  await tx.jobTraceChunk.deleteMany({ where: { jobId } });
  return save(tx, trace, before.length, before.length);
}

/** Writes what of a piece is kept. The trace is locked. */
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

/** What is written of a piece, where so much was written and received before. */
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

/** Whether a whole text begins with all that was received, as far as it was kept. */
async function begins({ repositories }: Files, trace: LocatedTrace, whole: Buffer): Promise<boolean> {
  const { size, received } = trace;
  if (whole.length < received) return false;
  if (size === 0) return true;
  // Where the limit left something out, the line that says so begins in the last character before it.
  const compared = received === size ? size : Math.max(0, Math.min(size, repositories.limits.traceBytes - 3));
  const there = await readAt(traceFile(repositories, trace), 0, compared);
  return there.equals(whole.subarray(0, compared));
}
