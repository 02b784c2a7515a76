// One part in depth, which the long run has.
// @module-tag long
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { parseLargeJson } from '#rest/engine/large_json.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { graphqlForm, sendForm } from '../support/upload.ts';
import { startWorld } from '../support/world.ts';

const MIB = 1024 * 1024;
const LARGEST = 20 * MIB;
const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
const project = await world.project({ owner });
const at = `/projects/${project.id}/repository`;
const known = { 'PRIVATE-TOKEN': owner.token };
const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

/** What is in a file, as its hash. */
async function stored(path: string): Promise<string> {
  const answer = await fetch(`${world.url}/api/v4${at}/files/${path}/raw?ref=master`, { headers: known });
  expect(answer.status).toBe(200);
  return hash(Buffer.from(await answer.arrayBuffer()));
}

/** A text of so many bytes in UTF-8, with lines, quotes and characters of every length. */
function textOf(bytes: number): string {
  const line = '\tA "line" of a file: \\ ä € 😀\n';
  const whole = line.repeat(Math.floor(bytes / Buffer.byteLength(line)));
  return whole + 'x'.repeat(bytes - Buffer.byteLength(whole));
}

describe('A file as large as one that is read as JSON', () => {
  it('is written by one request: in JSON as Base64, and in multipart as text', LONG, async () => {
    const bytes = randomBytes(LARGEST);
    const path = `${at}/files/large`;
    const about = { branch: 'master', commit_message: 'Large' };
    const created = await api.post(path, { ...about, encoding: 'base64', content: bytes.toString('base64') });
    expect([created.status, created.body]).toEqual([201, { file_name: 'large', file_path: 'large', branch: 'master' }]);
    expect(await stored('large')).toBe(hash(bytes));

    // Forms have other ends of lines.
    const text = textOf(9 * MIB).replaceAll('\n', ' ');
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...about, content: text })) form.append(name, value);
    const updated = await fetch(`${world.url}/api/v4${path}`, { method: 'PUT', headers: known, body: form });
    expect(updated.status).toBe(200);
    expect(await stored('large')).toBe(hash(text));
  });

  it('is among the actions of a commit, beside others', LONG, async () => {
    const [first, second] = [textOf(5 * MIB), textOf(5 * MIB - 1000)];
    const actions = [
      { action: 'create', file_path: 'first', content: first },
      { action: 'create', file_path: 'tiny', content: 'x' },
      { action: 'create', file_path: 'second', content: Buffer.from(second).toString('base64'), encoding: 'base64' },
    ];
    const commit = { branch: 'master', commit_message: 'Several', actions };
    expect((await api.post(`${at}/commits`, commit)).status).toBe(201);
    expect(await stored('first')).toBe(hash(first));
    expect(await stored('second')).toBe(hash(second));
    expect(await stored('tiny')).toBe(hash('x'));
  });

  it('may be written with nothing but escapes', LONG, async () => {
    const zeros = 2 * MIB;
    const body = `{"branch":"master","commit_message":"Zeros","content":"${'\\u0000'.repeat(zeros)}"}`;
    const { status } = await world.send('POST', `/api/v4${at}/files/zeros`, {
      headers: { ...known, 'Content-Type': 'application/json' },
      body,
    });
    expect(status).toBe(201);
    expect(await stored('zeros')).toBe(hash(Buffer.alloc(zeros)));
  });

  it('is written too where its length is not told before', LONG, async () => {
    const text = textOf(9 * MIB);
    const json = JSON.stringify({ branch: 'master', commit_message: 'Pieces', content: text });
    const answer = await fetch(`${world.url}/api/v4${at}/files/pieces`, {
      method: 'POST',
      headers: { ...known, 'Content-Type': 'application/json' },
      body: new Blob([json]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(answer.status).toBe(201);
    expect(await stored('pieces')).toBe(hash(text));
  });
});

describe('A file over GraphQL', () => {
  const create = `mutation ($input: CreateFileInput!) { createFile(input: $input) { path } }`;
  const send = async (query: string, input: object, at: string, content: BlobPart) => {
    const form = graphqlForm(
      query,
      { input: { project: project.id, branch: 'master', message: 'Upload', ...input } },
      at,
      new File([content], 'f'),
    );
    return (await sendForm(world, '/graphql', form, owner)).body;
  };

  it('comes beside the request, as large as over REST', LONG, async () => {
    const bytes = randomBytes(LARGEST);
    const { data } = await send(create, { path: 'uploaded', contentFile: null }, 'input.contentFile', bytes);
    expect(data).toEqual({ createFile: { path: 'uploaded' } });
    expect(await stored('uploaded')).toBe(hash(bytes));
    const commit = `mutation ($input: CreateCommitInput!) { createCommit(input: $input) { commit { title } } }`;
    const actions = [
      { action: 'UPDATE', filePath: 'uploaded', contentFile: null },
      { action: 'CREATE', filePath: 'beside', content: 'x' },
    ];
    const committed = await send(commit, { actions }, 'input.actions.0.contentFile', 'other bytes');
    expect(committed.data).toEqual({ createCommit: { commit: { title: 'Upload' } } });
    expect([await stored('uploaded'), await stored('beside')]).toEqual([hash('other bytes'), hash('x')]);
  });

  it('is given once, and no larger', LONG, async () => {
    const twice = await send(create, { path: 'x', content: 'a', contentFile: null }, 'input.contentFile', 'b');
    expect(twice.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.contentFile': ['cannot be given beside content'] },
    });
    const input = { project: project.id, branch: 'master', message: 'None', path: 'x' };
    const none = (await world.graphql(create, { input }, owner)).body;
    expect(none.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.content': ['is missing'] },
    });
    const large = await send(
      create,
      { path: 'x', contentFile: null },
      'input.contentFile',
      new Uint8Array(LARGEST + 1),
    );
    expect(large.errors[0].extensions.code).toBe('CONTENT_TOO_LARGE');
    const huge = await send(
      create,
      { path: 'x', contentFile: null },
      'input.contentFile',
      new Uint8Array(LARGEST + 2 * MIB),
    );
    expect(huge.errors[0].extensions.code).toBe('CONTENT_TOO_LARGE');
  });

  it('waits for no client that sends slowly', LONG, async () => {
    const { hostname, port } = new URL(world.url);
    const slow = [];
    for (const user of [await world.user(), await world.user(), await world.user()]) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      const head = [
        'POST /graphql HTTP/1.1',
        'Host: localhost',
        `PRIVATE-TOKEN: ${user.token}`,
        'Content-Type: multipart/form-data; boundary=x',
        `Content-Length: ${9 * MIB}`,
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n--x\r\n`);
      slow.push(socket);
    }
    const { data } = await send(
      create,
      { path: 'meanwhile', contentFile: null },
      'input.contentFile',
      randomBytes(9 * MIB),
    );
    expect(data).toEqual({ createFile: { path: 'meanwhile' } });
    for (const socket of slow) socket.destroy();
  });

  it('is none in actions over REST, which ignore what they do not know', async () => {
    const actions = [{ action: 'create', file_path: 'plain', content: 'x', content_file: 'y' }];
    const commit = { branch: 'master', commit_message: 'Plain', actions };
    expect((await api.post(`${at}/commits`, commit)).status).toBe(201);
  });
});

describe('A request with files', () => {
  const post = (body: string, type = 'application/json') =>
    fetch(`${world.url}/api/v4${at}/files/refused`, {
      method: 'POST',
      headers: { ...known, 'Content-Type': type },
      body,
    });

  it('is refused by what it holds, which the refusal names', LONG, async () => {
    const limit = 4 * Math.ceil(LARGEST / 3) + MIB;
    const tooMuch = JSON.stringify({ branch: 'master', commit_message: 'L', content: 'x'.repeat(limit) });
    const refused = await post(tooMuch);
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
      413,
      expect.stringContaining(`${limit} bytes`),
    ]);
    const form = await post(`content=${'x'.repeat(9 * MIB)}`, 'application/x-www-form-urlencoded');
    expect([form.status, await form.text()]).toEqual([413, expect.stringContaining('8388608 bytes')]);
  });

  it('is refused with more than 8 MiB beside its long texts, which would be parsed at once', LONG, async () => {
    const refused = await post(`{"content":"${'x'.repeat(5000)}",${' '.repeat(9 * MIB)}"branch":"master"}`);
    expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining('8388608 bytes')]);
  });

  itEveryNth(6, [
    ['a text without an end', `{"content":"${'x'.repeat(9 * MIB)}`],
    ['a line that is not escaped', `{"content":"${'x'.repeat(9 * MIB)}\n"}`],
    ['an escape that there is not', `{"content":"${'x'.repeat(9 * MIB)}\\x"}`],
    ['no end', `{"content":"${'x'.repeat(9 * MIB)}"`],
    ['a list around it', `["${'x'.repeat(9 * MIB)}"]`],
  ])('is refused with %s', async (_, body) => {
    const refused = await post(body);
    expect([refused.status, await refused.json()]).toEqual([400, { error: expect.any(String) }]);
  });

  it('leaves nothing behind when its client goes away', LONG, async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'gantry-left-'));
    vi.stubEnv('TMPDIR', directory);
    const leaving = new AbortController();
    let pulled = 0;
    const body = new ReadableStream({
      async pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(MIB));
        await new Promise((resolve) => setTimeout(resolve, 5));
      },
    });
    const sent = fetch(`${world.url}/api/v4${at}/files/left`, {
      method: 'POST',
      headers: { ...known, 'Content-Type': 'application/json' },
      body,
      duplex: 'half',
      signal: leaving.signal,
    } as RequestInit);
    sent.catch(() => undefined);
    await world.until(async () => pulled > 10);
    leaving.abort();
    await expect(sent).rejects.toThrow();
    await world.until(async () => readdirSync(directory).length === 0);
    const file = { branch: 'master', commit_message: 'Whole', content: 'x'.repeat(9 * MIB) };
    expect((await api.post(`${at}/files/left`, file)).status).toBe(201);
    await world.until(async () => readdirSync(directory).length === 0);
    vi.unstubAllEnvs();
    rmSync(directory, { recursive: true });
  });

  it('answers all of many that come at once, or has them come again, and lets others go on', LONG, async () => {
    const users = await Promise.all(Array.from({ length: 3 }, () => world.user()));
    const content = 'x'.repeat(9 * MIB);
    const writing = Promise.all(
      users.flatMap((user) =>
        [1, 2].map(async (n) => {
          const own = await world.project({ owner: user });
          const file = { branch: 'master', commit_message: `${n}`, content };
          return (await world.api(user).post(`/projects/${own.id}/repository/files/large`, file)).status;
        }),
      ),
    );
    expect((await api.get('/version')).status).toBeLessThan(500);
    for (const status of await writing) expect([201, 429, 503]).toContain(status);
  });
});

describe('A text with NUL', () => {
  it('is stored as it is where it is the content of a file', LONG, async () => {
    const content = 'a\0b\0';
    const about = { branch: 'master', commit_message: 'NUL' };
    expect((await api.post(`${at}/files/nul`, { ...about, content })).status).toBe(201);
    expect(await stored('nul')).toBe(hash(content));
    expect((await api.put(`${at}/files/nul`, { ...about, content: `${content}c` })).status).toBe(200);
    const actions = [{ action: 'update', file_path: 'nul', content: `${content}d` }];
    expect((await api.post(`${at}/commits`, { ...about, actions })).status).toBe(201);
    expect(await stored('nul')).toBe(hash(`${content}d`));
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...about, content: '\0e' })) form.append(name, value);
    const headers = { method: 'PUT', headers: known, body: form };
    expect((await fetch(`${world.url}/api/v4${at}/files/nul`, headers)).status).toBe(200);
    expect(await stored('nul')).toBe(hash('\0e'));
    const query = `mutation ($input: UpdateFileInput!) { updateFile(input: $input) { path } }`;
    const input = { project: project.id, path: 'nul', branch: 'master', message: 'NUL', content: '\0f' };
    expect((await world.graphql(query, { input }, owner)).body.data.updateFile).toEqual({ path: 'nul' });
    expect(await stored('nul')).toBe(hash('\0f'));
  });

  itEveryNth(4, ['branch', 'commit_message', 'author_name', 'author_email'])('is refused in %s', async (name) => {
    const file = { branch: 'master', commit_message: 'NUL', content: 'x', [name]: 'a\0b' };
    expect(await api.post(`${at}/files/refused`, file)).toMatchObject({
      status: 400,
      body: { error: `${name} is invalid` },
    });
  });

  it('is refused in paths of actions, and in snippets, which the database keeps', async () => {
    const actions = [{ action: 'create', file_path: 'a\0b', content: 'x' }];
    const commit = { branch: 'master', commit_message: 'NUL', actions };
    expect(await api.post(`${at}/commits`, commit)).toMatchObject({
      status: 400,
      body: { error: 'actions is invalid' },
    });
    const snippet = { title: 's', file_name: 's', code: 'a\0b', visibility: 'private' };
    expect(await api.post(`/projects/${project.id}/snippets`, snippet)).toMatchObject({
      status: 400,
      body: { error: 'code is invalid' },
    });
  });
});

describe('JSON that is read piece by piece', () => {
  const read = (json: string | Buffer, size: number, limit = 64 * MIB) => {
    const bytes = Buffer.from(json);
    return parseLargeJson(
      (async function* () {
        for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
      })(),
      limit,
    );
  };

  it('holds what it holds when it is read at once, wherever the pieces end', LONG, async () => {
    const signs = ['a', '"', '\\', '\n', '\u0000', 'ä', '€', '😀', '\ud83d', '/', '\u2028', '\\u0041'];
    let seed = 1;
    const next = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 12; round++) {
      const text = (length: number) => Array.from({ length }, () => signs[next(signs.length)]).join('');
      const lengths = [0, 3, 4090 + next(20), 40_000 + next(10)];
      const value = {
        [text(4)]: lengths.map(text),
        nested: [{ a: text(5_000), b: null, c: 1.5 }, [], {}, text(33_000)],
        '': text(lengths[next(4)] ?? 0),
      };
      const json = round % 2 === 0 ? JSON.stringify(value) : JSON.stringify(value, null, 2).replaceAll('ä', '\\u00e4');
      expect(await read(json, [1 + next(50), 4096, 65_536][next(3)] as number)).toEqual(JSON.parse(json));
    }
  });

  it('keeps no text in the place of another, whatever clients call theirs', async () => {
    const long = 'y'.repeat(5_000);
    const json = JSON.stringify({ a: '0', b: long, c: '00000000-0000-4000-8000-000000000000 0', [long]: 'key' });
    const value = (await read(json, 1000)) as Record<string, unknown>;
    expect([value.a, value.b, value.c]).toEqual(['0', long, '00000000-0000-4000-8000-000000000000 0']);
    expect(Object.values(value)).toContain('key');
  });

  it('refuses bytes that are no UTF-8 in long texts and around them, and takes characters that chunks cut', async () => {
    const long = (text: Buffer) => Buffer.concat([Buffer.from('{"a":"'), text, Buffer.from('"}')]);
    const sound = long(Buffer.from('é€😀'.repeat(10_000)));
    expect(await read(sound, 997)).toEqual(JSON.parse(sound.toString('utf8')));
    await expect(read(long(Buffer.alloc(40_000, 0xe4)), 997)).rejects.toThrow('not valid UTF-8');
    const around = Buffer.concat([Buffer.from('{"b":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    await expect(read(around, 997)).rejects.toThrow('not valid UTF-8');
  });

  it('is counted without its escapes', async () => {
    const json = JSON.stringify({ a: '\u0000'.repeat(10_000) });
    expect(await read(json, 4096, 10_100)).toEqual({ a: '\u0000'.repeat(10_000) });
    await expect(read(json, 4096, 9_999)).rejects.toThrow('9999 bytes');
    await expect(read(JSON.stringify({ a: Array(200_000).fill(1) }), 4096)).rejects.toThrow('100000 values');
    await expect(read(`${'['.repeat(200)}"${'x'.repeat(5_000)}"`, 4096)).rejects.toThrow('100 levels');
  });
});
