import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { imageOf, MANIFEST } from '../support/container_client.ts';
import { printed, run, scratchDirectory, settings, startServer } from '../support/server_process.ts';

/** Debian's client of container registries, which .ci/run installs. */
const SKOPEO = '/usr/bin/skopeo';
const LARGE = 200 * 1024 * 1024;
const TIMEOUT = 300_000;

const { directory, remove } = scratchDirectory();
const server = await startServer(settings(path.join(directory, 'data')));
const token = printed(server.output(), 'Private token') ?? '';
afterAll(async () => {
  await server.end('SIGTERM');
  remove();
});

const api = (method: string, where: string, body?: object) =>
  fetch(`${server.url}/api/v4${where}`, {
    method,
    headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

async function project(name: string): Promise<{ id: number; image: string }> {
  const { id, path_with_namespace: full } = (await (await api('POST', '/projects', { name })).json()) as {
    id: number;
    path_with_namespace: string;
  };
  return { id, image: `${server.url.replace('http://', '')}/${full.toLowerCase()}` };
}

/** Runs skopeo without asking for TLS, and with an empty home. Returns what it printed. */
async function skopeo(...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: directory, TMPDIR: directory, XDG_RUNTIME_DIR: directory };
  const { status, stdout, stderr } = await run(SKOPEO, ['--insecure-policy', ...args], { env, cwd: directory });
  if (status !== 0) throw new Error(`skopeo ${args[0]}: ${stderr}`);
  return stdout;
}

const to = ['--dest-tls-verify=false', `--dest-creds=root:${token}`];
const from = ['--src-tls-verify=false', `--src-creds=root:${token}`];
const at = ['--tls-verify=false', `--creds=root:${token}`];

/** Writes an image in the form of skopeo's `dir:`. */
function writeImage(name: string, image = imageOf({ layers: [layerOf('one'), layerOf('two')] })) {
  const folder = path.join(directory, name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'version'), 'Directory Transport Version: 1.1\n');
  writeFileSync(path.join(folder, 'manifest.json'), image.text);
  for (const { digest, bytes } of [image.config, ...image.layers])
    writeFileSync(path.join(folder, digest.slice(7)), bytes);
  return { folder, image };
}

/** A layer: skopeo does not look into it, other than whether it is compressed. */
function layerOf(content: string | Buffer) {
  const bytes = gzipSync(content, { level: 1 });
  return { bytes, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, size: bytes.length };
}

/** The files of a folder, by name. */
const filesOf = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name)).toString('base64')]),
  );

test('skopeo pushes an image, and pulls the same back', { timeout: TIMEOUT }, async () => {
  const { image } = await project('images');
  const { folder, image: pushed } = writeImage('pushed');
  await skopeo('copy', ...to, `dir:${folder}`, `docker://${image}/app:v1`);
  await skopeo('copy', ...from, `docker://${image}/app:v1`, `dir:${directory}/pulled`);
  expect(filesOf(path.join(directory, 'pulled'))).toEqual(filesOf(folder));
  await skopeo('copy', ...from, `docker://${image}/app@${pushed.digest}`, `oci:${directory}/layout:v1`);
  const blobs = readdirSync(path.join(directory, 'layout', 'blobs', 'sha256'));
  expect(blobs).toContain(pushed.digest.slice(7));
  await skopeo('copy', ...to, `oci:${directory}/layout:v1`, `docker://${image}/app:from-oci`);
  const inspected = JSON.parse(await skopeo('inspect', ...at, `docker://${image}/app:from-oci`)) as Record<
    string,
    unknown
  >;
  expect(inspected).toMatchObject({
    Name: `${image}/app`,
    Digest: pushed.digest,
    Architecture: 'amd64',
    RepoTags: ['from-oci', 'v1'],
  });
  const raw = await skopeo('inspect', '--raw', ...at, `docker://${image}/app:v1`);
  expect([raw, JSON.parse(raw).mediaType]).toEqual([pushed.text, MANIFEST]);
});

test('skopeo copies between repositories, lists tags and deletes images', { timeout: TIMEOUT }, async () => {
  const { image } = await project('copies');
  const { folder } = writeImage('copied');
  for (const tag of ['b', 'a']) await skopeo('copy', ...to, `dir:${folder}`, `docker://${image}:${tag}`);
  await skopeo('copy', ...from, ...to, `docker://${image}:a`, `docker://${image}/deep/copy:c`);
  const tags = async (name: string) => JSON.parse(await skopeo('list-tags', ...at, `docker://${name}`)).Tags;
  expect([await tags(image), await tags(`${image}/deep/copy`)]).toEqual([['a', 'b'], ['c']]);
  await skopeo('delete', ...at, `docker://${image}:a`);
  expect(await tags(image)).toEqual([]);
  await skopeo('copy', ...from, `docker://${image}/deep/copy:c`, `dir:${directory}/kept`);
  expect(filesOf(path.join(directory, 'kept'))).toEqual(filesOf(folder));
});

test('skopeo is told what it may not do', { timeout: TIMEOUT }, async () => {
  const { image } = await project('refused');
  const { folder } = writeImage('refused');
  const push = (credentials: string) =>
    skopeo(
      'copy',
      '--dest-tls-verify=false',
      ...(credentials ? [`--dest-creds=${credentials}`] : []),
      `dir:${folder}`,
      `docker://${image}:v1`,
    );
  await expect(push('')).rejects.toThrow(/authentication required|unauthorized/i);
  await expect(push('root:wrong')).rejects.toThrow(/unauthorized|invalid username\/password/i);
  const login = await skopeo('login', '--tls-verify=false', '-u', 'root', '-p', token, image.split('/')[0] ?? '');
  expect(login).toContain('Login Succeeded!');
  await skopeo('copy', '--dest-tls-verify=false', `dir:${folder}`, `docker://${image}:v1`);
});

test('large layers pass through whole', { timeout: TIMEOUT }, async () => {
  const { image } = await project('large');
  const layers = [layerOf(randomBytes(LARGE)), layerOf(randomBytes(LARGE))];
  const { folder } = writeImage('large', imageOf({ layers }));
  await skopeo('copy', ...to, `dir:${folder}`, `docker://${image}:v1`);
  await skopeo('copy', ...from, `docker://${image}:v1`, `dir:${directory}/large-pulled`);
  for (const { digest, bytes } of layers) {
    expect(readFileSync(path.join(directory, 'large-pulled', digest.slice(7))).equals(bytes)).toBe(true);
  }
});
