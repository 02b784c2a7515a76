import type { Context } from '#src/access/permissions/actor.ts';
import { Overrun, ThreadLate, Threads } from '#src/base/thread.ts';
import { readTraceTail } from '#src/domain/ci/job_logs/tail.ts';
import { DomainError } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** Milliseconds of CPU time within which a pattern must match. */
const DEADLINE = 500;

/** One pattern at a time; projects take turns. */
const CONCURRENCY_LIMITS = { concurrency: 1, waitingPerCaller: 50, waiting: 1_000, patience: 60_000 };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const name = import.meta.filename.endsWith('.ts') ? './coverage_thread.ts' : './coverage_thread.js';
const turns = new CallerSemaphore(CONCURRENCY_LIMITS);
const threads = new Threads<{ pattern: string; text: string }, { coverage: number | null }>(
  new URL(name, import.meta.url),
  { threads: 1, memory: 64, milliseconds: 20_000, cpuTime: DEADLINE, idle: 30_000 },
);

/** The coverage, in percent, that a job's pattern finds at the end of its log; null without a match, or if it takes too long. */
export async function traceCoverage(
  stores: Pick<Context, 'db' | 'repositories'>,
  job: { id: number; projectId: number },
): Promise<number | null> {
  const [row] = await stores.db.$queryRaw<{ pattern: string | null }[]>`
    SELECT options->>'coverage' AS pattern FROM jobs WHERE id = ${job.id}`;
  if (!row?.pattern) return null;
  const text = await readTraceTail(stores, job.id);
  try {
    const { pattern } = row;
    return (await turns.run(`project ${job.projectId}`, () => threads.run({ pattern, text }))).coverage;
  } catch (error) {
    // The job ends without coverage.
    if (error instanceof Overrun || error instanceof ThreadLate || error instanceof DomainError) return null;
    throw error;
  }
}
