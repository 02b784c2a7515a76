import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printed, run, type ServerProcess, startServer } from '../support/server_process.ts';

/** Clients of the wider world, as Debian packages them. */
const clients = [
  { name: 'python-gitlab', program: '/usr/bin/python3', ending: 'py' },
  { name: 'the Ruby client', program: '/usr/bin/ruby', ending: 'rb' },
];
const walks = [
  { script: 'walk', what: 'issues, labels and milestones' },
  { script: 'people', what: 'people, groups, members and projects' },
  { script: 'repository', what: 'the repository of a project' },
  { script: 'merging', what: 'merge requests, notes, emoji and todos' },
  { script: 'ci', what: 'statuses, pipelines, jobs, deployments, variables, triggers, snippets, settings and events' },
].flatMap((walk) => clients.map((client) => ({ ...client, ...walk })));

let server: ServerProcess;

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
}, 60_000);

afterAll(async () => {
  await server.end('SIGTERM');
});

describe('clients that were written for /api/v4', () => {
  it.each(walks)('$name walks $what', async ({ program, script, ending }) => {
    const token = printed(server.output(), 'Private token') ?? '';
    const file = path.join(import.meta.dirname, 'clients', `${script}.${ending}`);
    const { status, stdout, stderr } = await run(program, [file, server.url, token], {});
    expect(stderr).toBe('');
    expect(stdout).toBe('walked\n');
    expect(status).toBe(0);
  });
});
