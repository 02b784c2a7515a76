import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseForm, parseFormBody } from '#rest/engine/form.ts';
import { parseJson } from '#src/base/json.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const project = await world.project({ owner });
const api = world.api(owner);
const MIB = 1024 * 1024;
const known = { 'PRIVATE-TOKEN': owner.token };

/** What the server answers to a request of which only the head and a part of the body are sent. */
function halfSent(path: string, headers: Record<string, string>, body = ''): Promise<string> {
  const { port } = new URL(world.url);
  const lines = Object.entries({ Host: 'localhost', 'Content-Type': 'application/json', ...headers });
  const head = `POST /api/v4${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(head + body));
    socket.setTimeout(10_000, () => reject(new Error('no answer')));
    let answer = '';
    socket.on('error', reject).on('data', (chunk) => {
      answer += chunk;
      if (answer.includes('\r\n\r\n')) {
        socket.destroy();
        resolve(answer);
      }
    });
  });
}

/** Sends a body without end until the server ends the connection: what it answered, and how many bytes were sent. */
async function endless(method: string, path: string, headers: Record<string, string> = {}) {
  const { port } = new URL(world.url);
  const lines = Object.entries({ 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n`);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  // The connection is reset under what is still sent.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, ' '), Buffer.from('\r\n')]);
  const send = () => {
    if (socket.writable) socket.write(piece, () => setImmediate(send));
  };
  send();
  await closed;
  return { answer, sent: socket.bytesWritten };
}

const multipart = (parts: [string, string][], boundary = 'limit') => ({
  type: `multipart/form-data; boundary=${boundary}`,
  text: `${parts
    .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--${boundary}--\r\n`,
});

async function send(path: string, type: string, body: string, headers: Record<string, string> = known) {
  const answer = await fetch(`${world.url}/api/v4${path}`, {
    method: 'POST',
    headers: { 'Content-Type': type, ...headers },
    body,
  });
  return { status: answer.status, text: await answer.text() };
}

describe('The body of a request', () => {
  it('is refused by its size before any of it is read: 1 MiB where nobody is known, or no contents are taken', async () => {
    const size = { 'Content-Length': String(2 * MIB) };
    const commits = `/projects/${project.id}/repository/commits`;
    expect(await halfSent(commits, size)).toMatch(/^HTTP\/1.1 413 [\s\S]*1048576 bytes/);
    expect(await halfSent(`/projects/${project.id}/issues`, { ...size, ...known })).toMatch(/^HTTP\/1.1 413 /);
    const large = { 'Content-Length': String(9 * MIB), ...known };
    const snippets = `/projects/${project.id}/snippets`;
    expect(await halfSent(snippets, large)).toMatch(/^HTTP\/1.1 413 [\s\S]*8388608 bytes/);
    // Six times the largest file, for which escapes may stand, and 1 MiB.
    const huge = { 'Content-Length': String(122 * MIB), ...known };
    expect(await halfSent(commits, huge)).toMatch(/^HTTP\/1.1 413 [\s\S]*126877696 bytes/);
  });

  it('holds contents of up to 8 MiB of who is known by a header', LONG, async () => {
    const content = 'x'.repeat(3 * MIB);
    const actions = [{ action: 'create', file_path: 'large', content }];
    const commit = { branch: 'master', commit_message: 'Large', actions };
    expect((await api.post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201);
    const token = { ...commit, branch: 'other', private_token: owner.token };
    expect((await world.api().post(`/projects/${project.id}/repository/commits`, token)).status).toBe(413);
  });

  it('may hold the credential itself, as before', async () => {
    const { status } = await world
      .api()
      .post(`/projects/${project.id}/issues`, { title: 'x', private_token: owner.token });
    expect(status).toBe(201);
  });

  it('is counted while it comes in pieces', async () => {
    const { answer } = await endless('POST', `/api/v4/projects/${project.id}/issues`, known);
    expect(answer).toMatch(/^HTTP\/1.1 413 [\s\S]*413 Request Entity Too Large: a request may hold \d+ bytes at most/);
  });

  it.each([
    ['an endpoint', 'POST', '/api/v4/projects/0/issues', 413],
    ['GET', 'GET', '/api/v4/version', 413],
    ['a path that there is not', 'POST', '/api/v4/nothing', 404],
    ['GraphQL', 'POST', '/graphql', 411],
    ['the OAuth server', 'POST', '/oauth/token', 400],
    ['a page', 'GET', '/users/sign_in', 200],
    ['the protocol of runners', 'POST', '/api/v4/jobs/request', 413],
    ['a push', 'POST', '/some/project.git/git-receive-pack', 401],
  ] as const)(
    'that has no end is left soon, and its sender sees the answer: %s',
    async (_what, method, path, status) => {
      const { answer, sent } = await endless(method, path);
      expect(answer).toContain(`HTTP/1.1 ${status} `);
      // 16 MiB are taken behind the answer, and what comes until somebody looks.
      expect(sent).toBeLessThan(1024 * MIB);
    },
  );

  it.each([
    ['a form', 'application/x-www-form-urlencoded'],
    ['parts', 'multipart/form-data; boundary=x'],
  ])('that has no end is left soon, and its sender sees the answer: %s', async (_what, type) => {
    for (const path of [`/api/v4/projects/${project.id}/issues`, '/users/sign_in', '/oauth/token']) {
      const { answer, sent } = await endless('POST', path, { ...known, 'Content-Type': type });
      expect(answer).toMatch(/^HTTP\/1.1 4(00|13|22) /);
      expect(sent).toBeLessThan(1024 * MIB);
    }
  });

  it.each([
    ['keeps its connection where the rest of it is short', 12, 'keep-alive', {}],
    ['ends its connection, as the answer says, where the rest is long', 30, 'close', {}],
    ['is answered before its connection ends where the client wants that', 12, 'close', { Connection: 'close' }],
  ])('that is refused before all of it has come %s', async (_what, mebibytes, connection, headers) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const all = { 'Content-Type': 'application/json', ...known, ...headers };
      const sending = request(`${world.url}/api/v4/projects/${project.id}/issues`, {
        method: 'POST',
        headers: all,
        agent,
      });
      sending.on('response', resolve).on('error', reject);
      sending.setHeader('Content-Length', mebibytes * MIB);
      // What cannot be sent any more breaks once the answer is there.
      let left = mebibytes;
      const send = () => (left-- > 0 ? sending.write(Buffer.alloc(MIB, ' '), () => send()) : sending.end());
      send();
    });
    const { localPort } = answer.socket;
    answer.on('error', () => undefined).resume();
    expect([answer.statusCode, answer.headers.connection]).toEqual([413, connection]);
    const next = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${world.url}/-/liveness`, { agent }, resolve).on('error', reject).end();
    });
    next.resume();
    expect([next.statusCode, next.socket.localPort === localPort]).toEqual([200, connection === 'keep-alive']);
  });

  it.each([
    ['/users/sign_in', 415],
    ['/oauth/token', 400],
  ])('that is a form may not be compressed: %s', async (path, status) => {
    const form = 'application/x-www-form-urlencoded';
    const headers = { 'Content-Type': form, 'Content-Encoding': 'gzip' };
    expect((await world.send('POST', path, { headers, body: gzipSync('login=a&password=b') })).status).toBe(status);
  });

  it('of many fields is refused by what they hold together, by their number and by their names', LONG, async () => {
    const path = `/projects/${project.id}/issues`;
    const fields = (count: number, value: string) =>
      multipart(Array.from({ length: count }, (_, n): [string, string] => [`f${n}`, value]));
    for (const { type, text } of [fields(3, 'x'.repeat(MIB / 2)), fields(10_001, '')]) {
      expect((await send(path, type, text)).status).toBe(413);
    }
    const { type, text } = multipart([['n'.repeat(2000), '']]);
    expect((await send(path, type, text)).status).toBe(400);
    const form = 'application/x-www-form-urlencoded';
    expect((await send(path, form, 'a&'.repeat(10_001))).status).toBe(413);
    expect((await send(path, form, `${'n'.repeat(2000)}=1`)).status).toBe(400);
  });

  it('of parts is refused where one of them has no name', async () => {
    const text = '--x\r\nContent-Disposition: form-data\r\n\r\nvalue\r\n--x--\r\n';
    expect(await send(`/projects/${project.id}/issues`, 'multipart/form-data; boundary=x', text)).toMatchObject({
      status: 400,
      text: expect.stringContaining('not valid multipart/form-data'),
    });
  });

  it('of JSON is refused by its values and its depth', async () => {
    const path = `/projects/${project.id}/issues`;
    const many = `{"title": "x", "labels": [${'1,'.repeat(100_000)}1]}`;
    expect(await send(path, 'application/json', many)).toMatchObject({
      status: 413,
      text: expect.stringContaining('100000 values'),
    });
    const deep = `{"title": ${'['.repeat(101)}${']'.repeat(101)}}`;
    expect(await send(path, 'application/json', deep)).toMatchObject({
      status: 413,
      text: expect.stringContaining('100 levels'),
    });
  });
});

describe('Values', () => {
  it('that are long are refused, not tried by patterns', LONG, async () => {
    const digits = `${'1'.repeat(500_000)}x`;
    for (const [name, value] of [
      ['assignee_id', digits],
      ['confidential', digits],
      ['created_at', digits],
      ['due_date', digits],
    ] as const) {
      expect((await api.post(`/projects/${project.id}/issues`, { title: 'x', [name]: value })).status).toBe(400);
    }
    const coverage = { state: 'success', coverage: digits };
    expect((await api.post(`/projects/${project.id}/statuses/${'1'.repeat(40)}`, coverage)).status).toBe(400);
  });

  it('of lists are limited', async () => {
    const path = `/projects/${project.id}/issues`;
    const commas = ','.repeat(500_000);
    expect(await api.post(path, { title: 'x', labels: commas })).toMatchObject({ status: 400 });
    const labels = Array.from({ length: 101 }, (_, n) => `l${n}`).join(',');
    expect(await api.post(path, { title: 'x', labels })).toMatchObject({
      status: 400,
      body: { message: { labels: [expect.stringContaining('100')] } },
    });
    expect(await api.get(`${path}?labels=${labels}`)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('100') },
    });
    expect((await api.put(`/projects/${project.id}`, { tag_list: labels })).status).toBe(400);
  });

  it('of descriptions, comments and notes have at most 65,536 characters', LONG, async () => {
    const long = 'd'.repeat(65_537);
    const at = `/projects/${project.id}`;
    const message = expect.stringContaining('65536');
    expect(await api.post(`${at}/issues`, { title: 'x', description: long })).toMatchObject({
      status: 400,
      body: { message: { description: [message] } },
    });
    expect((await api.post(`${at}/issues`, { title: 'x', description: long.slice(1) })).status).toBe(201);
    expect((await api.post(`${at}/milestones`, { title: 'm', description: long })).status).toBe(400);
    expect((await api.post(`${at}/labels`, { name: 'l', color: 'red', description: long })).status).toBe(400);
    await api.post(`${at}/repository/branches`, { branch: 'x', ref: 'master' });
    const tag = { tag_name: 'v1', ref: 'master' };
    expect((await api.post(`${at}/repository/tags`, { ...tag, release_description: long })).status).toBe(400);
    expect((await api.post(`${at}/repository/tags`, tag)).status).toBe(201);
    expect((await api.post(`${at}/repository/tags/v1/release`, { description: long })).status).toBe(400);
    expect((await api.post(`${at}/repository/commits/master/comments`, { note: long })).status).toBe(400);
  });
});

describe('A form', () => {
  it('is read in time by its length, whatever its names', LONG, () => {
    const many = (name: (n: number) => string) => Array.from({ length: 9_999 }, (_, n) => `${name(n)}=1`).join('&');
    expect((parseForm(many(() => 'a[]')).a as string[]).length).toBe(9_999);
    expect((parseForm(many(() => 'a[][b]')).a as object[])[9_998]).toEqual({ b: '1' });
    expect((parseForm(many((n) => `a[${9_999 - n}]`)).a as string[]).length).toBe(9_999);
    expect(Object.keys(parseForm(many((n) => `a[k${n}][b][c]`)).a as object).length).toBe(9_999);
    parseForm(many((n) => `a${'[b]'.repeat(300)}[${n}]`));
  });

  it('reads names as records and lists', () => {
    expect(parseForm('a=1&b[]=2&b[]=3&c[x]=4&c[y][]=5&d=6&d=7&e&f=a+b%20c%26&g[0]=x&g[2]=y')).toEqual({
      a: '1',
      b: ['2', '3'],
      c: { x: '4', y: ['5'] },
      d: '7',
      e: '',
      f: 'a b c&',
      g: ['x', 'y'],
    });
    expect(parseForm('a[][x]=1&a[][y]=2&a[][x]=3')).toEqual({ a: [{ x: '1', y: '2' }, { x: '3' }] });
    expect(parseForm('a[b=1&[c]=2&d]=3&__proto__[x]=4&f=%E')).toEqual({ 'a[b': '1', '[c]': '2', 'd]': '3', f: '%E' });
  });

  it('takes the last of a name that comes again, and all of one that is a list', () => {
    const text = 'd=1&d=2&l=3&l=4&x[d]=5&x[d]=6&l[]=7&m[]=8&m[]=9&once=10';
    const expected = { d: '2', l: ['3', '4', '7'], x: { d: '6' }, m: ['8', '9'], once: '10' };
    expect(parseForm(text, new Set(['l', 'once']))).toEqual(expected);
    expect(parseFormBody(Buffer.from(text), new Set(['l', 'once']))).toEqual(expected);
  });
});

it('JSON with quotes, escapes and brackets in texts is counted by what it holds', () => {
  const value = { 'a"[': ['\\', '{"', ']]]]', { b: null }], '\\"': 1 };
  expect(parseJson(Buffer.from(JSON.stringify(value)))).toEqual(value);
  expect(parseJson(Buffer.from(JSON.stringify({ a: '['.repeat(200_000) })))).toEqual({ a: '['.repeat(200_000) });
  expect(() => parseJson(Buffer.from('{"a": "unended'))).toThrow('not valid JSON');
});
