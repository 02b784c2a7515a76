import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { JobGone, type RunnerApi } from '#src/entrances/runner/api.ts';
import { checkOut } from '#src/entrances/runner/checkout.ts';
import { type Container, findEngine, runInContainer, takeOver } from '#src/entrances/runner/containers.ts';
import { type Concurrent, environmentOf, expand, ofRunner, variablesOf } from '#src/entrances/runner/environment.ts';
import { fetchDependencies, type Room, restoreCache, saveCache, sendArtifacts } from '#src/entrances/runner/files.ts';
import { JobLog } from '#src/entrances/runner/job_log.ts';
import type { JobPayload, JobStep } from '#src/entrances/runner/payload.ts';
import { Services } from '#src/entrances/runner/services.ts';
import { type Ending, exportsOf, findShell, run, scriptOf } from '#src/entrances/runner/shell.ts';
import { packageVersion } from '#src/platform/package_root.ts';

/** Milliseconds that `after_script` may take. */
const AFTERWARDS = 5 * 60_000;

/** Variables that the runner makes for each job. */
const MADE = ['CI_PROJECT_DIR', 'CI_BUILDS_DIR', 'CI_JOB_STATUS'];
/** What `after_script` is told of the job; before that it runs. */
const STATUSES = { success: 'running', failed: 'failed', canceled: 'canceled', gone: 'canceled' } as const;

/** How a job ended, and why it failed. */
export type Outcome =
  | { state: 'success' }
  | { state: 'failed'; reason: string; exitCode?: number }
  | { state: 'canceled' }
  | { state: 'gone' };

/** What running a job needs. */
export interface Running {
  api: RunnerApi;
  /** Directory of the runner, with working copies and caches below it. */
  directory: string;
  /** Aborted when the runner must end immediately. */
  stopping: AbortSignal;
  /** Which of its jobs it is; the only one when absent. */
  concurrent?: Concurrent;
}

/** Runs a job from start to end, and reports the outcome to the server. */
export async function runJob(job: JobPayload, running: Running): Promise<Outcome> {
  const { api, directory } = running;
  const builds = path.join(directory, 'builds');
  await mkdir(builds, { recursive: true, mode: 0o700 });
  const place = await mkdtemp(path.join(builds, `${job.id}-`));
  try {
    const temporary = path.join(place, 'tmp');
    await mkdir(temporary, { mode: 0o700 });
    const log = await JobLog.open(path.join(temporary, 'log'), api, job);
    const work = new Work(job, log, { ...running, place, temporary });
    const outcome = await work.run();
    if (outcome.state !== 'gone')
      log.say(outcome.state === 'success' ? 'Job succeeded' : `ERROR: Job ${outcome.state}: ${work.why}`);
    await log.end();
    // The server knows that it is canceled.
    if (outcome.state === 'canceled') await api.finish(job, { state: 'failed' });
    else if (outcome.state !== 'gone') await api.finish(job, outcome);
    return outcome;
  } catch (error) {
    if (error instanceof JobGone) return { state: 'gone' };
    throw error;
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** One running job. */
class Work {
  /** The failure in words. */
  why = '';
  readonly #job: JobPayload;
  readonly #log: JobLog;
  readonly #around: Running & { place: string; temporary: string };
  readonly #project: string;
  readonly #deadline: number;
  readonly #signal: AbortSignal;
  #environment: Record<string, string> = {};
  /** What the scripts run in; null for this machine itself. */
  #container: Pick<Container, 'engine' | 'image'> | null = null;
  #services: Services | null = null;
  #own: Record<string, string> = {};

  constructor(job: JobPayload, log: JobLog, around: Running & { place: string; temporary: string }) {
    this.#job = job;
    this.#log = log;
    this.#around = around;
    this.#project = path.join(around.place, 'project');
    this.#deadline = performance.now() + job.runner_info.timeout * 1_000;
    this.#signal = AbortSignal.any([log.over, around.stopping]);
  }

  async run(): Promise<Outcome> {
    const { temporary, place, directory, api } = this.#around;
    try {
      this.#log.say(`Running with gantry runner ${packageVersion()}.`);
      this.#container = this.#findContainer();
      const files = path.join(temporary, 'variables');
      await mkdir(files, { mode: 0o700 });
      const { concurrent = { id: 0, inProject: 0 } } = this.#around;
      this.#own = ofRunner(concurrent, this.#container !== null);
      const own = this.#own;
      this.#environment = await environmentOf(this.#job, { project: this.#project, builds: place, files, own });
      this.#environment.CI_JOB_STATUS = 'running';
      const room: Room = {
        api,
        job: this.#job,
        project: this.#project,
        temporary,
        caches: path.join(directory, 'cache'),
        variables: this.#variables(),
        say: (line) => this.#log.say(line),
        untracked: () => this.#untracked(),
      };
      return await this.#runWithin(room);
    } catch (error) {
      if (this.#log.over.aborted || error instanceof JobGone) return { state: 'gone' };
      this.why = (error as Error).message;
      return { state: 'failed', reason: 'runner_system_failure' };
    }
  }

  async #runWithin(room: Room): Promise<Outcome> {
    const sources = await this.#getSources();
    if (sources.kind !== 'exit' || sources.code !== 0) return this.#outcomeOf(sources, 'runner_system_failure');
    await restoreCache(room);
    await fetchDependencies(room);
    await using services = await this.#startServices();
    this.#services = services;
    const outcome = await this.#runSteps();
    if (this.#container) await takeOver(this.#inContainer(this.#container), this.#afterwards());
    if (outcome.state === 'gone' || outcome.state === 'canceled' || this.#signal.aborted) return outcome;
    if (outcome.state === 'success') await saveCache(room);
    await sendArtifacts(room, outcome.state === 'success');
    return outcome;
  }

  async #getSources(): Promise<Ending> {
    const { GIT_STRATEGY, GIT_DEPTH } = variablesOf(this.#job);
    const { ref, sha } = this.#job.git_info;
    if (GIT_STRATEGY === 'none') {
      await mkdir(this.#project);
      return { kind: 'exit', code: 0 };
    }
    this.#log.say(`Checking out ${sha.slice(0, 8)} as ${ref}…`);
    const given = /^[1-9]\d{0,8}$/.test(GIT_DEPTH ?? '') ? Number(GIT_DEPTH) : null;
    const depth = this.#job.git_info.depth || given;
    return checkOut(this.#job, this.#project, { ...this.#command(), timeout: this.#left() }, depth);
  }

  /** Runs the steps in order. The first failure decides the outcome; steps that always run still follow. */
  async #runSteps(): Promise<Outcome> {
    let outcome: Outcome = { state: 'success' };
    for (const step of this.#job.steps) {
      if (outcome.state !== 'success' && step.when !== 'always') continue;
      this.#environment.CI_JOB_STATUS =
        outcome.state === 'success' && step.when === 'always' ? 'success' : STATUSES[outcome.state];
      const ending = await this.#runStep(step);
      if (step.allow_failure && ending.kind === 'exit') {
        if (ending.code !== 0) this.#log.say(`WARNING: ${step.name} failed with exit code ${ending.code}.`);
        continue;
      }
      if (step.allow_failure && ending.kind === 'timeout') {
        this.#log.say(`WARNING: ${step.name} took too long.`);
        continue;
      }
      if (outcome.state === 'success' || ending.kind === 'canceled')
        outcome = this.#outcomeOf(ending, 'script_failure');
      if (outcome.state === 'gone' || this.#around.stopping.aborted) break;
    }
    return outcome;
  }

  async #runStep(step: JobStep): Promise<Ending> {
    const container = this.#container;
    const shell = container ? 'sh' : findShell();
    const file = path.join(this.#around.temporary, step.name.replace(/\W/g, '_'));
    const variables = container ? exportsOf(this.#variables()) : '';
    await writeFile(file, variables + scriptOf(step.script, shell), { mode: 0o700 });
    const own = Math.max(0, step.timeout * 1_000);
    const timeout = step.when === 'always' ? Math.min(own, AFTERWARDS) : Math.min(own, this.#left());
    const { environment, ...command } = this.#command();
    // What clears up after the script is run although the job is canceled.
    const signal = step.when === 'always' ? this.#signal : AbortSignal.any([this.#signal, this.#log.canceling]);
    const around = { directory: this.#project, timeout, ...command, signal };
    if (container) return runInContainer(this.#inContainer(container), file, around);
    return run({ program: shell, args: [file], environment, ...around });
  }

  /** What the scripts run in, as far as the job asks for it and it is there; the log says what is not. */
  #findContainer(): Pick<Container, 'engine' | 'image'> | null {
    const { image, services } = this.#job;
    const engine = image ? findEngine() : null;
    const names = (services ?? []).map(({ name }) => name).join(', ');
    if (names !== '' && !engine) this.#log.say(`WARNING: Services are only started for jobs in containers: ${names}.`);
    if (!image) return null;
    const known = { ...image, name: expand(image.name, variablesOf(this.#job)) };
    if (engine) this.#log.say(`Using ${engine} with the image ${known.name}.`);
    else {
      this.#log.say(
        `WARNING: The job asks for the image ${known.name}, but there is neither docker nor podman: it runs on the machine itself.`,
      );
    }
    return engine && { engine, image: known };
  }

  /** The services of a job in a container; null without any. */
  async #startServices(): Promise<Services | null> {
    const { services } = this.#job;
    const engine = this.#container?.engine;
    if (!engine || !services?.length) return null;
    const variables = this.#variables();
    const named = services.map((service) => ({
      ...service,
      name: expand(service.name, variables),
      alias: service.alias && expand(service.alias, variables),
      variables: service.variables?.map(({ key, value }) => ({ key, value: expand(value, variables) })) ?? null,
    }));
    const { temporary } = this.#around;
    const say = (line: string) => this.#log.say(line);
    const signal = AbortSignal.any([this.#signal, this.#log.canceling]);
    const around = { directory: this.#project, timeout: this.#left(), signal };
    return Services.start(named, { engine, temporary, variables, say }, around);
  }

  #inContainer(container: Pick<Container, 'engine' | 'image'>): Container {
    return { ...container, place: this.#around.place, network: this.#services?.network };
  }

  /** The variables of the job, without the environment of this machine. */
  #variables(): Record<string, string> {
    const names = new Set([...this.#job.variables.map(({ key }) => key), ...Object.keys(this.#own), ...MADE]);
    return Object.fromEntries(Object.entries(this.#environment).filter(([name]) => names.has(name)));
  }

  /** For what is cleared up after the scripts, whatever became of them. */
  #afterwards() {
    const { onOutput } = this.#command();
    return { directory: this.#project, timeout: 60_000, onOutput, signal: this.#around.stopping };
  }

  #command() {
    return {
      environment: this.#environment,
      signal: this.#signal,
      onOutput: (chunk: Buffer) => this.#log.write(chunk),
    };
  }

  /** Milliseconds that the job may still take. */
  #left(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  #outcomeOf(ending: Ending, reason: string): Outcome {
    if (ending.kind === 'exit' && ending.code === 0) return { state: 'success' };
    if (ending.kind === 'exit') {
      this.why = `exit code ${ending.code}`;
      return { state: 'failed', reason, exitCode: ending.code };
    }
    if (ending.kind === 'timeout') {
      this.why = `it took longer than ${this.#job.runner_info.timeout} seconds`;
      return { state: 'failed', reason: 'job_execution_timeout' };
    }
    if (this.#log.over.aborted) return { state: 'gone' };
    if (this.#log.canceling.aborted && !this.#around.stopping.aborted) {
      this.why = 'it was canceled on the server';
      return { state: 'canceled' };
    }
    this.why = 'the runner was stopped';
    return { state: 'failed', reason: 'runner_system_failure' };
  }

  async #untracked(): Promise<string[]> {
    const chunks: Buffer[] = [];
    const args = ['-c', 'core.quotePath=false', 'ls-files', '--others', '-z'];
    const onOutput = (chunk: Buffer) => chunks.push(chunk);
    const ending = await run({
      program: 'git',
      args,
      directory: this.#project,
      ...this.#command(),
      timeout: this.#left(),
      onOutput,
    });
    if (ending.kind !== 'exit' || ending.code !== 0) throw new Error('The untracked files cannot be listed.');
    return Buffer.concat(chunks)
      .toString('utf8')
      .split('\0')
      .filter((name) => name !== '');
  }
}
