import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';

/** What a client asked for when it created a container. */
export interface ContainerWish {
  Image: string;
  Entrypoint: string[];
  Cmd: string[];
  Env: string[];
  ExposedPorts: Record<string, object>;
  HostConfig: { ShmSize?: number };
}

interface Running {
  wish: ContainerWish;
  child: ChildProcess | undefined;
  port: number;
}

/**
 * A part of the API of Docker's engine, for Testcontainers. Containers are programs of this machine, without an image and without
 * walls: `carryOut` starts one for what was asked, and for commands that are run in it.
 */
export class ContainerEngine {
  readonly wishes: ContainerWish[] = [];
  readonly #carryOut: (command: string[], env: Record<string, string>) => ChildProcess;
  readonly #freePort: () => Promise<number>;
  readonly #containers = new Map<string, Running>();
  readonly #commands = new Map<string, { container: Running; command: string[]; status: number | null }>();
  readonly #server: Server;

  constructor(
    carryOut: (command: string[], env: Record<string, string>) => ChildProcess,
    freePort: () => Promise<number>,
  ) {
    this.#carryOut = carryOut;
    this.#freePort = freePort;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => {
        response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ message: String(error) }));
      });
    });
  }

  /** The address of the engine, for `DOCKER_HOST`. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `tcp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ids of containers that run. */
  get running(): string[] {
    return [...this.#containers].filter(([, { child }]) => child && child.exitCode === null).map(([id]) => id);
  }

  async stop(): Promise<void> {
    for (const one of this.#containers.values()) await end(one);
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = (request.url ?? '').replace(/^\/v[\d.]+/, '').replace(/\?.*/, '');
    const say = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const [, kind = '', id = '', action] = /^\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(target) ?? [];
    const step = `${request.method} ${kind}${action ? ` ${action}` : ''}`;
    if (step === 'GET _ping' || step === 'GET info' || step === 'GET version') {
      return void say(200, {
        ServerVersion: '0',
        OperatingSystem: 'none',
        OSType: 'linux',
        Architecture: 'none',
        Labels: [],
      });
    }
    if (step === 'GET containers' && id === 'json') return void say(200, []);
    if (step === 'GET images json') return void say(200, { Id: id });
    if (step === 'GET networks') return void say(200, { Name: id, IPAM: { Config: [] } });
    if (step === 'POST containers' && id === 'create') {
      const wish = (await json(request)) as ContainerWish;
      this.wishes.push(wish);
      const made = `c${this.#containers.size}`.padEnd(64, '0');
      this.#containers.set(made, { wish, child: undefined, port: await this.#freePort() });
      return void say(201, { Id: made, Warnings: [] });
    }
    const container = this.#containers.get(id);
    if (container) return this.#answerOf({ id, container, step }, request, response, say);
    const command = this.#commands.get(id);
    if (command && step === 'POST exec start') return this.#run(command, response);
    if (command && step === 'GET exec json') return void say(200, { ExitCode: command.status, Running: false });
    say(404, { message: `There is no ${request.method} ${target}` });
  }

  async #answerOf(
    { id, container, step }: { id: string; container: Running; step: string },
    request: IncomingMessage,
    response: ServerResponse,
    say: (status: number, body: unknown) => void,
  ): Promise<void> {
    if (step === 'POST containers start') {
      const { Entrypoint, Cmd } = container.wish;
      const child = this.#carryOut([...Entrypoint, ...Cmd], envOf(container));
      // Nobody reads what it prints.
      child.stdout?.resume();
      child.stderr?.resume();
      container.child = child;
      response.writeHead(204).end();
    } else if (step === 'GET containers logs') {
      response.writeHead(200, { 'content-type': 'application/vnd.docker.raw-stream' }).end();
    } else if (step === 'GET containers json') say(200, inspected(id, container));
    else if (step === 'POST containers exec') {
      const { Cmd } = (await json(request)) as { Cmd: string[] };
      const exec = `e${this.#commands.size}`;
      this.#commands.set(exec, { container, command: Cmd, status: null });
      say(201, { Id: exec });
    } else if (step === 'POST containers stop' || step === 'DELETE containers') {
      await end(container);
      response.writeHead(204).end();
    } else say(404, { message: `There is no ${step}` });
  }

  /** Runs a command in a container; its output comes in frames that say from which stream it is. */
  async #run(
    one: { container: Running; command: string[]; status: number | null },
    response: ServerResponse,
  ): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/vnd.docker.raw-stream' });
    const child = this.#carryOut(one.command, envOf(one.container));
    const frame = (stream: number) => (chunk: Buffer) => {
      const head = Buffer.alloc(8);
      head.writeUInt8(stream, 0);
      head.writeUInt32BE(chunk.length, 4);
      response.write(Buffer.concat([head, chunk]));
    };
    child.stdout?.on('data', frame(1));
    child.stderr?.on('data', frame(2));
    one.status = await new Promise((resolve) => child.once('close', resolve));
    response.end();
  }
}

/** The variables of a container; its server listens where the port is published. */
function envOf({ wish, port }: Running): Record<string, string> {
  const env = Object.fromEntries(wish.Env.map((one) => one.split(/=(.*)/s, 2) as [string, string]));
  return { ...env, PORT: String(port) };
}

function inspected(id: string, { wish, child, port }: Running): object {
  const published = Object.keys(wish.ExposedPorts).map((name) => [
    name,
    [{ HostIp: '127.0.0.1', HostPort: String(port) }],
  ]);
  return {
    Id: id,
    Name: `/${id}`,
    Config: { Hostname: id, Labels: {}, Image: wish.Image },
    State: {
      Running: child?.exitCode === null,
      Status: 'running',
      StartedAt: new Date().toISOString(),
      FinishedAt: '',
    },
    HostConfig: { PortBindings: {} },
    NetworkSettings: { Ports: Object.fromEntries(published), Networks: {} },
  };
}

async function end({ child }: Running): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await gone;
}

/**
 * Starts a program of this machine for a container, with nothing of this process' environment but what finds programs.
 *
 * @param inside where each container has a directory for temporary files of its own
 */
export function onThisMachine(cwd: string, inside: string, own: Record<string, string>) {
  return (command: string[], env: Record<string, string>): ChildProcess => {
    const directory = path.join(inside, env.PORT ?? '');
    mkdirSync(directory, { recursive: true });
    const [program = '', ...args] = command[0] === 'tini' ? command.slice(2) : command;
    return spawn(program, args, {
      cwd,
      env: { PATH: process.env.PATH, ...env, TMPDIR: directory, ...own } as NodeJS.ProcessEnv,
    });
  };
}
