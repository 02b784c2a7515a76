import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { packagePath } from '#src/platform/package_root.ts';

const { heapOptions, heapSettings } = createRequire(import.meta.url)('../../../bin/heap.cjs') as {
  heapOptions: string[];
  heapSettings: Record<string, string>;
};

/** In megabytes. */
export interface Memory {
  heap: number;
  external: number;
  rss: number;
}

/** A failure that the server has logged. */
export interface LoggedFailure {
  /** The first lines of the stack, or the message. */
  place: string;
  text: string;
}

/** A server in a process of its own, with the sample data, which tells what it fails at. */
export class CampaignServer {
  readonly #child: ChildProcess;
  readonly url: string;
  readonly port: number;
  /** Private tokens by username. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Milliseconds of the turns of the event loop that took long, since somebody asked. */
  stalls: number[] = [];
  failures: LoggedFailure[] = [];
  /** The last lines on its standard error. */
  log = '';
  readonly #answers: Record<string, unknown>[] = [];
  #memory: ((memory: Memory) => void) | null = null;
  #wake: (() => void) | null = null;

  private constructor(child: ChildProcess, url: string, tokens: Record<string, string>) {
    this.#child = child;
    this.url = url;
    this.port = Number(new URL(url).port);
    this.tokens = tokens;
  }

  static async start(): Promise<CampaignServer> {
    const monitor = new URL('./monitor.ts', import.meta.url).href;
    const args = ['--import', monitor, packagePath('bin/gantry.js'), 'serve', '--ephemeral', '--seed', '--control'];
    const child = spawn(process.execPath, [...heapOptions, ...args], {
      env: { ...process.env, ...heapSettings, LOG_LEVEL: 'error' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const [first] = await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(([status]) => Promise.reject(new Error(`The server ended with ${status}`))),
    ]);
    const { url, tokens } = JSON.parse(first);
    const server = new CampaignServer(child, url, tokens);
    lines.on('line', (line) => {
      server.#answers.push(JSON.parse(line));
      server.#wake?.();
    });
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => server.#hear(line));
    return server;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Brings the sample data back. */
  async reset(): Promise<void> {
    this.#child.stdin?.write('reset\n');
    while (this.#answers.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    const answer = this.#answers.shift();
    if (answer?.event === 'failed') throw new Error(String(answer.message));
  }

  /** What is in use after garbage was collected. */
  async memory(): Promise<Memory> {
    const { promise, resolve } = Promise.withResolvers<Memory>();
    this.#memory = resolve;
    this.#child.kill('SIGUSR2');
    return promise;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'close');
    this.#child.stdin?.end();
    await ended;
  }

  #hear(line: string): void {
    this.log = `${this.log}${line}\n`.slice(-20_000);
    let said: Record<string, unknown>;
    try {
      said = JSON.parse(line);
    } catch {
      if (line.trim() !== '') this.failures.push({ place: line.slice(0, 200), text: line });
      return;
    }
    const { campaign } = said as { campaign?: { stall?: number; memory?: Memory } };
    if (campaign?.stall !== undefined) this.stalls.push(campaign.stall);
    else if (campaign?.memory) this.#memory?.(campaign.memory);
    else this.failures.push({ place: placeOf(said), text: line });
  }
}

function placeOf(said: Record<string, unknown>): string {
  const error = (said.err ?? said.error ?? said) as { stack?: string; message?: string };
  const lines = (error.stack ?? '')
    .split('\n')
    .filter((one) => /^\s+at .*\/(?:src|rest|schema|pages|compat)\//.test(one));
  const place = lines
    .slice(0, 2)
    .map((one) => one.trim().replace(/file:\/\/\S*?\/(?=(?:src|rest|schema|pages|compat)\/)/, ''))
    .join(' < ');
  return place || (error.message ?? JSON.stringify(said)).slice(0, 200);
}
