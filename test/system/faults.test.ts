import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { broken, Ledger, perform, sender, setStage } from '../campaign/acts.ts';
import { complaintsOf } from '../campaign/power/campaign.ts';
import { CAN_RECORD, Recorder } from '../campaign/power/recorder.ts';
import { seeded } from '../campaign/seeded.ts';
import { ownPostgres } from '../support/own_postgres.ts';
import { replicatedPostgres } from '../support/replicated_postgres.ts';
import {
  followServer,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
} from '../support/server_process.ts';

const TOKEN = 'faults-token-0123456789';
const TIMEOUT = 400_000;
const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const ending = <One>(one: One, end: (one: One) => unknown): One => {
  endings.push(() => end(one));
  return one;
};

interface Busy {
  server: ServerProcess;
  env: NodeJS.ProcessEnv;
  /** What goes wrong while people are at work; what they were doing before and do thereafter takes three seconds each. */
  fault(): Promise<void>;
  /** Refusals that are right then. */
  isRight?: (refusal: string) => boolean;
}

/** Has people at work while something goes wrong; in the end everything is there that was acknowledged. */
async function survive({ server, env, fault, isRight = () => false }: Busy): Promise<Ledger> {
  ending(server, () => server.end('SIGKILL'));
  const url = () => server.url;
  const send = sender(url, TOKEN);
  const ledger = new Ledger();
  const stop = new AbortController();
  const stage = await setStage({ send, url, token: TOKEN, ledger, random: seeded(7), signal: stop.signal });
  const clients = perform(stage, 100);
  await sleep(3_000);
  await fault();
  await sleep(3_000);
  stop.abort();
  await clients;
  expect(server.child.exitCode ?? server.child.signalCode, server.output().slice(-2_000)).toBeNull();
  expect(ledger.promised.length).toBeGreaterThan(20);
  expect(ledger.refusals.filter((refusal) => !isRight(refusal))).toEqual([]);
  expect(await broken(send, ledger)).toEqual([]);
  // What was in a repository and could not be recorded any more is recorded at the next start.
  await server.end('SIGTERM');
  const next = await startServer(env);
  endings.push(() => next.end('SIGKILL'));
  expect(await complaintsOf(['fsck'], env)).toEqual([]);
  return ledger;
}

const started = (env: NodeJS.ProcessEnv, script: string) =>
  followServer(
    spawn('sh', ['-c', `${script}; exec "$0" "$@"`, process.execPath, packagePath('bin/gantry.js'), 'serve'], { env }),
  );

test('A server that runs out of descriptors refuses what it cannot do for now, and loses nothing', {
  timeout: TIMEOUT,
}, async () => {
  const { directory } = ending(scratchDirectory(), ({ remove }) => remove());
  const postgres = ending(await ownPostgres(), (one) => one.remove());
  const env = settings(path.join(directory, 'data'), { DATABASE_URL: postgres.url, GANTRY_ROOT_TOKEN: TOKEN });
  const server = await started(env, 'ulimit -n 256');
  const port = Number(new URL(server.url).port);
  await survive({
    server,
    env,
    async fault() {
      const sockets: Socket[] = [];
      for (let count = 0; count < 400; count += 1)
        sockets.push(connect(port, '127.0.0.1').on('error', () => undefined));
      await sleep(5_000);
      for (const socket of sockets) socket.destroy();
    },
  });
});

/** Where groups of processes get a limit of memory; undefined where this process may not set one. */
const group = memoryGroup();

function memoryGroup(): { procs: string; remove(): void } | undefined {
  for (const [root, file] of [
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
    ['/sys/fs/cgroup', 'memory.max'],
  ] as const) {
    const directory = path.join(root, `gantry-faults-${process.pid}`);
    try {
      mkdirSync(directory);
    } catch {
      continue;
    }
    const remove = () => rmdirSync(directory);
    try {
      writeFileSync(path.join(directory, file), String(512 * 1024 * 1024), { flag: 'r+' });
      return { procs: path.join(directory, 'cgroup.procs'), remove };
    } catch {
      remove();
    }
  }
  return undefined;
}

test.runIf(group)(
  'A server with 512 MB of memory serves, and refuses what is too large',
  { timeout: TIMEOUT },
  async () => {
    if (!group) return;
    ending(group, ({ remove }) => remove());
    // Files in memory would count.
    const directory = ending(mkdtempSync('/var/tmp/gantry-faults-'), (one) =>
      rmSync(one, { recursive: true, force: true }),
    );
    const postgres = ending(await ownPostgres(), (one) => one.remove());
    const env = settings(path.join(directory, 'data'), { DATABASE_URL: postgres.url, GANTRY_ROOT_TOKEN: TOKEN });
    const server = await started(env, `echo $$ > ${group.procs}`);
    expect(readFileSync(group.procs, 'utf8').split('\n')).toContain(String(server.child.pid));
    await survive({
      server,
      env,
      async fault() {
        const send = sender(() => server.url, TOKEN);
        const large = Buffer.alloc(300 * 1024 * 1024, 'x');
        const file = {
          branch: 'main',
          commit_message: 'Large',
          actions: [{ action: 'create', file_path: 'large', content: String(large) }],
        };
        const answers = await Promise.all([
          send('POST', '/v4/projects/1/issues', { title: 'large', description: String(large) }),
          send('POST', '/v4/projects/1/repository/commits', file),
          send('POST', '/graphql', { query: `{ ${'a '.repeat(10_000_000)} }` }),
        ]);
        // Who goes on sending after a refusal may have the connection closed before reading it.
        for (const { status } of answers) expect([0, 400, 413]).toContain(status);
        const kept = await send(
          'PUT',
          '/v4/projects/1/packages/generic/large/1/file',
          large.subarray(0, 100 * 1024 * 1024),
        );
        expect(kept.status).toBe(201);
      },
    });
  },
);

/** A server and its database under the layer of the power campaign. */
async function underLayer() {
  const recorder = ending(new Recorder(), (one) => one.remove());
  const { variables } = recorder;
  const postgres = ending(await ownPostgres({}, { cluster: path.join(recorder.root, 'cluster'), variables }), (one) =>
    one.remove(),
  );
  const env = settings(path.join(recorder.root, 'data'), { DATABASE_URL: postgres.url, GANTRY_ROOT_TOKEN: TOKEN });
  return { recorder, env, server: await startServer({ ...env, ...variables }) };
}

const HOUR = 3600;
const DAY = 24 * HOUR;

test.runIf(CAN_RECORD)(
  'A clock that goes back by an hour and ahead by a day costs nothing that was acknowledged',
  { timeout: TIMEOUT },
  async () => {
    const { recorder, env, server } = await underLayer();
    await survive({
      server,
      // Commands have the right clock, and an hour is what processes have to say that they are alive.
      env,
      async fault() {
        recorder.setClock(-HOUR);
        await sleep(4_000);
        recorder.setClock(DAY);
        await sleep(4_000);
        recorder.setClock(0);
      },
      // What is good for minutes is not good a day later, and a job that takes a day is ended.
      isRight: (refusal) => /^(lfs|image|artifacts)[^:]*: 40[13]/.test(refusal),
    });
  },
);

test.runIf(CAN_RECORD)(
  'A disk that takes 100 ms for each write makes a server slow, and nothing else',
  { timeout: TIMEOUT },
  async () => {
    const recorder = ending(new Recorder(), (one) => one.remove());
    const postgres = ending(await ownPostgres(), (one) => one.remove());
    const env = settings(path.join(recorder.root, 'data'), { DATABASE_URL: postgres.url, GANTRY_ROOT_TOKEN: TOKEN });
    // Starting would take a minute.
    await (await startServer(env)).end('SIGTERM');
    const server = await startServer({ ...env, ...recorder.slowed(100) });
    await survive({ server, env, fault: () => sleep(15_000) });
  },
);

test('A database that fails over to its standby while people work costs nothing that was acknowledged', {
  timeout: TIMEOUT,
}, async () => {
  const { directory } = ending(scratchDirectory(), ({ remove }) => remove());
  const postgres = ending(await replicatedPostgres(), (one) => one.remove());
  const env = settings(path.join(directory, 'data'), { DATABASE_URL: postgres.url, GANTRY_ROOT_TOKEN: TOKEN });
  const server = await startServer(env);
  const ledger = await survive({ server, env, fault: () => postgres.failOver() });
  expect(ledger.promised.length).toBeGreaterThan(0);
});
