import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { printed, type ServerProcess, scratchDirectory, settings, startServer } from '../support/server_process.ts';

/** Bytes of the object; LFS_BYTES=2147483648 measures what docs/performance.md has. */
const SIZE = Number(process.env.LFS_BYTES ?? 512 * 1024 ** 2);
/** Bytes of the object that goes first. */
const SMALL = 16 * 1024 ** 2;
const CHUNK = randomBytes(1024 ** 2);

/** The most that a server may grow beyond what it needs anyway, in bytes. */
const MOST = 60 * 1024 ** 2;

function* content(size: number) {
  for (let left = size; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, Math.min(left, CHUNK.length));
}

function hashOf(chunks: Iterable<Buffer>): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

/** Resident memory of a server, in bytes. */
function resident({ child }: ServerProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024;
}

async function answerOf(address: string, headers: Record<string, string | number>, body?: Iterable<Buffer>) {
  const asked = request(address, { method: body ? 'PUT' : 'GET', headers });
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
  if (body) await pipeline(Readable.from(body), asked);
  else asked.end();
  const [response] = await answered;
  return response;
}

test('a large object of Git LFS goes through the server with 60 MB of memory, up and down', async () => {
  const own = scratchDirectory();
  const server = await startServer(settings(own.directory));
  const token = printed(server.output(), 'Private token') ?? '';
  const post = async (address: string, body: object, headers: Record<string, string>) => {
    const type = { 'Content-Type': 'application/json', Accept: 'application/vnd.git-lfs+json' };
    const sent = { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(body) };
    return (await (await fetch(`${server.url}/${address}`, sent)).json()) as never;
  };
  const project: { path_with_namespace: string } = await post(
    'api/v4/projects',
    { name: 'large' },
    { 'PRIVATE-TOKEN': token },
  );
  const basic = { Authorization: `Basic ${Buffer.from(`root:${token}`).toString('base64')}` };
  const action = async (operation: 'upload' | 'download', oid: string, size: number) => {
    const at = `${project.path_with_namespace}.git/info/lfs/objects/batch`;
    const { objects } = (await post(at, { operation, objects: [{ oid, size }] }, basic)) as {
      objects: { actions: Record<string, { href: string; header: Record<string, string> }> }[];
    };
    return objects[0]?.actions[operation] ?? { href: '', header: {} };
  };
  const upload = async (oid: string, size: number) => {
    const { href, header } = await action('upload', oid, size);
    const put = await answerOf(href, { ...header, 'Content-Length': size }, content(size));
    expect(put.statusCode).toBe(200);
    put.resume();
  };
  const download = async (oid: string, size: number) => {
    const { href, header } = await action('download', oid, size);
    const hash = createHash('sha256');
    for await (const chunk of await answerOf(href, header)) hash.update(chunk as Buffer);
    expect(hash.digest('hex')).toBe(oid);
  };

  // A small object first: what the server compiles for its first one, and the room that it makes for young values, is not what a large one costs.
  const small = hashOf(content(SMALL));
  await upload(small, SMALL);
  await download(small, SMALL);

  const oid = hashOf(content(SIZE));
  const before = resident(server);
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, resident(server));
  }, 20);
  const begin = performance.now();
  await upload(oid, SIZE);
  const [middle, upwards] = [performance.now(), most - before];
  await download(oid, SIZE);
  clearInterval(watching);
  const megabytes = (bytes: number) => Math.round(bytes / 1e6);
  const seconds = [middle - begin, performance.now() - middle].map((one) => (one / 1000).toFixed(1));
  console.log(
    `${megabytes(SIZE)} MB: ${seconds[0]} s up, ${seconds[1]} s down; +${megabytes(upwards)} MB up, +${megabytes(most - before)} MB in all over ${megabytes(before)} MB`,
  );
  expect(most - before).toBeLessThan(MOST);
  await server.end('SIGTERM');
  own.remove();
});
