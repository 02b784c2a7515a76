import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { packagePath } from '#src/platform/package_root.ts';
import {
  followServer,
  postgresPid,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
  until,
} from '../support/server_process.ts';
import { type Scatter, scatter } from './compare.ts';
import { type HeapKind, largestKinds } from './heap_kinds.ts';
import { send } from './load.ts';
import { countsCpu, cpuOf, parentOf, residentMegabytes } from './process_tree.ts';

/** What the server needs when nobody asks for anything. */
export interface Idle {
  /** Resident megabytes of the server without PostgreSQL, a while after the start, and after a collection of garbage. */
  idle: number;
  collected: number;
  /** The largest of what is in its heap then. */
  kinds: HeapKind[];
}

/** How long the server takes to start on data that is there: by `npm start`, and by the program that it runs. */
export interface Start {
  npm: StartTime;
  program: StartTime;
}

/** Milliseconds to the first answer, and those of CPU that all but PostgreSQL has used by then. */
export interface StartTime {
  time: Scatter;
  cpu: Scatter;
}

/** How many starts are measured. */
const STARTS = 5;

/** Milliseconds until a server that nobody uses has come to rest. */
const REST = 10_000;

/** Starts the server again and again on data of its own. */
export function measureStart(): Promise<Start> {
  return onWarmData(async (directory) => {
    const npm: Started[] = [];
    const program: Started[] = [];
    for (let turn = 0; turn < STARTS; turn++) {
      npm.push(await timeStart(directory, () => followServer(npmStart(settings(directory)))));
      program.push(await timeStart(directory, () => startServer(settings(directory))));
    }
    return { npm: together(npm), program: together(program) };
  });
}

/** Starts the server on data of its own, and lets it rest. */
export function measureIdle(): Promise<Idle> {
  return onWarmData(idleMemory);
}

async function onWarmData<Result>(measure: (directory: string) => Promise<Result>): Promise<Result> {
  const { directory, remove } = scratchDirectory();
  try {
    // The first start makes the database; the second has its code compiled already.
    for (let turn = 0; turn < 2; turn++) await stop(await startServer(settings(directory)));
    return await measure(directory);
  } finally {
    remove();
  }
}

async function idleMemory(directory: string): Promise<Idle> {
  const collector = pathToFileURL(path.join(import.meta.dirname, 'collect.js')).href;
  const options = `--expose-gc --import=${collector}`;
  const server = await startServer(settings(directory, { NODE_OPTIONS: options, SNAPSHOTS: directory }));
  try {
    await sleep(REST);
    const { pid = 0 } = server.child;
    // PostgreSQL runs below a shell that stops it when the server is gone.
    const megabytes = () => residentMegabytes(pid, parentOf(postgresPid(directory)));
    const idle = megabytes();
    server.child.kill('SIGUSR2');
    await sleep(2_000);
    const collected = megabytes();
    server.child.kill('SIGWINCH');
    const snapshot = await until(() => readdirSync(directory).find((name) => name.endsWith('.heapsnapshot')));
    return { idle, collected, kinds: largestKinds(path.join(directory, snapshot)) };
  } finally {
    await stop(server);
  }
}

/** As people start it. */
function npmStart(env: NodeJS.ProcessEnv) {
  const { npm_execpath: npm } = process.env;
  const [command, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  return spawn(command, [...args, 'start'], { env, cwd: packagePath('.') });
}

interface Started {
  time: number;
  cpu: number;
}

async function timeStart(directory: string, start: () => Promise<ServerProcess>): Promise<Started> {
  const begun = performance.now();
  const server = await start();
  const { status } = await send(server.url, { path: '/-/readiness' });
  const time = performance.now() - begun;
  const { pid = 0 } = server.child;
  const cpu = countsCpu ? cpuOf(pid) - cpuOf(parentOf(postgresPid(directory)) ?? pid) : Number.NaN;
  await stop(server);
  if (status !== 200) throw new Error(`The server answered ${status} when it had started`);
  return { time, cpu };
}

function together(starts: Started[]): StartTime {
  return { time: scatter(starts.map(({ time }) => time)), cpu: scatter(starts.map(({ cpu }) => cpu)) };
}

async function stop(server: ServerProcess): Promise<void> {
  await server.end('SIGTERM');
}
