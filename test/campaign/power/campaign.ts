import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packagePath } from '#src/platform/package_root.ts';
import { freePort, ownPostgres } from '../../support/own_postgres.ts';
import { gantry, settings, startServer, until } from '../../support/server_process.ts';
import { type BrokenOptions, broken, Ledger, perform, sender, setStage } from '../acts.ts';
import type { Campaign } from '../campaign.ts';
import { seeded } from '../seeded.ts';
import { type Model, notesOf, PowerDisk } from './disk.ts';
import type { Wanted } from './look.ts';
import { gitFsck, Recorder } from './recorder.ts';

const TOKEN = 'power-token-0123456789';

export interface PowerOptions {
  seed: number;
  /** How long the server is busy, in seconds. */
  seconds: number;
  /** How many times the power fails. */
  cuts: number;
  /** Whether what is found is said at once, and what was left of the disk is kept. */
  keep?: boolean;
}

/** What was recorded: the ledger has positions of the journal for its times. */
interface Recording {
  recorder: Recorder;
  ledger: Ledger;
  journal: Buffer;
  disk: PowerDisk;
}

export interface PowerResult {
  cuts: number;
  promised: Record<string, number>;
  refusals: string[];
  /** What was wrong after which cut. */
  found: string[];
}

/** The directories of a server below the recorded one. */
const places = (root: string) => ({ cluster: path.join(root, 'cluster'), data: path.join(root, 'data') });

const environment = (root: string, url: string, more: Record<string, string> = {}) =>
  settings(places(root).data, { DATABASE_URL: url, GANTRY_ROOT_TOKEN: TOKEN, ...more });

/** Records a server that is busy, then cuts the power at random points of what was recorded, and looks at what is left each time. */
export async function runPower(options: PowerOptions, say: (line: string) => void): Promise<PowerResult> {
  const { recorder, ledger, journal, disk } = await record(options);
  const promised = ledger.counts();
  say(
    `recorded ${(journal.length / 2 ** 20).toFixed(1)} MB; acknowledged ${JSON.stringify(promised)}; answers ${JSON.stringify([...ledger.statuses])}`,
  );
  for (const refusal of ledger.refusals.slice(0, 10)) say(`refused: ${refusal}`);
  const random = seeded(options.seed + 1);
  const found: string[] = [];
  let cut = 0;
  let looker = await Looker.start();
  const points = choosePoints(options.cuts, journal, ledger, random);
  for (const note of notesOf(journal)) {
    while (cut < points.length && (points[cut] ?? 0) < note.end) {
      const point = points[cut] ?? 0;
      const model: Model = random() < 0.5 ? 'journaled' : 'separate';
      const root = recorder.place(`cut${cut}`);
      disk.cut(root, model, random);
      if (!looker.isAlive) looker = await Looker.start();
      const wrong = await lookAt(root, looker, ledger, { by: point, most: 300, random }, cut % 10 === 0);
      for (const line of wrong) {
        found.push(`cut ${cut} at ${point}, ${model}: ${line}`);
        say(found.at(-1) ?? '');
      }
      if (wrong.length > 0 && options.keep) say(`kept ${root}`);
      else rmSync(root, { recursive: true, force: true });
      cut += 1;
      if (options.keep) say(`cut ${cut}: ${Math.round(performance.now() / 1000)} s`);
      if (cut % 20 === 0) say(`${cut} cuts, ${found.length} finds`);
    }
    disk.apply(note);
  }
  looker.end();
  if (!options.keep) recorder.remove();
  return { cuts: cut, promised, refusals: ledger.refusals, found };
}

async function record({ seed, seconds }: PowerOptions): Promise<Recording> {
  const recorder = new Recorder();
  const { cluster, data } = places(recorder.root);
  const postgres = await ownPostgres({ wal_init_zero: 'off' }, { cluster, variables: recorder.variables });
  const server = await startServer(environment(recorder.root, postgres.url, recorder.variables));
  try {
    await recorder.begin();
    const disk = new PowerDisk(recorder.root, recorder.copy, (at) => at === 'cluster' || at.startsWith('cluster/'));
    const ledger = new Ledger(() => recorder.position());
    const stop = new AbortController();
    const url = () => server.url;
    const send = sender(url, TOKEN);
    const stage = await setStage({ send, url, token: TOKEN, ledger, random: seeded(seed), signal: stop.signal });
    const done = perform(stage);
    await sleep(seconds * 1000);
    stop.abort();
    await done;
    const journal = recorder.end();
    if (!existsSync(data)) throw new Error('The server wrote nothing');
    return { recorder, ledger, journal, disk };
  } finally {
    await server.end('SIGKILL');
    await postgres.remove();
  }
}

/** Where the power fails, in order: every second time just when something has been acknowledged. */
function choosePoints(count: number, journal: Buffer, ledger: Ledger, random: () => number): number[] {
  const points = Array.from({ length: count }, (_, at) => {
    const promised = ledger.promised[Math.floor(random() * ledger.promised.length)];
    return at % 2 === 0 && promised ? promised.since : Math.floor(random() * journal.length);
  });
  return points.sort((left, right) => left - right);
}

/** What is wrong with a server on what the disk held after the power failed; a look at the whole takes much longer. */
async function lookAt(
  root: string,
  looker: Looker,
  ledger: Ledger,
  seen: BrokenOptions,
  isWhole: boolean,
): Promise<string[]> {
  const { cluster, data } = places(root);
  // Its process is not there after a machine has started anew.
  rmSync(path.join(cluster, 'postmaster.pid'), { force: true });
  const postgres = await ownPostgres({ fsync: 'off' }, { cluster });
  const port = await freePort();
  const env = environment(root, postgres.url, { PORT: String(port) });
  try {
    const send = sender(() => `http://127.0.0.1:${port}`, TOKEN);
    const ended = looker.serve(env);
    const isReady = until(async () => (await send('GET', '/-/readiness')).status === 200 || undefined);
    const early = await Promise.race([isReady.then(() => null), ended]);
    if (early !== null) return [`the server does not start: ${early}`];
    const missing = await broken(send, ledger, seen);
    const complaints = await looker.fsck(env);
    if (isWhole)
      complaints.push(...(await complaintsOf(['doctor'], env)), ...repositories(path.join(data, 'repositories')));
    looker.stop();
    await ended;
    return [...missing, ...complaints];
  } catch (error) {
    return [`the server does not start: ${error}`];
  } finally {
    await postgres.remove();
  }
}

/** The process that serves what is left, one after another. */
class Looker {
  readonly #process: ChildProcess;
  readonly #heard = new EventEmitter();

  private constructor(child: ChildProcess) {
    this.#process = child;
    child.on('message', (message: object) => {
      for (const [name, value] of Object.entries(message)) this.#heard.emit(name, value);
    });
    child.on('exit', (code, signal) => {
      this.#heard.emit('ended', `the process ended with ${code ?? signal}`);
      this.#heard.emit('findings', [`the process ended with ${code ?? signal}`]);
    });
  }

  static async start(): Promise<Looker> {
    const child = fork(packagePath('test/campaign/power/look.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await once(child, 'message');
    return new Looker(child);
  }

  get isAlive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Settles when the server has ended, with why. */
  async serve(env: NodeJS.ProcessEnv): Promise<string> {
    const heard = once(this.#heard, 'ended');
    this.#ask({ serve: env });
    return String((await heard)[0]);
  }

  /** What is wrong, also after the server has had time to record what a crash kept from it. */
  async fsck(env: NodeJS.ProcessEnv): Promise<string[]> {
    for (let tries = 1; ; tries += 1) {
      const heard = once(this.#heard, 'findings');
      this.#ask({ fsck: env });
      const [findings] = (await heard) as [string[]];
      // A job whose process has died runs again after half a minute.
      if (findings.length === 0 || tries === 30) return findings;
      await sleep(3_000);
    }
  }

  stop(): void {
    this.#ask({ stop: true });
  }

  end(): void {
    this.#process.kill('SIGKILL');
  }

  #ask(wanted: Wanted): void {
    this.#process.send(wanted);
  }
}

/** What a command finds wrong, also after the server has had time to record what a crash kept from it. */
export async function complaintsOf(command: string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  for (let tries = 1; ; tries += 1) {
    const { status, stdout, stderr } = await gantry(command, env);
    if (status === 0) return [];
    if (tries === 5) return [`gantry ${command.join(' ')}: ${stdout}${stderr}`];
    await sleep(3_000);
  }
}

/** What git says of each repository below a directory, apart from drafts. */
export function repositories(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory() && entry.name.endsWith('.git'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .flatMap((repository) => {
      const why = gitFsck(repository);
      return why === '' ? [] : [`git fsck ${path.basename(repository)}: ${why}`];
    });
}

export const campaign: Campaign = {
  name: 'power',
  summary: 'The power fails while a server is busy [--cuts 200] [--seconds 60] [--keep]',
  async run({ seed, given }) {
    const options = {
      seed,
      seconds: Number(given.seconds ?? 60),
      cuts: Number(given.cuts ?? 200),
      keep: given.keep !== undefined,
    };
    const begun = performance.now();
    const { cuts, found, refusals } = await runPower(options, (line) => console.log(line));
    console.log(`${cuts} cuts in ${Math.round((performance.now() - begun) / 1000)} s: ${found.length} finds`);
    return found.length === 0 && refusals.length === 0;
  },
};
