import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { S3Uploads } from '#src/domain/uploads/s3.ts';
import { defaultCredentials } from '#src/domain/uploads/s3_credentials.ts';
import { UploadsUnavailable } from '#src/platform/uploads_unavailable.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const directory = mkdtempSync(path.join(tmpdir(), 'gantry-s3-client-'));
const open: { close(): void }[] = [];
afterAll(() => {
  for (const server of open) server.close();
  rmSync(directory, { recursive: true });
});

/** A server that answers as it is told, with the requests that it got. */
async function serve(answer: Answer) {
  const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    seen.push({ method, url, headers, body });
    answer(request, response, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const credentials = { accessKeyId: 'KEY', secretAccessKey: 'SECRET' };
const storeAt = (endpoint: string) =>
  new S3Uploads({ bucket: 'files', prefix: '', endpoint, region: 'us-east-1', credentials });
const place = { projectId: 1, secret: 'a'.repeat(32), fileName: 'notes.txt' };
const contents = (...keys: string[]) =>
  keys.map(
    (key) => `<Contents><Key>${key}</Key><LastModified>2026-01-02T03:04:05Z</LastModified><Size>7</Size></Contents>`,
  );

describe('A bucket', () => {
  it('is listed page by page, names as they were before they stood in XML', async () => {
    const token = '1/+Az=&<';
    const { seen, url } = await serve((request, response) => {
      const isSecond = new URL(request.url ?? '', 'http://x').searchParams.get('continuation-token') === token;
      const next = '<NextContinuationToken>1/+Az=&amp;&lt;</NextContinuationToken>';
      const page = isSecond ? contents('2/b/R&amp;D &#39;x&#39;.txt') : [...contents('1/a/one.txt', 'elsewhere'), next];
      response.end(`<ListBucketResult>${page.join('\n')}</ListBucketResult>`);
    });
    const files = [];
    for await (const file of storeAt(url).list()) files.push(file);
    const about = { size: 7, storedAt: new Date('2026-01-02T03:04:05Z') };
    expect(files).toEqual([
      { projectId: 1, secret: 'a', fileName: 'one.txt', ...about },
      { projectId: 2, secret: 'b', fileName: "R&D 'x'.txt", ...about },
    ]);
    expect(seen).toHaveLength(2);
  });

  it('is asked again where it is busy for a moment, but not for what was sent as a stream', async () => {
    const { seen, url } = await serve((_request, response) => {
      if (seen.length < 3) response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      else response.end();
    });
    expect(await storeAt(url).has(place)).toBe(true);
    expect(seen).toHaveLength(3);
    seen.length = 0;
    const content = (async function* () {
      yield Buffer.from('a');
    })();
    await expect(storeAt(url).write(place, content, 1)).rejects.toThrow('SlowDown');
    expect(seen.map(({ body }) => body)).toEqual(['a']);
  });

  it('that refuses is not asked again, and what it says is the reason', async () => {
    const refusal = '<Error><Code>AccessDenied</Code><Message>No &amp; never</Message></Error>';
    const { seen, url } = await serve((_request, response) => void response.writeHead(403).end(refusal));
    const refused = storeAt(url).read(place);
    await expect(refused).rejects.toBeInstanceOf(UploadsUnavailable);
    await expect(refused).rejects.toThrow('The store of uploaded files: No & never');
    expect(seen).toHaveLength(1);
  });

  it('that is missing is not taken for a missing file', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(404).end('<Error><Code>NoSuchBucket</Code><Message>No such bucket</Message></Error>');
    });
    await expect(storeAt(url).read(place)).rejects.toThrow('No such bucket');
  });

  it('that deletes only some of the files fails, with its reason', async () => {
    const { seen, url } = await serve((request, response) => {
      if (request.method === 'GET') response.end(`<ListBucketResult>${contents('1/a/R&amp;D.txt')}</ListBucketResult>`);
      else response.end('<DeleteResult><Error><Key>1/a/b</Key><Message>Locked</Message></Error></DeleteResult>');
    });
    await expect(storeAt(url).remove({ projectId: 1 })).rejects.toThrow('did not delete all: Locked');
    expect(seen[1]).toMatchObject({ method: 'POST', url: '/files?delete=' });
    expect(seen[1]?.body).toContain('<Key>1/a/R&#38;D.txt</Key>');
    expect(seen[1]?.headers['content-md5']).toMatch(/^[\w+/]{22}==$/);
  });

  it('of which the connection breaks in the middle of a file fails the reader', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half');
      setImmediate(() => response.destroy());
    });
    const content = await storeAt(url).read(place);
    await expect(content && text(content)).rejects.toThrow();
  });
});

describe('Credentials that are not set are', () => {
  const nowhere = { AWS_SHARED_CREDENTIALS_FILE: path.join(directory, 'none'), AWS_EC2_METADATA_DISABLED: 'true' };
  const answer = (Expiration: string) =>
    JSON.stringify({ AccessKeyId: 'ID', SecretAccessKey: 'KEY', Token: 'TOKEN', Expiration });
  const lent = { accessKeyId: 'ID', secretAccessKey: 'KEY', sessionToken: 'TOKEN' };
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();

  it('those of a profile', async () => {
    const file = path.join(directory, 'credentials');
    writeFileSync(
      file,
      '[default]\naws_access_key_id = OTHER\naws_secret_access_key = OTHER\n\n[team]\naws_access_key_id = ID\naws_secret_access_key=KEY\n',
    );
    const env = { AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'team' };
    expect(await defaultCredentials('us-east-1', env)()).toMatchObject({ accessKeyId: 'ID', secretAccessKey: 'KEY' });
  });

  it('those of the role of the container, asked for once and again before they end', async () => {
    const { seen, url } = await serve((_request, response) => {
      response.end(answer(seen.length === 1 ? new Date(Date.now() + 60_000).toISOString() : inAnHour));
    });
    const env = {
      ...nowhere,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/role`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'who-asks',
    };
    const get = defaultCredentials('us-east-1', env);
    expect(await get()).toMatchObject(lent);
    expect(await Promise.all([get(), get()])).toMatchObject([lent, lent]);
    await get();
    expect(seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/role', 'who-asks'],
      ['/role', 'who-asks'],
    ]);
  });

  it('those of the role of the machine', async () => {
    const { url } = await serve(({ method, url = '', headers }, response) => {
      if (method === 'PUT' && url === '/latest/api/token') return void response.end('session');
      if (headers['x-aws-ec2-metadata-token'] !== 'session') return void response.writeHead(401).end();
      response.end(
        url.endsWith('/security-credentials/') ? 'the-role' : url.endsWith('/the-role') ? answer(inAnHour) : '',
      );
    });
    const env = { AWS_SHARED_CREDENTIALS_FILE: nowhere.AWS_SHARED_CREDENTIALS_FILE };
    const get = defaultCredentials('us-east-1', { ...env, AWS_EC2_METADATA_SERVICE_ENDPOINT: url });
    expect(await get()).toMatchObject(lent);
  });

  it('those of the role of a service account of Kubernetes', async () => {
    const { seen, url } = await serve((_request, response) => {
      const Credentials = {
        AccessKeyId: 'ID',
        SecretAccessKey: 'KEY',
        SessionToken: 'TOKEN',
        Expiration: Date.now() / 1000 + 3600,
      };
      const AssumeRoleWithWebIdentityResult = { Credentials };
      response.end(JSON.stringify({ AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult } }));
    });
    const file = path.join(directory, 'token');
    writeFileSync(file, 'signed-by-kubernetes\n');
    const env = { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: 'arn:aws:iam::1:role/x', AWS_ENDPOINT_URL_STS: url };
    expect(await defaultCredentials('us-east-1', env)()).toMatchObject(lent);
    const asked = new URLSearchParams(seen[0]?.body);
    expect(asked.get('WebIdentityToken')).toBe('signed-by-kubernetes');
    expect(asked.get('RoleArn')).toBe('arn:aws:iam::1:role/x');
  });

  it('missing otherwise, and whoever asks is told so', async () => {
    await expect(defaultCredentials('us-east-1', nowhere)()).rejects.toThrow('no AWS_ACCESS_KEY_ID is set');
  });
});
