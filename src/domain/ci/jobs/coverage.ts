import type { Context } from '#src/access/permissions/actor.ts';
import { readTraceTail } from '#src/domain/ci/job_logs/tail.ts';
import { DomainError } from '#src/platform/errors.ts';
import { DeadlineThread, Overrun } from '#src/platform/limits/deadline_thread.ts';

/** Milliseconds in which a pattern must have found what it looks for. */
const DEADLINE = 500;

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const name = import.meta.filename.endsWith('.ts') ? './coverage_thread.ts' : './coverage_thread.js';
const thread = new DeadlineThread<{ pattern: string; text: string }, { coverage: number | null }>(
  new URL(name, import.meta.url),
  { deadline: DEADLINE, memory: 64 },
);

/**
 * The coverage, in percent, that a job's `coverage` pattern finds at the end of what it printed; null without either, and where
 * the pattern takes too long.
 */
export async function traceCoverage(
  stores: Pick<Context, 'db' | 'repositories'>,
  job: { id: number; projectId: number },
): Promise<number | null> {
  const [row] = await stores.db.$queryRaw<{ pattern: string | null }[]>`
    SELECT options->>'coverage' AS pattern FROM jobs WHERE id = ${job.id}`;
  if (!row?.pattern) return null;
  const text = await readTraceTail(stores, job.id);
  try {
    return (await thread.run(`project ${job.projectId}`, { pattern: row.pattern, text })).coverage;
  } catch (error) {
    // The job ends without it.
    if (error instanceof Overrun || error instanceof DomainError) return null;
    throw error;
  }
}
