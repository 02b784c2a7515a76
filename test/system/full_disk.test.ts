import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { type OwnPostgres, ownPostgres } from '../support/own_postgres.ts';
import { followServer, type ServerProcess, scratchDirectory, settings, until } from '../support/server_process.ts';

const TOKEN = 'full-disk-token-0123456789';
const HEADERS = { 'private-token': TOKEN, 'content-type': 'application/json' };
const MEBIBYTE = 1024 * 1024;

/** A file system of its own for one process takes what the system does not let everybody do. */
const UNSHARE = ['--user', '--map-root-user', '--mount'];
const MAY_MOUNT =
  process.platform === 'linux' &&
  spawnSync('unshare', [...UNSHARE, 'sh', '-c', 'mount -t tmpfs -o size=1m tmpfs /mnt'], { stdio: 'ignore' }).status ===
    0;

const scratch = scratchDirectory();
const storage = path.join(scratch.directory, 'repositories');
let postgres: OwnPostgres;
let server: ServerProcess;
let project: number;

beforeAll(async () => {
  if (!MAY_MOUNT) return;
  postgres = await ownPostgres();
  mkdirSync(storage);
  const env = settings(path.join(scratch.directory, 'data'), {
    DATABASE_URL: postgres.url,
    GANTRY_ROOT_TOKEN: TOKEN,
    GANTRY_STORAGES: `default=${storage}`,
    GANTRY_MIN_FREE_BYTES: String(4 * MEBIBYTE),
  });
  const script = 'mount -t tmpfs -o size=24m tmpfs "$1" && shift && exec "$@"';
  const args = [...UNSHARE, 'sh', '-c', script, 'sh', storage, process.execPath, packagePath('bin/gantry.js'), 'serve'];
  server = await followServer(spawn('unshare', args, { env }));
  project = ((await (await send('POST', '/projects', { name: 'disk' })).json()) as { id: number }).id;
  expect((await commit(10)).status).toBe(201);
});

afterAll(async () => {
  await server?.end('SIGTERM');
  await postgres?.remove();
  scratch.remove();
});

function send(method: string, target: string, body: object): Promise<Response> {
  return fetch(`${server.url}/api/v4${target}`, { method, headers: HEADERS, body: JSON.stringify(body) });
}

let count = 0;

/** A commit of one new file of so many random bytes. */
function commit(bytes: number): Promise<Response> {
  count += 1;
  const content = Buffer.from(crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65_536)))).toString('base64');
  const body = {
    branch: 'master',
    commit_message: `Commit ${count}`,
    actions: [{ action: 'create', file_path: `file${count}`, content, encoding: 'base64' }],
  };
  return send('POST', `/projects/${project}/repository/commits`, body);
}

/** The storage as the server sees it. */
const seen = (name: string) => `/proc/${server.child.pid}/root${storage}/${name}`;

/** Mounts the storage anew as the server sees it. */
function remount(how: 'ro' | 'rw'): void {
  const target = ['--target', String(server.child.pid), '--user', '--mount', '--preserve-credentials'];
  const { status, stderr } = spawnSync('nsenter', [...target, 'mount', '-o', `remount,${how}`, storage]);
  expect(String(stderr)).toBe('');
  expect(status).toBe(0);
}

async function readiness(): Promise<{ status: string; failed?: string[] }> {
  // An answer is good for a second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  return (await (await fetch(`${server.url}/-/readiness`)).json()) as { status: string; failed?: string[] };
}

/** What must come of it while a cause lasts: 503 in the form of each entrance, and one line in the log. */
async function refused(cause: string): Promise<void> {
  const before = server.output().length;
  for (let round = 0; round < 5; round += 1) {
    const answer = await commit(65_536);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(((await answer.json()) as { message: string }).message).toMatch(
      /^(There is no space left|The server’s storage)/,
    );
  }
  const query = `mutation { createFile(input: { project: "root/disk", path: "graphql${count}", branch: "master", content: "${'x'.repeat(9000)}", message: "m" }) { __typename } }`;
  const asked = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ query }),
  });
  const { errors } = (await asked.json()) as { errors?: { extensions: { code: string } }[] };
  expect(errors?.[0]?.extensions.code).toBe('UNAVAILABLE');
  // The log is written in pieces.
  await expect.poll(() => server.output().slice(before), { timeout: 10_000 }).toContain('"cause');
  const log = server.output().slice(before);
  const lines = log.split('\n').filter((line) => line.includes(`"cause":"${cause}"`));
  expect(lines.length).toBe(1);
  expect(log).not.toContain('"stack"');
  // What only reads goes on.
  expect((await fetch(`${server.url}/api/v4/projects/${project}/repository/tree`, { headers: HEADERS })).status).toBe(
    200,
  );
}

describe.runIf(MAY_MOUNT)('A storage', () => {
  test('that is full makes the server not ready and writes 503, until there is room again', async () => {
    expect(await readiness()).toEqual({ status: 'ok' });
    // To the last byte.
    let filler = 0;
    await until(() => {
      try {
        writeFileSync(seen(`filler${filler}`), Buffer.alloc(filler < 22 ? MEBIBYTE : 4096));
        filler += 1;
        return undefined;
      } catch {
        return true;
      }
    });
    expect(await readiness()).toEqual({ status: 'failed', failed: ['disk'] });
    await refused('disk');
    for (let number = 0; number <= filler; number += 1) rmSync(seen(`filler${number}`), { force: true });
    expect((await commit(65_536)).status).toBe(201);
    expect(await readiness()).toEqual({ status: 'ok' });
    expect(server.output()).toContain('The server is not ready: disk (');
    // What it prints may come later than what it answers.
    await until(() => server.output().includes('The server is ready again') || undefined);
  });

  test('that is mounted read-only makes the server not ready and writes 503, until it can be written to', async () => {
    remount('ro');
    expect(await readiness()).toEqual({ status: 'failed', failed: ['storage default'] });
    await refused('read-only');
    remount('rw');
    expect((await commit(65_536)).status).toBe(201);
    expect(await readiness()).toEqual({ status: 'ok' });
  });
});
