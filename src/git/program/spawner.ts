import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { makeWorkDirectory } from '#src/base/work_directory.ts';

/** How a program is started; its standard streams are pipes. */
export interface SpawnOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** Whether it leads a process group of its own. */
  detached?: boolean;
}

type Message =
  | { id: number; pid: number }
  | { id: number; code: number | null; signal: NodeJS.Signals | null }
  | { id: number; error: string };

/** Connections that are kept ready for the streams of the next programs; each program takes three. */
const READY_CONNECTIONS = 24;
/** Bytes by which the spawner numbers a connection before a program has it. */
const NUMBER_BYTES = 16;

/** How this process reaches the spawner: a connection, and its number there. */
interface Connection {
  socket: Socket;
  number: number;
}

let running: Spawner | null = null;

/** The spawner of this process, if one runs. */
export function spawner(): Spawner | null {
  return running;
}

/**
 * Starts the process that starts programs for this one from now on. To fork a process of some hundred megabytes takes its event loop
 * 10 to 30 ms each time; the spawner is small. Programs that are wanted while it has no connection ready are started directly, and
 * all of them if it ends.
 *
 * @param script path of `bin/spawner.js`
 * @returns a function that ends it, and the programs that still run
 */
export async function startSpawner(script: string): Promise<() => Promise<void>> {
  // There are no sockets of files elsewhere.
  if (process.platform === 'win32') return async () => undefined;
  const directory = await makeWorkDirectory('spawner');
  const address = path.join(directory, 'socket');
  const child = fork(script, [address], { execArgv: SMALL, env: {}, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const started = new Spawner(child, address);
  const exit = once(child, 'exit').then(() => {
    if (running === started) running = null;
    started.abandon();
  });
  const isListening = await Promise.race([once(child, 'message').then(() => true), exit.then(() => false)]);
  if (!isListening) {
    await rm(directory, { recursive: true, force: true });
    return async () => undefined;
  }
  child.on('message', (message) => started.take(message as Message));
  child.unref();
  child.channel?.unref();
  started.refill();
  running = started;
  return async () => {
    if (running === started) running = null;
    if (child.connected) child.disconnect();
    started.abandon();
    await rm(directory, { recursive: true, force: true });
  };
}

/** It holds next to nothing, and runs little. */
const SMALL = ['--max-semi-space-size=1', '--max-old-space-size=64', '--no-opt', '--single-threaded'];

/** The small process that starts programs, as this process sees it. */
export class Spawner {
  readonly #process: ChildProcess;
  readonly #address: string;
  readonly #programs = new Map<number, SpawnedProgram>();
  readonly #ready: Connection[] = [];
  #connecting = 0;
  #lastId = 0;

  constructor(child: ChildProcess, address: string) {
    this.#process = child;
    this.#address = address;
  }

  /** Starts a program; null where no connections are ready for its streams. */
  start(command: string, args: readonly string[], options: SpawnOptions): SpawnedProgram | null {
    if (!this.#process.connected) return null;
    const usable = this.#ready.filter(({ socket }) => !socket.destroyed).slice(0, 3);
    const [stdin, stdout, stderr] = usable;
    if (stdin === undefined || stdout === undefined || stderr === undefined) return null;
    this.#ready.splice(0, this.#ready.indexOf(stderr) + 1);
    const id = ++this.#lastId;
    const streams = usable.map(({ number }) => number);
    const send = (message: object) => this.#process.connected && this.#process.send(message);
    const program = new SpawnedProgram([stdin.socket, stdout.socket, stderr.socket], (signal, group) =>
      send({ kill: id, signal, group }),
    );
    this.#programs.set(id, program);
    send({ start: id, command, args, options, streams });
    this.refill();
    return program;
  }

  /** Takes what the spawner says of a program. */
  take(message: Message): void {
    const program = this.#programs.get(message.id);
    if (program === undefined) return;
    if ('pid' in message) {
      program.begin(message.pid);
      return;
    }
    this.#programs.delete(message.id);
    if ('error' in message) program.fail(new Error(message.error));
    else program.end(message.code, message.signal);
  }

  /** Lets go of all: the spawner has ended, and with it what it started. */
  abandon(): void {
    for (const { socket } of this.#ready.splice(0)) socket.destroy();
    for (const program of this.#programs.values()) program.fail(new Error('the process that started it has ended'));
    this.#programs.clear();
  }

  /** Makes connections for the programs to come. */
  refill(): void {
    while (this.#ready.length + this.#connecting < READY_CONNECTIONS && this.#process.connected) {
      this.#connecting += 1;
      const socket = connect({ path: this.#address });
      const failed = () => {
        this.#connecting -= 1;
      };
      socket.once('error', failed);
      socket.once('readable', () => {
        const number: Buffer | null = socket.read(NUMBER_BYTES);
        socket.off('error', failed);
        this.#connecting -= 1;
        if (number === null) {
          socket.destroy();
          return;
        }
        socket.on('error', () => undefined);
        this.#ready.push({ socket: socket.unref(), number: Number(number.toString('latin1')) });
      });
    }
  }
}

interface Events {
  spawn: [];
  error: [Error];
  exit: [code: number | null, signal: NodeJS.Signals | null];
  close: [code: number | null, signal: NodeJS.Signals | null];
}

/** A program that the spawner runs, with the part of `ChildProcess` that is used here. */
export class SpawnedProgram extends EventEmitter<Events> {
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  pid: number | undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly #kill: (signal: NodeJS.Signals, group: boolean) => void;
  /** The streams of output that are still open, and the program itself. */
  #open = 3;
  #isOver = false;

  constructor(
    [stdin, stdout, stderr]: [Socket, Socket, Socket],
    kill: (signal: NodeJS.Signals, group: boolean) => void,
  ) {
    super();
    this.stdin = stdin.ref();
    this.stdout = stdout.ref();
    this.stderr = stderr.ref();
    this.#kill = kill;
    // Notices when the program no longer reads.
    stdin.resume();
    for (const output of [stdout, stderr]) output.once('close', () => this.#close());
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    if (this.#isOver) return false;
    this.#kill(signal, false);
    return true;
  }

  /** Ends its process group at once. */
  killGroup(): void {
    if (!this.#isOver) this.#kill('SIGKILL', true);
  }

  /** Nothing: the process waits for the streams of a program alone. */
  ref(): void {}

  /** As `ref`. */
  unref(): void {}

  begin(pid: number): void {
    this.pid = pid;
    this.emit('spawn');
  }

  fail(error: Error): void {
    this.#isOver = true;
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.destroy();
    this.emit('error', error);
    this.#close();
  }

  end(code: number | null, signal: NodeJS.Signals | null): void {
    this.#isOver = true;
    this.exitCode = code;
    this.signalCode = signal;
    this.stdin.destroy();
    this.emit('exit', code, signal);
    // What nobody reads does not keep the program from being over.
    for (const output of [this.stdout, this.stderr]) if (output.readableFlowing === null) output.resume();
    this.#close();
  }

  #close(): void {
    this.#open -= 1;
    if (this.#open === 0) this.emit('close', this.exitCode, this.signalCode);
  }
}
