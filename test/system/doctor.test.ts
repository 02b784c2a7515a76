import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gantry, type ServerProcess, scratchDirectory, settings, startServer } from '../support/server_process.ts';

let data: string;
let remove: () => void;
let server: ServerProcess | undefined;

beforeEach(() => {
  const scratch = scratchDirectory();
  data = path.join(scratch.directory, 'data');
  remove = scratch.remove;
});

afterEach(async () => {
  if (server && server.child.exitCode === null) await server.end('SIGTERM');
  server = undefined;
  remove();
});

describe('gantry doctor', () => {
  it('says that all is well while the server runs and while it is stopped', async () => {
    server = await startServer(settings(data));
    const running = await gantry(['doctor'], settings(data));
    expect(running.status, running.stdout).toBe(0);
    expect(running.stdout).toMatch(/^OK {4}settings {4}all are well-formed\nOK {4}database {4}PostgreSQL 18/);
    expect(running.stdout).toMatch(/OK {4}queue {7}processes at work: 1/);
    expect(running.stdout).toMatch(/OK {4}server {6}process \d+ at http.* is ready/);
    expect(running.stdout).toMatch(/0 WARN, 0 FAIL\n$/);
    await server.end('SIGTERM');

    const stopped = await gantry(['doctor', '--json'], settings(data));
    expect(stopped.status).toBe(0);
    const { ok, checks } = JSON.parse(stopped.stdout);
    expect(ok).toBe(true);
    expect(checks.find(({ name }: { name: string }) => name === 'server').summary).toBe(
      'no server runs on this data directory',
    );
  });

  it('says that there is no Gantry in a mistyped GANTRY_DATA, and makes nothing there; so do backup, fsck and jobs', async () => {
    const parent = path.dirname(data);
    for (const make of [() => undefined, () => mkdirSync(data)]) {
      make();
      const before = readdirSync(parent, { recursive: true });
      const doctor = await gantry(['doctor'], settings(data));
      expect(doctor.status).toBe(1);
      expect(doctor.stdout).toContain(`FAIL  database    There is no Gantry in ${data}`);
      for (const command of [['backup', path.join(parent, 'b.gantry')], ['fsck'], ['jobs', 'dead']]) {
        const { status, stderr } = await gantry(command, settings(data));
        expect(status, command[0]).toBe(1);
        expect(stderr).toContain(`gantry: There is no Gantry in ${data}`);
      }
      expect(readdirSync(parent, { recursive: true })).toEqual(before);
    }
  });

  it('fails, and says why and what to do, for wrong settings, a database that is away and an older PostgreSQL', async () => {
    const wrong = await gantry(['doctor'], settings(data, { LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://x' }));
    expect(wrong.status).toBe(1);
    expect(wrong.stdout).toMatch(/FAIL {2}settings {2}LOG_LEVEL: "loud"/);
    expect(wrong.stdout).toMatch(/FAIL {2}settings {2}DATABASE_URL: not a URL/);

    const away = await gantry(['doctor'], settings(data, { DATABASE_URL: 'postgresql://127.0.0.1:1/gantry' }));
    expect(away.status).toBe(1);
    expect(away.stdout).toMatch(/FAIL {2}database {4}connect ECONNREFUSED/);
    expect(away.stdout).toMatch(/OK {4}git/);

    rmSync(data, { recursive: true, force: true });
    mkdirSync(path.join(data, 'postgres'), { recursive: true, mode: 0o700 });
    chmodSync(path.join(data, 'postgres'), 0o700);
    writeFileSync(path.join(data, 'postgres', 'PG_VERSION'), '15\n');
    const old = await gantry(['doctor', '--json'], settings(data));
    expect(old.status).toBe(1);
    const [, database] = JSON.parse(old.stdout).checks;
    expect(database).toMatchObject({ name: 'database', status: 'FAIL' });
    expect(database.summary).toContain('Run `gantry upgrade`');
  });
});
