// Proves for every case what others show for some, or takes long: the long run has it.
// @module-tag long
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { DiskUploads } from '#src/domain/uploads/disk.ts';
import { createApp } from '#src/entrances/server/app.ts';
import { connect } from '#src/platform/database/db.ts';
import { createLogger } from '#src/platform/observability/log.ts';

const db = connect('postgresql://nobody@127.0.0.1:1/none');
const lines: object[] = [];
const log = createLogger('silent');
log.warn = ((fields: object, message: string) => lines.push({ ...fields, message })) as never;
log.error = ((fields: object) => lines.push({ ...fields, stack: true })) as never;
const app = createApp({
  db,
  secret: 'a secret of thirty-two characters',
  jobs: { enqueue: () => Promise.reject(new Error('no database')) },
  repositories: new RepositoryStore({}),
  uploads: new DiskUploads('nowhere'),
  log,
});
const server = createServer(app);
let url: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});

afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await db.$disconnect();
});

const token = { 'private-token': 'a-token-of-somebody-012' };
const basic = { authorization: `Basic ${Buffer.from('root:a-token-of-somebody-012').toString('base64')}` };
const browser = { accept: 'text/html', cookie: `gantry_session=${'s'.repeat(43)}` };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

interface Asked {
  path: string;
  init: RequestInit;
}

const ENTRANCES: [string, Asked, RegExp][] = [
  [
    'the REST API',
    { path: '/api/v4/projects', init: { headers: token } },
    /^\{"message":"The database is not available/,
  ],
  [
    'git',
    { path: '/root/app.git/info/refs?service=git-upload-pack', init: { headers: basic } },
    /^The database is not available/,
  ],
  ['a page', { path: '/users/sign_in', init: { headers: browser } }, /<h1>Temporarily unavailable<\/h1>/],
  [
    'a form',
    { path: '/users/sign_in', init: { method: 'POST', headers: { ...browser, ...form }, body: 'login=root' } },
    /<h1>Temporarily unavailable/,
  ],
  ['a page that is not there', { path: '/nothing/here', init: { headers: browser } }, /<h1>Temporarily unavailable/],
  [
    'an upload',
    { path: `/root/app/uploads/${'0'.repeat(32)}/a.txt`, init: { headers: token } },
    /^\{"error":"The database is not available/,
  ],
  [
    'the metrics by a token',
    { path: '/-/metrics', init: { headers: token } },
    /^\{"error":"The database is not available/,
  ],
  [
    'the token endpoint',
    {
      path: '/oauth/token',
      init: { method: 'POST', headers: form, body: 'grant_type=password&username=root&password=x' },
    },
    /^\{"error":"temporarily_unavailable"/,
  ],
  [
    'the authorization endpoint',
    { path: '/oauth/authorize?client_id=x&response_type=code', init: { headers: browser } },
    /temporarily_unavailable|Temporarily unavailable/,
  ],
];

describe('While the database is away', () => {
  // Each waits as long as the server waits for the database: together.
  it.concurrent.each(ENTRANCES)(
    '%s answers 503 soon, in its own form, with Retry-After',
    async (_, { path, init }, body) => {
      const answer = await fetch(url + path, init);
      expect(await answer.text()).toMatch(body);
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    },
  );

  it.concurrent('GraphQL answers with the code UNAVAILABLE', async () => {
    const headers = { ...token, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers,
      body: '{"query":"{ viewer { username } }"}',
    });
    const { errors } = (await answer.json()) as { errors: { message: string; extensions: object }[] };
    expect(errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE', retryAfter: expect.any(Number) } }]);
  });

  it('the log has a line now and then, and no stack', () => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(10);
    for (const line of lines) expect(line).toMatchObject({ cause: 'database' });
  });
});
