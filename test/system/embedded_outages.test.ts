import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { family } from '../support/own_postgres.ts';
import {
  isAlive,
  postgresPid,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
  until,
} from '../support/server_process.ts';

const TOKEN = 'outages-token-0123456789';
const headers = { 'private-token': TOKEN };

let data: string;
let remove: () => void;
let server: ServerProcess;

beforeEach(async () => {
  const scratch = scratchDirectory();
  data = path.join(scratch.directory, 'data');
  remove = scratch.remove;
  server = await startServer(settings(data, { GANTRY_ROOT_TOKEN: TOKEN }));
});

afterEach(async () => {
  if (server.child.exitCode === null) await server.end('SIGTERM');
  remove();
});

async function createProject(name: string): Promise<number> {
  const response = await fetch(`${server.url}/api/v4/projects?name=${name}`, { method: 'POST', headers });
  await response.arrayBuffer();
  return response.status;
}

async function projects(): Promise<string[]> {
  const response = await fetch(`${server.url}/api/v4/projects?simple=true`, { headers });
  return ((await response.json()) as { path: string }[]).map((project) => project.path).sort();
}

/** A process of PostgreSQL that serves a connection. */
function serving(postmaster: number): number {
  // Those that are not asked for by anybody are started first; the newest serve.
  return Math.max(...family(postmaster).slice(1));
}

describe.runIf(process.platform === 'linux')('The embedded PostgreSQL', () => {
  test('is started again when it alone dies, and the server goes on with all that was answered', async () => {
    expect(await createProject('before')).toBe(201);
    const killed = postgresPid(data);
    process.kill(killed, 'SIGKILL');
    const states: number[] = [];
    await until(async () => {
      const status = await createProject('after');
      states.push(status);
      return status === 201 ? true : undefined;
    });
    expect(states.filter((status) => ![201, 503].includes(status))).toEqual([]);
    expect(postgresPid(data)).not.toBe(killed);
    expect(await projects()).toEqual(['after', 'before']);
    expect((await fetch(`${server.url}/-/readiness`)).status).toBe(200);
    expect(server.child.exitCode).toBe(null);
  });

  test('may lose one of its processes, and restarts the others: the server goes on', async () => {
    expect(await createProject('before')).toBe(201);
    const postmaster = postgresPid(data);
    process.kill(serving(postmaster), 'SIGKILL');
    await until(async () => ((await createProject('after')) === 201 ? true : undefined));
    expect(await projects()).toEqual(['after', 'before']);
    expect(postgresPid(data)).toBe(postmaster);
    expect(server.child.exitCode).toBe(null);
  });

  test('still ends with the server after it was started again', async () => {
    process.kill(postgresPid(data), 'SIGKILL');
    await until(async () => ((await createProject('after')) === 201 ? true : undefined));
    const second = postgresPid(data);
    expect(await server.end('SIGTERM')).toBe(0);
    expect(isAlive(second)).toBe(false);
  });

  test('is given up when it ends again and again: the server says why and exits with 1', async () => {
    const ended = new Promise((resolve) => server.child.once('exit', resolve));
    rmSync(path.join(data, 'postgres', 'global', 'pg_control'));
    process.kill(postgresPid(data), 'SIGKILL');
    expect(await ended).toBe(1);
    expect(server.output()).toContain('PostgreSQL ended and is started again');
    expect(server.output()).toMatch(/"level":"fatal".*pg_control/);
  });
});
