import type { Context } from '#src/access/permissions/actor.ts';
import { Overrun, Threads } from '#src/base/thread.ts';
import type { PipelineOrigin } from '#src/domain/ci/pipelines/config/base/origin.ts';
import { MAX_CONFIG_BYTES } from '#src/domain/ci/pipelines/config/base/sources.ts';
import type { Raw } from '#src/domain/ci/pipelines/config/base/values.ts';
import { withFileKeys } from '#src/domain/ci/pipelines/config/cache_keys.ts';
import { type Ground, LookUp } from '#src/domain/ci/pipelines/config/look_up.ts';
import { NO_PLAN, type PipelinePlan, type PlanAnswer, type PlanRequest } from '#src/domain/ci/pipelines/config/plan.ts';
import type { KnownVariables } from '#src/domain/ci/pipelines/config/rules/judge.ts';
import { isLimit } from '#src/git/base/errors.ts';
import type { Db } from '#src/platform/database/db.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** The path of the CI configuration in projects that name no other one. */
const CONFIG_PATH = '.gitlab-ci.yml';

/** The path of the CI configuration in a project. */
export async function configPath(db: Db, { ciConfigPath }: { ciConfigPath: string | null }): Promise<string> {
  return ciConfigPath ?? (await currentSettings(db)).defaultCiConfigPath ?? CONFIG_PATH;
}

/** Milliseconds of CPU time within which a configuration must be read: several times what the largest one within the limits takes. */
const DEADLINE = 4_000;
const LIMITS = { threads: 1, memory: 256, milliseconds: 20_000, cpuTime: DEADLINE, idle: 30_000 };
/** How often a configuration may turn out to need more than is known, and milliseconds for all of that. */
const MAX_ROUNDS = 25;
const TIMEOUT_MS = 30_000;

/** One file at a time; callers take turns. */
const CONCURRENCY_LIMITS = { concurrency: 1, waitingPerCaller: 50, waiting: 1_000, patience: 60_000 };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const SCRIPT = new URL(import.meta.filename.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);

/** Threads that read configurations, and the queue before them. */
interface Readers {
  turns: CallerSemaphore;
  threads: Threads<PlanRequest, PlanAnswer>;
}

function readers(): Readers {
  return { turns: new CallerSemaphore(CONCURRENCY_LIMITS), threads: new Threads(SCRIPT, LIMITS) };
}

const ofPipelines = readers();
/** A separate queue for linting, so that pipelines do not wait for it. */
const ofLint = readers();

/** A configuration to be read, and what for. */
export interface LintInput {
  text: string;
  /** Null for all jobs of the file. */
  origin: PipelineOrigin | null;
  known: KnownVariables;
  /** Null without a repository. */
  ground: Ground | null;
  inputs?: Raw | undefined;
  wantsMerged?: boolean;
}

/**
 * Reads the file of a commit, with all that it includes, and selects its jobs for the origin, in a separate thread.
 *
 * @throws RateLimited, Unavailable if too many files wait; ThreadLate if the machine is busy: that says nothing about the file
 */
export async function planPipeline(
  context: Context,
  ground: Ground,
  origin: PipelineOrigin,
  known: KnownVariables,
  inputs?: Raw,
): Promise<PipelinePlan> {
  const { repository, commit } = ground;
  const path = await configPath(context.db, { ciConfigPath: ground.configPath ?? null });
  const entry = await repository.entry(commit, path);
  if (entry?.type !== 'blob') return NO_PLAN;
  try {
    const content = await repository.blob(entry.oid, MAX_CONFIG_BYTES);
    return content === null
      ? NO_PLAN
      : await planText(context, ground, origin, { text: content.toString('utf8'), known, inputs });
  } catch (error) {
    if (isLimit(error, 'size')) return { ...NO_PLAN, error: `The file is larger than ${MAX_CONFIG_BYTES} bytes` };
    throw error;
  }
}

/** Like planPipeline, for a text in the place of the file. */
export async function planText(
  context: Context,
  ground: Ground,
  origin: PipelineOrigin,
  { text, known, inputs }: { text: string; known: KnownVariables; inputs?: Raw | undefined },
): Promise<PipelinePlan> {
  const plan = await read(context, ofPipelines, `project ${origin.project}`, {
    text,
    origin,
    known,
    ground,
    inputs,
  });
  return { ...plan, jobs: plan.jobs && (await withFileKeys(plan.jobs, ground)) };
}

/**
 * What a text would be as a CI configuration.
 *
 * @param caller key for fair queueing
 * @throws RateLimited, Unavailable if too many texts wait; ThreadLate
 */
export async function lintConfig(context: Context, caller: string, wish: LintInput): Promise<PipelinePlan> {
  const { text } = wish;
  if (text.trim() === '') return { ...NO_PLAN, error: `Please provide content of ${CONFIG_PATH}` };
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
    return { ...NO_PLAN, error: `The file is larger than ${MAX_CONFIG_BYTES} bytes` };
  }
  return read(context, ofLint, caller, wish);
}

/** Reads a configuration, looking for what it refers to as often as that leads to more. */
async function read(
  context: Context,
  { turns, threads }: Readers,
  caller: string,
  { ground, ...request }: LintInput,
): Promise<PipelinePlan> {
  const lookUp = new LookUp(context, ground);
  const end = performance.now() + TIMEOUT_MS;
  try {
    for (let round = 0; round < MAX_ROUNDS && performance.now() < end; round++) {
      const answer = await turns.run(caller, () => threads.run({ ...request, answers: lookUp.answers }));
      if ('plan' in answer) return answer.plan;
      await lookUp.add(answer.missing, end);
    }
    return { ...NO_PLAN, error: 'Resolving includes takes too long' };
  } catch (error) {
    if (!(error instanceof Overrun)) throw error;
    return { ...NO_PLAN, error: `Reading the file takes more than ${DEADLINE} ms of CPU time` };
  }
}
