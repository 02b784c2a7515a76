// One part in depth, which the long run has.
// @module-tag long
import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { LONG } from '../support/long.ts';
import { clientKey, heard, open, startSshWorld } from '../support/ssh.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

type Line = Record<string, unknown> & { err?: { message?: string; stack?: string } };

const lines: Line[] = [];
const world = await startWorld({ log: (line) => lines.push(line) });
const ssh = await startSshWorld(world);
const owner = await world.user();
const project = await world.project({ owner, visibility: 'public' });
await world.api(owner).post(`/projects/${project.id}/repository/commits`, {
  branch: 'main',
  commit_message: 'Begin',
  actions: [{ action: 'create', file_path: 'a.txt', content: 'a' }],
});
const { body: snippet } = await world.api(owner).post(`/projects/${project.id}/snippets`, {
  ...{ title: 'Text', file_name: 'a.txt', code: 'a', visibility: 'public' },
});

/** Takes tables away while a request is made: as a bug would, this fails where nobody expects it. */
async function without<Answer>(tables: readonly string[], work: () => Promise<Answer>): Promise<Answer> {
  for (const table of tables) await world.db.$executeRawUnsafe(`ALTER TABLE ${table} RENAME TO ${table}_gone`);
  try {
    return await work();
  } finally {
    for (const table of tables) await world.db.$executeRawUnsafe(`ALTER TABLE ${table}_gone RENAME TO ${table}`);
  }
}

const token = { 'private-token': owner.token };
const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const browser = { accept: 'text/html' };
const post = (headers: Record<string, string>, body: string) => ({ method: 'POST', headers, body });
const graphql = (query: string, headers = {}) => post({ ...json, ...headers }, JSON.stringify({ query }));

interface Asked {
  path: string;
  init?: RequestInit;
  /** The table that is not there. */
  table: string;
  status?: number;
}

const ENTRANCES: Record<string, Asked> = {
  'REST, of anonymous callers': { path: '/api/v4/projects', table: 'projects' },
  'REST, of a caller': { path: '/api/v4/projects', init: { headers: token }, table: 'users' },
  'REST, of one who writes': {
    path: `/api/v4/projects/${project.id}/issues`,
    init: post({ ...token, ...form }, 'title=x'),
    table: 'issues',
  },
  'a raw file': { path: `/api/v4/projects/${project.id}/repository/blobs/main?filepath=a.txt`, table: 'projects' },
  'an archive': { path: `/api/v4/projects/${project.id}/repository/archive`, table: 'projects' },
  'the text of a snippet': { path: `/api/v4/projects/${project.id}/snippets/${snippet.id}/raw`, table: 'snippets' },
  GraphQL: {
    path: '/graphql',
    init: graphql('{ projects(first: 1) { nodes { id } } }'),
    table: 'projects',
    status: 200,
  },
  'GraphQL, of a caller': {
    path: '/graphql',
    init: graphql('{ viewer { name } }', token),
    table: 'users',
    status: 200,
  },
  'GraphQL, of one who writes': {
    path: '/graphql',
    init: graphql(`mutation { createIssue(input: { project: ${project.id}, title: "x" }) { issue { iid } } }`, token),
    table: 'issues',
    status: 200,
  },
  'GraphQL as events': {
    path: '/graphql',
    init: graphql('{ projects(first: 1) { nodes { id } } }', { accept: 'text/event-stream' }),
    table: 'projects',
    status: 200,
  },
  'OAuth, for a token': {
    path: '/oauth/token',
    init: post(form, `grant_type=password&username=${owner.username}&password=${encodeURIComponent(PASSWORD)}`),
    table: 'users',
  },
  'OAuth, of an application': {
    path: '/oauth/token',
    init: post(form, 'grant_type=client_credentials&client_id=x&client_secret=y'),
    table: 'oauth_applications',
  },
  'OAuth, to authorize': {
    path: '/oauth/authorize?client_id=x&response_type=code&redirect_uri=http://127.0.0.1/',
    init: { headers: browser },
    table: 'oauth_applications',
  },
  'OAuth, about a token': { path: `/oauth/token/info?access_token=${'a'.repeat(43)}`, table: 'oauth_tokens' },
  'OpenID Connect, about a user': {
    path: '/oauth/userinfo',
    init: { headers: { authorization: `Bearer ${'a'.repeat(43)}` } },
    table: 'oauth_tokens',
  },
  'a page': {
    path: '/profile',
    init: { headers: { ...browser, cookie: `gantry_session=${'s'.repeat(43)}` } },
    table: 'sessions',
  },
  'a form': {
    path: '/profile',
    init: post({ ...browser, ...form, cookie: `gantry_session=${'s'.repeat(43)}` }, 'name=x'),
    table: 'sessions',
  },
  'an uploaded file': {
    path: `/${project.fullPath}/uploads/${'0'.repeat(32)}/a.png`,
    table: 'projects',
  },
  'an avatar': { path: `/uploads/-/system/user/avatar/${owner.id}/${'0'.repeat(32)}.png`, table: 'avatars' },
  'git over HTTP': { path: `/${project.fullPath}.git/info/refs?service=git-upload-pack`, table: 'projects' },
  'git over HTTP, of one who pushes': {
    path: `/${project.fullPath}.git/info/refs?service=git-receive-pack`,
    init: { headers: { authorization: `Basic ${Buffer.from(`x:${owner.token}`).toString('base64')}` } },
    table: 'users',
  },
  'a runner that asks for a job': {
    path: '/api/v4/jobs/request',
    init: post(json, JSON.stringify({ token: 'some-token-of-a-runner' })),
    table: 'runners',
  },
  'a runner that sends its log': {
    path: '/api/v4/jobs/1/trace',
    init: { method: 'PATCH', headers: { 'job-token': 'x'.repeat(20), 'content-range': '0-0' }, body: 'x' },
    table: 'jobs',
  },
  'a runner that sends files': {
    path: '/api/v4/jobs/1/artifacts',
    init: { method: 'POST', headers: { 'job-token': 'x'.repeat(20) }, body: 'x' },
    table: 'jobs',
  },
  'the metrics': { path: '/-/metrics', init: { headers: token }, table: 'users' },
};

describe('Whatever fails unexpectedly', () => {
  it.each(Object.entries(ENTRANCES))('leaves its cause in the log: %s', async (_entrance, asked) => {
    const { path, init, table, status = 500 } = asked;
    lines.length = 0;
    const { answer, text } = await without([table], async () => {
      const response = await fetch(`${world.url}${path}`, { redirect: 'manual', ...init });
      return { answer: response, text: await response.text() };
    });
    expect([answer.status, text]).toEqual([status, expect.not.stringContaining('does not exist')]);
    if (status === 200) expect(text).toContain('INTERNAL_SERVER_ERROR');
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors).toHaveLength(1);
    expect(errors[0]?.err?.message).toContain(table);
    expect(errors[0]?.err?.stack).toBeTruthy();
  });

  it('leaves its cause in the log: GraphQL over WebSocket', async () => {
    lines.length = 0;
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    onTestFinished(() => socket.terminate());
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init' }));
    await once(socket, 'message');
    const payload = { query: '{ projects(first: 1) { nodes { id } } }' };
    await without(['projects'], async () => {
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
      const [message] = await once(socket, 'message');
      expect(String(message)).toContain('INTERNAL_SERVER_ERROR');
    });
    expect(lines.filter(({ level }) => level === 'error').map(({ err }) => err?.message)).toEqual([
      expect.stringContaining('projects'),
    ]);
  });

  it('leaves its cause in the log: git over SSH', LONG, async () => {
    const key = await ssh.key(owner, clientKey());
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => told.mockRestore());
    const client = await ssh.connect(key);
    const { said } = await without(['projects'], async () =>
      heard(await open(client, `git-upload-pack '${project.fullPath}.git'`)),
    );
    expect(said).toContain('Something went wrong on the server.');
    expect(told.mock.calls.map(([error]) => String(error))).toEqual([expect.stringContaining('projects')]);
  });
});
