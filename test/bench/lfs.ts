import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { printed, scratchDirectory, settings, startServer } from '../support/server_process.ts';
import { residentMegabytes } from './process_tree.ts';

/** Bytes of the object. */
const SIZE = 2 * 1024 ** 3;
/** Bytes of the object that goes first. */
const SMALL = 16 * 1024 ** 2;
const CHUNK = randomBytes(1024 ** 2);

function* content(size: number) {
  for (let left = size; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, Math.min(left, CHUNK.length));
}

function hashOf(chunks: Iterable<Buffer>): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

async function answerOf(address: string, headers: Record<string, string | number>, body?: Iterable<Buffer>) {
  const asked = request(address, { method: body ? 'PUT' : 'GET', headers });
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
  if (body) await pipeline(Readable.from(body), asked);
  else asked.end();
  const [response] = await answered;
  return response;
}

/** Measures how long a large object of Git LFS takes, up and down, and how much a server grows meanwhile. */
export async function measureLfs(print: (text: string) => void): Promise<void> {
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
    if (put.statusCode !== 200) throw new Error(`The upload was answered with ${put.statusCode}`);
    put.resume();
  };
  const download = async (oid: string, size: number) => {
    const { href, header } = await action('download', oid, size);
    const hash = createHash('sha256');
    for await (const chunk of await answerOf(href, header)) hash.update(chunk as Buffer);
    if (hash.digest('hex') !== oid) throw new Error('What was downloaded is not what was uploaded');
  };

  // A small object first: what the server compiles for its first one, and the room that it makes for young values, is not what a large one costs.
  const small = hashOf(content(SMALL));
  await upload(small, SMALL);
  await download(small, SMALL);

  const oid = hashOf(content(SIZE));
  const resident = () => residentMegabytes(server.child.pid ?? 0);
  const before = resident();
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, resident());
  }, 20);
  const begun = performance.now();
  await upload(oid, SIZE);
  const [middle, upwards] = [performance.now(), most - before];
  await download(oid, SIZE);
  clearInterval(watching);
  const [up, down] = [middle - begun, performance.now() - middle].map((time) => (time / 1000).toFixed(1));
  const [by, whole, at] = [upwards, most - before, before].map(Math.round);
  print(
    `A Git LFS object of ${SIZE / 1024 ** 3} GiB: ${up} s up, ${down} s down; +${by} MB up, +${whole} MB in all, over ${at} MB`,
  );
  await server.end('SIGTERM');
  own.remove();
}
