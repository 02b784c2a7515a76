import { LARGEST_CONFIG } from '#src/domain/ci/pipelines/config/model.ts';
import type { PipelinePlan, planOf } from '#src/domain/ci/pipelines/config/plan.ts';
import type { Occasion } from '#src/domain/ci/pipelines/config/select.ts';
import { isLimit } from '#src/git/errors.ts';
import type { Oid } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import { Overrun, Threads } from '#src/git/thread.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** The path of the CI configuration in a project. */
export const CONFIG_PATH = '.gitlab-ci.yml';

/** Milliseconds of CPU time within which a file must be parsed: several times what the largest one within the limits takes. */
const DEADLINE = 2_000;
const LIMITS = { threads: 1, memory: 128, milliseconds: 20_000, cpuTime: DEADLINE, idle: 30_000 };

/** One file at a time; callers take turns. */
const TURNS = { concurrency: 1, waitingPerCaller: 50, waiting: 1_000, patience: 60_000 };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const SCRIPT = new URL(import.meta.filename.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);

const turns = new CallerSemaphore(TURNS);
const threads = new Threads<Parameters<typeof planOf>[0], PipelinePlan>(SCRIPT, LIMITS);

/** A separate queue for linting, so that pipelines do not wait for it. */
const lintTurns = new CallerSemaphore(TURNS);
const lintThreads = new Threads<Parameters<typeof planOf>[0], PipelinePlan>(SCRIPT, LIMITS);

/**
 * Parses the file of a commit and selects its jobs for the occasion, in a separate thread.
 *
 * @throws RateLimited, Unavailable if too many files wait; ThreadLate if the machine is busy: that says nothing about the file
 */
export async function planPipeline(
  repository: RepositoryReader,
  occasion: Occasion,
  commit: Oid,
): Promise<PipelinePlan> {
  const entry = await repository.entry(commit, CONFIG_PATH);
  if (entry?.type !== 'blob') return { config: null, jobs: null, error: null };
  try {
    const content = await repository.blob(entry.oid, LARGEST_CONFIG);
    if (content === null) return { config: null, jobs: null, error: null };
    const text = content.toString('utf8');
    return await turns.run(`project ${occasion.project}`, () => threads.run({ text, occasion }));
  } catch (error) {
    if (isLimit(error, 'size')) return invalid(`The file is larger than ${LARGEST_CONFIG} bytes`);
    if (error instanceof Overrun) return invalid(OVERRUN);
    throw error;
  }
}

const OVERRUN = `Reading the file takes more than ${DEADLINE} ms of CPU time`;

/**
 * The error of a CI configuration; null if it is valid.
 *
 * @param caller key for fair queueing
 * @throws RateLimited, Unavailable if too many texts wait; ThreadLate
 */
export async function configError(caller: string, text: string): Promise<string | null> {
  if (text.trim() === '') return `Please provide content of ${CONFIG_PATH}`;
  if (Buffer.byteLength(text) > LARGEST_CONFIG) return `The file is larger than ${LARGEST_CONFIG} bytes`;
  try {
    return (await lintTurns.run(caller, () => lintThreads.run({ text, occasion: null }))).error;
  } catch (error) {
    if (error instanceof Overrun) return OVERRUN;
    throw error;
  }
}

function invalid(error: string): PipelinePlan {
  return { config: null, jobs: null, error };
}
