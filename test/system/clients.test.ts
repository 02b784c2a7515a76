import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printed, run, type ServerProcess, startServer } from '../support/server-process.ts';

/** Clients of the wider world, as Debian packages them. */
const clients = [
  { name: 'python-gitlab', program: '/usr/bin/python3', script: 'walk.py' },
  { name: 'the Ruby client', program: '/usr/bin/ruby', script: 'walk.rb' },
];

let server: ServerProcess;

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
}, 60_000);

afterAll(async () => {
  await server.end('SIGTERM');
});

describe('clients that were written for /api/v4', () => {
  it.each(clients)('$name walks issues, labels and milestones', async ({ program, script }) => {
    const token = printed(server.output(), 'Private token') ?? '';
    const file = path.join(import.meta.dirname, 'clients', script);
    const { status, stdout, stderr } = await run(program, [file, server.url, token], {});
    expect(stderr).toBe('');
    expect(stdout).toBe('walked\n');
    expect(status).toBe(0);
  });
});
