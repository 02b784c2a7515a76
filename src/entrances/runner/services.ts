import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, pullPolicy } from '#src/entrances/runner/containers.ts';
import type { Values } from '#src/entrances/runner/environment.ts';
import type { JobService } from '#src/entrances/runner/payload.ts';
import { type Command, run } from '#src/entrances/runner/shell.ts';

/** Milliseconds within which services are to listen on their ports, and between looking. */
const READY = { patience: 30_000, pause: 500 };
/** Services of one job. */
const MAX_SERVICES = 20;

/** How the engine is run. */
type Around = Pick<Command, 'directory' | 'signal' | 'timeout'>;

interface Starting {
  engine: Engine;
  /** Directory for files that only the job needs. */
  temporary: string;
  /** The variables of the job, which services get, too. */
  variables: Values;
  say(line: string): void;
}

/** The services of a job, in a network of their own. */
export class Services implements AsyncDisposable {
  readonly network: string;
  readonly #engine: Engine;
  readonly #names: string[] = [];
  readonly #around: Around;

  private constructor(engine: Engine, around: Around) {
    this.#engine = engine;
    this.#around = around;
    this.network = `gantry-${randomBytes(8).toString('hex')}`;
  }

  /** Starts services, and waits until they listen on their ports, but not for ever. Throws Error for one that cannot be started. */
  static async start(services: readonly JobService[], starting: Starting, around: Around): Promise<Services> {
    if (services.length > MAX_SERVICES) throw new Error(`The job has more than ${MAX_SERVICES} services.`);
    const made = new Services(starting.engine, around);
    try {
      await made.#must(['network', 'create', made.network], 'a network for services could not be made');
      for (const service of services) await made.#start(service, starting);
      await Promise.all(made.#names.map((name, at) => made.#awaitPort(name, services[at], starting)));
      return made;
    } catch (error) {
      await made[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #start(service: JobService, { temporary, variables, say }: Starting): Promise<void> {
    const name = `${this.network}-${this.#names.length}`;
    const file = path.join(temporary, `service_${this.#names.length}`);
    const given = {
      ...variables,
      ...Object.fromEntries((service.variables ?? []).map(({ key, value }) => [key, value])),
    };
    await writeFile(file, envFile(given), { mode: 0o600 });
    const [entrypoint, ...before] = service.entrypoint ?? [];
    say(`Starting the service ${service.name}…`);
    this.#names.push(name);
    const args = [
      ...['run', '--detach', '--name', name, '--network', this.network],
      ...aliasesOf(service).flatMap((alias) => ['--network-alias', alias]),
      ...['--env-file', file],
      ...pullPolicy(service),
      ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
      ...['--', service.name, ...before, ...(service.command ?? [])],
    ];
    await this.#must(args, `the service ${service.name} could not be started`);
  }

  /** Waits for the first port that the image exposes. */
  async #awaitPort(name: string, service: JobService | undefined, { say }: Starting): Promise<void> {
    const { output } = await this.#run(['inspect', '--format', '{{json .Config.ExposedPorts}}', name]);
    const port = firstPort(output);
    if (port === null) return;
    const end = performance.now() + READY.patience;
    while (performance.now() < end && !this.#around.signal.aborted) {
      const { output: table } = await this.#run(['exec', name, 'cat', '/proc/net/tcp', '/proc/net/tcp6']);
      if (listensOn(table, port)) return;
      // Neither a program that tells, nor a container that could.
      if (!table.includes('local_address')) break;
      await sleep(READY.pause, undefined, { signal: this.#around.signal }).catch(() => undefined);
    }
    say(`WARNING: The service ${service?.name} does not listen on port ${port} yet.`);
    const { output: log } = await this.#run(['logs', '--tail', '20', name]);
    if (log.trim() !== '') say(log.trimEnd());
  }

  /** Removes the containers and the network. */
  async [Symbol.asyncDispose](): Promise<void> {
    const around = { signal: new AbortController().signal, timeout: 60_000 };
    if (this.#names.length > 0) await this.#run(['rm', '--force', '--volumes', ...this.#names], around);
    await this.#run(['network', 'rm', this.network], around);
  }

  async #must(args: string[], why: string): Promise<void> {
    const { code, output } = await this.#run(args);
    if (code !== 0) throw new Error(`${why}${output.trim() === '' ? '' : `: ${output.trim().slice(-1_000)}`}`);
  }

  async #run(args: string[], around: Partial<Around> = {}): Promise<{ code: number; output: string }> {
    const chunks: Buffer[] = [];
    const ending = await run({
      ...{ program: this.#engine, args, environment: process.env, ...this.#around, ...around },
      onOutput: (chunk) => chunks.push(chunk),
    });
    return { code: ending.kind === 'exit' ? ending.code : 1, output: Buffer.concat(chunks).toString('utf8') };
  }
}

/** The names under which the job reaches a service: those of its image, and those that the file gives it. */
export function aliasesOf({ name, alias }: JobService): string[] {
  const plain = name
    .replace(/@[^@]*$/, '')
    .replace(/:[^/:]*$/, '')
    .replace(/:\d+\//, '/');
  const ofImage = [plain.replaceAll('/', '__'), plain.replaceAll('/', '-')];
  const given = (alias ?? '').split(/[\s,]+/);
  return [...new Set([...ofImage, ...given])].filter((one) => /^[A-Za-z0-9][\w.-]{0,62}$/.test(one));
}

/** Variables as both programs read them; values of several lines cannot be told so. */
function envFile(values: Values): string {
  return Object.entries(values)
    .filter(([name, value]) => /^[A-Za-z_]\w*$/.test(name) && !/[\r\n]/.test(value))
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** The lowest TCP port of an image, from `{"5432/tcp":{}}`; null without one. */
function firstPort(json: string): number | null {
  const ports = [...json.matchAll(/"(\d{1,5})\/tcp"/g)].map(([, port]) => Number(port));
  return ports.length === 0 ? null : Math.min(...ports);
}

/** Whether somebody listens on a port, by what Linux tells of its connections (proc(5), /proc/net/tcp). */
export function listensOn(table: string, port: number): boolean {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').some((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    return state === LISTENING && local.endsWith(`:${wanted}`);
  });
}

const LISTENING = '0A';
