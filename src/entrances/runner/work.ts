import { setTimeout as sleep } from 'node:timers/promises';
import { type JobAnswer, Refused, RunnerApi } from '#src/entrances/runner/api.ts';
import type { RunnerConfig } from '#src/entrances/runner/config.ts';
import type { JobPayload } from '#src/entrances/runner/payload.ts';
import { runJob } from '#src/entrances/runner/run_job.ts';

/** Milliseconds between requests while there is no job. */
const PAUSE = 3_000;
/** Milliseconds between requests while the server does not answer. */
const AWAY = { first: 1_000, longest: 30_000 };

export interface WorkOptions {
  config: RunnerConfig;
  /** Directory for working copies and caches. */
  directory: string;
  /** How many jobs run at once. */
  concurrency: number;
  /** Whether to end when no job is waiting and none is running. */
  once: boolean;
  /** Aborted when no more jobs should be taken. */
  ending: AbortSignal;
  /** Aborted when running jobs should be given up. */
  stopping: AbortSignal;
  say(line: string): void;
}

/** Takes jobs and runs them until told to end. Throws Refused if the server does not know the runner. */
export async function work(options: WorkOptions): Promise<void> {
  const { config, concurrency, once, ending, say } = options;
  const api = new RunnerApi(config.url);
  const running = new Set<Promise<void>>();
  const taken = new Set<string>();
  const ended = untilAborted(ending);
  let lastUpdate: string | undefined;
  let away = 0;
  try {
    while (!ending.aborted) {
      if (running.size >= concurrency) {
        await Promise.race([...running, ended]);
        continue;
      }
      const answer = await ask(api, config, lastUpdate, options);
      if (answer === null) {
        if (ending.aborted) break;
        away = Math.min(away === 0 ? AWAY.first : away * 2, AWAY.longest);
        await pause(away, ending);
        continue;
      }
      away = 0;
      if (answer.job) {
        start(answer.job);
        continue;
      }
      if (once && running.size === 0) break;
      // When a job ends, others may become ready.
      lastUpdate = once ? undefined : answer.lastUpdate;
      await Promise.race([pause(PAUSE, ending), ...(once ? running : [])]);
    }
  } finally {
    await Promise.all(running);
  }

  function start(job: JobPayload): void {
    say(`Job ${job.id} (${job.job_info.name} of ${job.job_info.project_name}) begins.`);
    const id = lowestFree((one) => `${one}`);
    const inProject = lowestFree((one) => `${one} of project ${job.job_info.project_id}`);
    const places = [`${id}`, `${inProject} of project ${job.job_info.project_id}`];
    for (const place of places) taken.add(place);
    const concurrent = { id, inProject };
    const done = runJob(job, { api, directory: options.directory, stopping: options.stopping, concurrent })
      .then(({ state }) => say(`Job ${job.id} ${state === 'gone' ? 'is over on the server' : state}.`))
      .catch((error) => say(`Job ${job.id} was lost: ${error.message}`))
      .finally(() => {
        running.delete(done);
        for (const place of places) taken.delete(place);
      });
    running.add(done);
  }

  /** The lowest number whose name no running job has. */
  function lowestFree(nameOf: (number: number) => string): number {
    let number = 0;
    while (taken.has(nameOf(number))) number += 1;
    return number;
  }
}

/** The server's response; null if it does not answer. Throws Refused. */
async function ask(
  api: RunnerApi,
  { token }: RunnerConfig,
  lastUpdate: string | undefined,
  { ending, say }: WorkOptions,
): Promise<JobAnswer | null> {
  try {
    // A pending request is not aborted: the server may already have assigned a job.
    return await api.request(token, lastUpdate);
  } catch (error) {
    if (error instanceof Refused) throw error;
    if (!ending.aborted) say(`No answer from the server: ${reasonOf(error as Error)}. Trying again.`);
    return null;
  }
}

/** The details of an error of `fetch` are in its cause. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message || message : message;
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
