// One part in depth, which the long run has.
// @module-tag long
import { get, type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { getNamedType, getOperationAST, isInterfaceType, isObjectType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { selectsSecrets } from '#schema/secret_fields.ts';
import { projectWithCommit } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { application, authorize, signedIn } from '../support/oauth.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();
const left = await startWorld({ compression: false });
const owner = await world.user();
const api = world.api(owner);
const project = await world.project({ owner, visibility: 'public' });
for (let n = 0; n < 12; n++) {
  await api.post(`/projects/${project.id}/issues`, { title: `Issue ${n}`, description: 'words '.repeat(100) });
}
const issues = `/api/v4/projects/${project.id}/issues`;

interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a request that accepts these encodings, and takes the answer as it came. */
function send(
  path: string,
  encoding: string | undefined,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Received> {
  const accept = encoding === undefined ? {} : { 'Accept-Encoding': encoding };
  const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const all = { 'PRIVATE-TOKEN': owner.token, ...accept, ...length, ...headers };
  return new Promise((resolve, reject) => {
    const outgoing = request(world.url + path, { method, headers: all }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part) => parts.push(part)).on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }),
      );
    });
    outgoing.on('error', reject).end(body);
  });
}

const unpack: Record<string, (body: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
};
const graphql = (query: string, encoding = 'br') =>
  send('/graphql', encoding, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });

describe('An answer of more than 1 KiB is compressed', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['*', 'br'],
    ['deflate', 'deflate'],
  ])('for who accepts %s: %s', async (accepted, chosen) => {
    const plain = await send(issues, undefined);
    const { status, headers, body } = await send(issues, accepted);
    expect([status, headers['content-encoding'], headers['content-length']]).toEqual([200, chosen, undefined]);
    expect(body.length).toBeLessThan(plain.body.length / 2);
    expect(unpack[chosen]?.(body)).toEqual(plain.body);
    for (const answer of [headers, plain.headers]) expect(answer.vary).toBe('Origin, Accept-Encoding');
    expect(headers).toMatchObject({ etag: plain.headers.etag, 'x-total': '12', 'content-type': 'application/json' });
  });

  it.each([undefined, 'identity', 'br;q=0', 'zstd', 'gzip;q=0, br;q=0', ''])(
    'not for who accepts %s',
    async (accepted) => {
      const { headers, body } = await send(issues, accepted);
      expect(headers['content-encoding']).toBeUndefined();
      expect(Number(headers['content-length'])).toBe(body.length);
      expect(JSON.parse(body.toString()).length).toBe(12);
    },
  );

  it('over GraphQL too', async () => {
    const query = `{ project(ref: "${project.id}") { issues { nodes { title description } } } }`;
    const { headers, body } = await graphql(query);
    expect(headers['content-encoding']).toBe('br');
    expect(headers.vary).toContain('Accept-Encoding');
    expect(JSON.parse(brotliDecompressSync(body).toString()).data.project.issues.nodes.length).toBe(12);
  });

  it('on pages of projects and in feeds, whose forms have another token each time', async () => {
    const browser = await signedIn(world, owner);
    const headers = { Cookie: `gantry_session=${browser.cookie('gantry_session')}`, 'PRIVATE-TOKEN': '' };
    const page = `/${project.fullPath}/-/issues/1`;
    const tokens = new Set<string | undefined>();
    for (const encoding of ['br', 'gzip']) {
      const { status, headers: told, body } = await send(page, encoding, { headers });
      expect([status, told['content-encoding'], told.vary]).toEqual([200, encoding, 'Accept-Encoding']);
      const html = unpack[encoding]?.(body).toString() ?? '';
      tokens.add(/name="authenticity_token" value="([^"]*)"/.exec(html)?.[1]);
    }
    expect(tokens.size).toBe(2);
    const feed = await send(`/${project.fullPath}/-/issues.atom`, 'gzip', { headers });
    expect([feed.status, feed.headers['content-encoding']]).toEqual([200, 'gzip']);
    // Each of them is good.
    for (const [at, token = ''] of [...tokens].entries()) {
      const stateEvent = ['close', 'reopen'][at] ?? '';
      expect((await browser.submit(`${page}/state`, { stateEvent, authenticity_token: token })).status).toBe(303);
    }
    const [token = ''] = tokens;
    const wrong = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    for (const authenticity_token of [wrong, token.slice(0, 43), token.slice(43), `${token}${token}`, '']) {
      expect((await browser.submit(`${page}/state`, { stateEvent: 'close', authenticity_token })).status).toBe(422);
    }
  });

  it('in documents: those of the API and its schema', LONG, async () => {
    for (const path of ['/api/v4/openapi.json', '/graphql/schema.graphql']) {
      const plain = await send(path, undefined);
      expect(plain.headers['content-encoding']).toBeUndefined();
      for (const form of ['gzip', 'br']) {
        const { headers, body } = await send(path, form);
        expect([headers['content-encoding'], headers['accept-ranges']]).toEqual([form, undefined]);
        expect(headers).toMatchObject({ etag: plain.headers.etag, 'content-type': plain.headers['content-type'] });
        expect(headers.vary).toContain('Accept-Encoding');
        // They are compressed once: their length is known.
        expect(headers['content-length']).toBe(String(body.length));
        expect(unpack[form]?.(body)).toEqual(plain.body);
        expect((await send(path, form, { headers: { 'If-None-Match': headers.etag ?? '' } })).status).toBe(304);
        expect((await send(path, form, { method: 'HEAD' })).headers['content-length']).toBe(String(body.length));
      }
      expect((await send(path, 'br;q=0, gzip;q=0.5')).headers['content-encoding']).toBe('gzip');
    }
  });

  it('with the same headers for HEAD, and without a length', async () => {
    const { status, headers, body } = await send(issues, 'br', { method: 'HEAD' });
    expect([status, headers['content-encoding'], headers['content-length'], body.length]).toEqual([
      200,
      'br',
      undefined,
      0,
    ]);
    const plain = await send(issues, undefined, { method: 'HEAD' });
    expect(Number(plain.headers['content-length'])).toBe((await send(issues, undefined)).body.length);
  });

  it('but not read again by who has it, in whatever form it came', async () => {
    for (const [first, second] of [
      ['br', 'br'],
      ['br', undefined],
      [undefined, 'gzip'],
    ] as const) {
      const { etag = '' } = (await send(issues, first)).headers;
      expect(etag).toMatch(/^W\//);
      const again = await send(issues, second, { headers: { 'If-None-Match': etag } });
      expect([again.status, again.headers['content-encoding'], again.body.length]).toEqual([304, undefined, 0]);
      expect(again.headers.vary).toContain('Accept-Encoding');
    }
  });

  it('and ends for a client that leaves in the middle', LONG, async () => {
    await new Promise<void>((resolve, reject) => {
      get(`${world.url}/api/v4/openapi.json`, { headers: { 'Accept-Encoding': 'br' } }, (answer) => {
        answer.once('data', () => {
          answer.destroy();
          resolve();
        });
      }).on('error', reject);
    });
    expect((await send(issues, 'br')).status).toBe(200);
  });
});

describe('An answer is sent as it is', () => {
  it('when it is small', async () => {
    const { headers, body } = await send('/api/v4/projects?search=nothing-of-that-name', 'br');
    expect([headers['content-encoding'], body.toString()]).toEqual([undefined, '[]']);
  });

  it('when it holds a secret, over REST and GraphQL alike', LONG, async () => {
    const padding = 'x'.repeat(1900);
    await api.post(`/projects/${project.id}/variables`, { key: 'SECRET', value: padding });
    expect((await api.put(`/projects/${project.id}`, { description: padding })).status).toBe(200);
    for (const path of [
      `/projects/${project.id}/variables`,
      `/projects/${project.id}/variables/SECRET`,
      `/projects/${project.id}`,
    ]) {
      const { headers, body } = await send(`/api/v4${path}`, 'br, gzip');
      expect(body.length).toBeGreaterThan(1900);
      expect([path, headers['content-encoding']]).toEqual([path, undefined]);
    }
    const field = `project(ref: "${project.id}") { description variables { nodes { key hidden: value } } }`;
    const secret = `{ ${field} }`;
    const spread = `query A { project(ref: "${project.id}") { ...P } } fragment P on Project { description runnersToken }`;
    for (const query of [secret, spread]) {
      const { headers, body } = await graphql(query);
      expect(JSON.parse(body.toString()).data.project.description).toBe(padding);
      expect(headers['content-encoding']).toBeUndefined();
    }
    const open = { query: `{ project(ref: "${project.id}") { description } }` };
    const batch = async (operations: object[]) =>
      send('/graphql', 'br', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(operations),
      });
    expect((await batch([open, open])).headers['content-encoding']).toBe('br');
    for (const operations of [
      [open, { query: secret }],
      [{ query: secret }, open],
    ]) {
      expect((await batch(operations)).headers['content-encoding']).toBeUndefined();
    }
  });

  it('when it is a page of accounts, or of OAuth', LONG, async () => {
    const app = await application(world, owner, { name: 'n'.repeat(200) });
    const page = await send(`/users/sign_in?return_to=/${'x'.repeat(1500)}`, 'br');
    expect(page.body.length).toBeGreaterThan(1024);
    const browser = await signedIn(world, owner);
    await authorize(browser, { client_id: app.uid });
    const [, interaction = ''] = /action="(\/oauth\/interaction\/[^"]*)"/.exec(browser.page) ?? [];
    const consent = await browser.get(interaction, { 'Accept-Encoding': 'br' });
    const fields = { grant_type: 'password', username: owner.username, password: PASSWORD };
    const token = await send('/oauth/token', 'br', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
    const discovery = await send('/.well-known/openid-configuration', 'br');
    expect([page.status, consent.status, token.status, discovery.status]).toEqual([200, 200, 200, 200]);
    for (const { headers } of [page, consent, token, discovery]) expect(headers['content-encoding']).toBeUndefined();
  });

  it('when it is raw content or a part of it, an archive, or what git asked for', LONG, async () => {
    const { project: own } = await projectWithCommit(world, owner, { visibility: 'public' });
    const at = `/api/v4/projects/${own.id}/repository`;
    const content = 'line\n'.repeat(2000);
    await api.post(`/projects/${own.id}/repository/files/large.txt`, {
      branch: 'master',
      commit_message: 'L',
      content,
    });
    const raw = await send(`${at}/files/large.txt/raw?ref=master`, 'br');
    expect([raw.headers['content-encoding'], raw.headers['content-length']]).toEqual([undefined, '10000']);
    const part = await send(`${at}/files/large.txt/raw?ref=master`, 'br', { headers: { Range: 'bytes=0-4999' } });
    expect([part.status, part.headers['content-encoding'], part.body.length]).toEqual([206, undefined, 5000]);
    expect((await send(`${at}/archive.tar`, 'br')).headers['content-encoding']).toBeUndefined();
    const refs = await send(`/${own.fullPath}.git/info/refs?service=git-upload-pack`, 'br');
    expect([refs.status, refs.headers['content-encoding']]).toEqual([200, undefined]);
    // The same content in JSON is compressed.
    expect((await send(`${at}/files/large.txt?ref=master`, 'br')).headers['content-encoding']).toBe('br');
  });

  it('when it is a stream of events', async () => {
    const query = `{ project(ref: "${project.id}") { issues { nodes { description } } } }`;
    const { headers } = await send('/graphql', 'br', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    });
    expect(headers['content-type']).toContain('text/event-stream');
    expect(headers['content-encoding']).toBe('none');
  });
});

it('Answers are left to a proxy in front where that is what the settings say', LONG, async () => {
  const answer = await fetch(`${left.url}/api/v4/openapi.json`, { headers: { 'Accept-Encoding': 'br, gzip' } });
  expect(answer.headers.get('content-encoding')).toBeNull();
  expect(answer.headers.get('vary')).toBe('Origin');
  expect((await answer.text()).length).toBeGreaterThan(10_000);
});

describe('What selects a secret', () => {
  const selects = (document: string) => {
    const parsed = parse(document);
    const operation = getOperationAST(parsed);
    return operation ? selectsSecrets(parsed, operation) : null;
  };

  it('is found under any name and in any fragment that is used', () => {
    expect(selects('{ viewer { name } } fragment T on User { privateToken }')).toBe(false);
    expect(selects('{ viewer { name ...T } } fragment T on User { x: privateToken }')).toBe(true);
    expect(selects('{ viewer { ... on User { ... { a: privateToken } } } }')).toBe(true);
    expect(selects('{ ...A } fragment A on Query { ...B } fragment B on Query { ...A v { value } }')).toBe(true);
    expect(selects('{ token: viewer { name } }')).toBe(false);
  });

  it('is every field of the schema that sounds like one', () => {
    const known =
      /^(codeideEnabled|codeideUrl|containerRegistryTokenExpireDelay|recoveryCodesLeft|lineCode|discussionKey|pgpKeyId|gpgPrimaryKeyId|primaryKeyId|keyId|variableKeys|personalAccessTokenPrefix|deleted\w+|key|tokenName|code|codename|signingKey|verificationCode|verificationRecordValue|\w+PublicKeys)$/;
    const suspicious = Object.values(schema.getTypeMap())
      .filter((type) => isObjectType(type) || isInterfaceType(type))
      .filter(({ name }) => !['Mutation', 'Query'].includes(name) && !name.startsWith('__'))
      .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
      .filter(({ field }) => /token|secret|passw|code|key|value|otp/i.test(field.name))
      .filter(({ field }) => 'String' === getNamedType(field.type).name && !known.test(field.name));
    const missed = suspicious.filter(({ field }) => !selects(`{ a { ${field.name} } }`));
    expect(missed.map(({ type, field }) => `${type.name}.${field.name}`)).toEqual([]);
    expect(suspicious.length).toBeGreaterThan(5);
  });
});
