import type { Request, Router } from 'express';
import { appendTrace } from '#src/domain/ci/job_logs/append.ts';
import { markDebugLog } from '#src/domain/ci/job_logs/debug.ts';
import { noteHeartbeat } from '#src/domain/ci/runners/heartbeat.ts';
import { endSilentBody } from '#src/entrances/web/end_silent_body.ts';
import type { ProtocolEndpoint } from '#src/entrances/web/runner_answers.ts';
import { requireRunningJob, SOON, TRACE_INTERVAL } from '#src/entrances/web/runner_job.ts';
import type { RunnerProtocolOptions } from '#src/entrances/web/runner_options.ts';
import { BadParameter } from '#src/entrances/web/runner_parameters.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** How many log chunks are received at a time; those of one job sequentially. */
const CONCURRENCY_LIMITS = { concurrency: 100, perCaller: 1, waitingPerCaller: 10, waiting: 1_000, patience: 60_000 };

/** Milliseconds that a chunk may take to arrive, and for which nothing of it may arrive. */
const BODY_TIMEOUTS_MS = { total: 5 * 60_000, silence: 30_000 };

/** Bytes that a chunk may have beyond the most that is kept of a log. */
const MAX_BYTES_BEYOND_LIMIT = 64 * 1024 * 1024;

/** Adds the endpoint to which runners send the output of their jobs, chunk by chunk. */
export function addTraces(router: Router, endpoint: ProtocolEndpoint, options: RunnerProtocolOptions): void {
  const { stores } = options;
  const turns = new CallerSemaphore(CONCURRENCY_LIMITS);
  const receive = async (request: Request, offset: number) => {
    const job = await requireRunningJob(options, request);
    endSilentBody(request, BODY_TIMEOUTS_MS);
    const { piece, sent } = await readPiece(request, stores.repositories.limits.traceBytes);
    if (request.query.debug_trace === 'true') await markDebugLog(stores.db, job.id);
    const { isAccepted, received } = await appendTrace(stores, job.id, offset, piece, sent);
    await noteHeartbeat(stores.db, job.id);
    const headers = { 'Job-Status': job.status, Range: `0-${received}`, [TRACE_INTERVAL]: SOON };
    return { status: isAccepted ? 202 : 416, headers };
  };
  router.patch(
    '/jobs/:id/trace',
    endpoint(
      '/jobs/:id/trace',
      async (request) => {
        // Requests with a wrong token hold no slot, and a slow runner only delays its own job.
        const { id } = await requireRunningJob(options, request);
        const offset = offsetOf(request);
        return turns.run(`job ${id}`, () => receive(request, offset));
      },
      { bypassQueue: true },
    ),
  );
}

/** Where the chunk begins: `0-99`, also as `bytes 0-99/*`; the body determines its end. Throws BadParameter. */
function offsetOf(request: Request): number {
  const range = request.get('Content-Range');
  if (range === undefined) throw new BadParameter('The header Content-Range is missing');
  const [, offset] = /^(?:bytes[ =])?(\d{1,15})-/.exec(range.trim()) ?? [];
  if (offset === undefined) throw new BadParameter('The header Content-Range is invalid');
  return Number(offset);
}

/** The beginning of the body, as far as it may be kept, and its length. Throws BadParameter. */
async function readPiece(request: Request, limit: number): Promise<{ piece: Buffer; sent: number }> {
  const kept: Buffer[] = [];
  let sent = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      // One byte more, to detect that something was left out.
      if (sent <= limit) kept.push(chunk.subarray(0, limit + 1 - sent));
      sent += chunk.length;
      if (sent > limit + MAX_BYTES_BEYOND_LIMIT) throw new BadParameter('The piece of the trace is too large');
    }
  } catch (error) {
    if (error instanceof BadParameter) throw error;
    throw new BadParameter('The body ended before all of it had come');
  }
  return { piece: Buffer.concat(kept), sent };
}
