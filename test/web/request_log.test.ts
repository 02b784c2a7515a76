import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '#src/platform/database_unavailable.ts';
import { Unavailable } from '#src/platform/errors.ts';
import { observeOperation } from '#src/platform/observability/metrics/operations.ts';
import { logSlow } from '#src/platform/observability/metrics/slow.ts';
import { startWorld } from '../support/world.ts';

const lines: Record<string, unknown>[] = [];
const world = await startWorld({ log: (line) => lines.push(line) });
const user = await world.user();
const project = await world.project({ owner: user });

/** The one line about the request with that id. */
async function lineOf(id: string) {
  await world.until(async () => lines.some((line) => line.id === id));
  const found = lines.filter((line) => line.id === id);
  expect(found).toHaveLength(1);
  return found[0] ?? {};
}

describe('The log has one line a request', () => {
  it('with its id, route, status, time, bytes and user', async () => {
    const headers = { 'X-Request-Id': 'from-the-client.1', 'PRIVATE-TOKEN': user.token };
    const response = await fetch(`${world.url}/api/v4/projects/${project.id}/issues?labels=bug`, { headers });
    expect(response.headers.get('x-request-id')).toBe('from-the-client.1');
    await response.arrayBuffer();
    const { ms, bytes, time, ...line } = await lineOf('from-the-client.1');
    expect(line).toEqual({
      level: 'info',
      id: 'from-the-client.1',
      method: 'GET',
      route: '/api/v4/projects/:id/issues',
      path: `/api/v4/projects/${project.id}/issues?labels=bug`,
      status: 200,
      user: user.id,
      msg: 'request',
    });
    expect(Number(ms)).toBeGreaterThan(0);
    expect(Number(bytes)).toBeGreaterThan(200);
    expect(String(time)).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it('with an id of the server’s own where the client’s could break a line', async () => {
    const response = await fetch(`${world.url}/api/v4/user`, { headers: { 'X-Request-Id': 'a b{"c' } });
    const id = response.headers.get('x-request-id') ?? '';
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await lineOf(id)).status).toBe(401);
  });

  it('with the trace to which the client says that it belongs', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const send = (id: string, traceparent: string) =>
      fetch(`${world.url}/api/v4/projects`, { headers: { 'X-Request-Id': id, traceparent } });
    await send('traced', `00-${trace}-b7ad6b7169203331-01`);
    await send('badly-traced', '00-zz-11-01');
    expect((await lineOf('traced')).trace).toBe(trace);
    expect(await lineOf('badly-traced')).not.toHaveProperty('trace');
  });

  it('and no credential, wherever it was sent', async () => {
    const headers = { 'X-Request-Id': 'secretive', Authorization: `Bearer ${user.token}` };
    await fetch(`${world.url}/api/v4/user?private_token=${user.token}&access_token=${user.token}`, { headers });
    await lineOf('secretive');
    expect(JSON.stringify(lines)).not.toContain(user.token);
  });

  it('for GraphQL and git under the names of their routes', async () => {
    const headers = { 'X-Request-Id': 'gql', 'PRIVATE-TOKEN': user.token, 'Content-Type': 'application/json' };
    await fetch(`${world.url}/graphql`, { method: 'POST', headers, body: '{"query":"{ viewer { id } }"}' });
    expect(await lineOf('gql')).toMatchObject({ route: '/graphql', user: user.id });
    const refs = `${world.url}/${project.fullPath}.git/info/refs?service=git-upload-pack`;
    await fetch(refs, { headers: { 'X-Request-Id': 'git' } });
    expect(await lineOf('git')).toMatchObject({ route: 'git info/refs', status: 401 });
  });
});

describe('What is slow is logged', () => {
  it('statements by their text without values, operations by their name', async () => {
    const slow: Record<string, unknown>[] = [];
    logSlow({ warn: (fields, message) => slow.push({ ...fields, message }) }, { statement: 0.001, operation: 0.001 });
    const secret = 'a-value-that-nobody-logs';
    await world.api(user).get(`/projects/${project.id}/issues?search=${secret}`);
    await world.graphql('query MyReport { viewer { username } }', {}, user);
    logSlow(null);
    const statements = slow.filter(({ message }) => message === 'slow statement');
    expect(statements.length).toBeGreaterThan(0);
    expect(statements.some(({ statement }) => /ILIKE \$\d+/.test(String(statement)))).toBe(true);
    expect(JSON.stringify(slow)).not.toContain(secret);
    const operations = slow.filter(({ message }) => message === 'slow operation');
    expect(operations).toContainEqual({
      message: 'slow operation',
      ms: expect.any(Number),
      operation: 'MyReport',
      type: 'query',
    });
    expect(operations.map(({ operation }) => operation)).toContain('ProjectIssues');
  });

  it('operations that fail, too, unless they only waited for a database that is away', async () => {
    const slow: unknown[] = [];
    logSlow(
      { warn: ({ operation }: { operation?: unknown }) => slow.push(operation) },
      { statement: 0, operation: 0.001 },
    );
    const fail = (name: string, error: Error) =>
      observeOperation({ type: 'query', name }, () => sleep(2).then(() => Promise.reject(error))).catch(
        () => undefined,
      );
    await fail('Late', new Unavailable('The operation took longer than 30 s.'));
    await fail('Away', new DatabaseUnavailable('Connection lost', { sent: true }));
    logSlow(null);
    expect(slow).toEqual(['Late']);
  });

  it('not where it is switched off, or quick', async () => {
    const slow: unknown[] = [];
    logSlow({ warn: (fields) => slow.push(fields) }, { statement: 0, operation: 60_000 });
    await world.api(user).get('/projects');
    logSlow(null);
    expect(slow).toEqual([]);
  });
});
