import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import { git, gitBytes } from '../support/git_program.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { fillRepository, part } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let directory: string;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  directory = await fillRepository(world, project, oddHistory({ packed: false }));
  at = `/projects/${project.id}/repository/files`;
});

const FILES = [
  'src/renamed.txt',
  'dir with space/file name.txt',
  'dots/..hidden./x.y.z',
  'percent%2F/100%.txt',
  'unicode/žluťoučký/日本.txt',
  'binary.bin',
  'noeol.txt',
  'empty.txt',
  'crlf.txt',
  'link',
  'run.sh',
];

const KEYS = [
  ...['file_name', 'file_path', 'size', 'encoding', 'ref', 'blob_id', 'commit_id', 'last_commit_id'],
  ...['content_sha256', 'execute_filemode', 'content'],
];

describe('GET /projects/:id/repository/files/:file_path', () => {
  itEveryNth(6, FILES)('gives %s as git has it', async (path) => {
    const { status, body } = await api.get(`${at}/${part(path)}?ref=light`);
    const content = gitBytes(directory, ['cat-file', 'blob', `light:${path}`]);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(KEYS);
    expect(body).toEqual({
      file_name: path.split('/').at(-1),
      file_path: path,
      size: content.length,
      encoding: 'base64',
      content: content.toString('base64'),
      ref: 'light',
      blob_id: git(directory, ['rev-parse', `light:${path}`]).trim(),
      commit_id: git(directory, ['rev-parse', 'light']).trim(),
      last_commit_id: git(directory, ['log', '-1', '--format=%H', 'light', '--', path]).trim(),
      content_sha256: createHash('sha256').update(content).digest('hex'),
      execute_filemode: git(directory, ['ls-tree', 'light', path]).startsWith('100755'),
    });
  });

  it('takes a plus sign in a path as it is, and dots encoded or not', LONG, async () => {
    const history = new HistoryBuilder();
    history.commit({
      branch: 'main',
      changes: [
        { path: 'c++/a+b.txt', content: 'plus' },
        { path: 'package.json', content: '{}' },
        { path: 'raw', content: 'a file of that name' },
      ],
    });
    const own = await world.project({ owner });
    await fillRepository(world, own, history.build());
    const files = `/projects/${own.id}/repository/files`;
    for (const address of ['c++%2Fa+b.txt', 'c%2B%2B%2Fa%2Bb%2Etxt', 'package.json', 'package%2Ejson', 'raw']) {
      const { status, body } = await api.get(`${files}/${address}?ref=main`);
      expect([address, status, body.file_path]).toEqual([address, 200, decodeURIComponent(address)]);
    }
    expect((await api.get(`${files}/raw/raw?ref=main`)).body).toBe('a file of that name');
  });

  itEveryNth(6, ['missing', 'src', 'vendor/module', 'src/../noeol.txt', '/', 'src/b.txt/x'])(
    '404 for %s, which is no file',
    async (path) => {
      expect(await api.get(`${at}/${part(path)}?ref=main`)).toMatchObject({
        status: 404,
        body: { message: '404 File Not Found' },
      });
    },
  );

  it('404 for an unknown ref', async () => {
    expect(await api.get(`${at}/noeol.txt?ref=missing`)).toMatchObject({
      status: 404,
      body: { message: '404 Commit Not Found' },
    });
  });

  it('400 without a ref, before anything else is looked at', async () => {
    const hidden = await world.project({ owner });
    for (const address of [`${at}/noeol.txt`, `/projects/${hidden.id}/repository/files/x/raw`]) {
      expect(await world.api().get(address)).toMatchObject({ status: 400, body: { error: 'ref is missing' } });
    }
  });

  it('413 above 20 MB, naming where the content is streamed', LONG, async () => {
    const history = new HistoryBuilder();
    const size = 20 * 1024 * 1024 + 1;
    history.commit({ branch: 'main', changes: [{ path: 'large', content: Buffer.alloc(size, 'x') }] });
    const own = await world.project({ owner });
    await fillRepository(world, own, history.build());
    const repository = `/projects/${own.id}/repository`;
    const { status, body } = await api.get(`${repository}/files/large?ref=main`);
    expect(status).toBe(413);
    const [address = ''] = /\/projects\S+/.exec(body.message) ?? [];
    expect(address).toMatch(/\/blobs\/[0-9a-f]{40}\/raw$/);
    expect((await api.get(address)).headers['content-length']).toBe(String(size));
    const graphql = `{ project(ref: ${own.id}) { repository { file(path: "large", ref: "main") { size content } } } }`;
    const { errors } = (await world.graphql(graphql, {}, owner)).body;
    expect(errors[0].extensions.code).toBe('CONTENT_TOO_LARGE');
  });
});

describe('GET /projects/:id/repository/files/:file_path/raw', () => {
  const raw = (path: string, headers: Record<string, string> = {}) =>
    api.get(`${at}/${part(path)}/raw?ref=light`, headers);

  itEveryNth(6, FILES)('streams %s as git has it', async (path) => {
    const content = gitBytes(directory, ['cat-file', 'blob', `light:${path}`]);
    const { status, headers, bytes } = await fetchBytes(`${at}/${part(path)}/raw?ref=light`);
    expect(status).toBe(200);
    expect(bytes.equals(content)).toBe(true);
    const binary = path === 'binary.bin';
    expect(headers).toMatchObject({
      'content-type': binary ? 'application/octet-stream' : 'text/plain; charset=utf-8',
      'content-length': String(content.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'accept-ranges': 'bytes',
    });
    const name = path.split('/').at(-1) ?? '';
    expect(headers['content-disposition']).toMatch(binary ? /^attachment; / : /^inline; /);
    const isPlain = /^[ !#$&-[\]-~]+$/.test(name);
    expect(headers['content-disposition']).toMatch(
      isPlain ? /filename="[^"]+"$/ : /filename="[^"]+"; filename\*=UTF-8''/,
    );
    expect(headers['content-disposition']).toContain(isPlain ? `"${name}"` : `filename*=UTF-8''${part(name)}`);
  });

  it('never sends a page as a page', LONG, async () => {
    const history = new HistoryBuilder();
    history.commit({
      branch: 'main',
      changes: [{ path: 'evil".html', content: '<script>alert(1)</script>' }],
    });
    const own = await world.project({ owner });
    await fillRepository(world, own, history.build());
    const { headers } = await api.get(`/projects/${own.id}/repository/files/${part('evil".html')}/raw?ref=main`);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': 'sandbox',
    });
    expect(headers['content-disposition']).toBe(`inline; filename="evil_.html"; filename*=UTF-8''evil%22.html`);
  });

  itEveryNth(4, [
    ['bytes=0-3', 206, 'no n', 'bytes 0-3/21'],
    ['bytes=3-', 206, 'newline at the end', 'bytes 3-20/21'],
    ['bytes=-3', 206, 'end', 'bytes 18-20/21'],
    ['bytes=-100', 206, 'no newline at the end', 'bytes 0-20/21'],
    ['bytes=20-500', 206, 'd', 'bytes 20-20/21'],
    ['bytes=5-2', 200, 'no newline at the end', undefined],
    ['bytes=0-1,4-5', 200, 'no newline at the end', undefined],
    ['lines=0-1', 200, 'no newline at the end', undefined],
  ])('answers a range %s with %i', async (range, status, text, contentRange) => {
    const answer = await raw('noeol.txt', { Range: range });
    expect([answer.status, answer.body, answer.headers['content-range']]).toEqual([status, text, contentRange]);
    expect(answer.headers['content-length']).toBe(String(text.length));
  });

  it('416 for a range behind the end', async () => {
    const { status, headers, body } = await raw('noeol.txt', { Range: 'bytes=21-' });
    expect([status, headers['content-range'], body]).toEqual([
      416,
      'bytes */21',
      { error: '416 Range Not Satisfiable' },
    ]);
  });

  it('304 for who has it, and all of it for who has another one', async () => {
    const { headers } = await raw('noeol.txt');
    const etag = String(headers.etag);
    expect(await raw('noeol.txt', { 'If-None-Match': etag })).toMatchObject({ status: 304, body: null });
    expect((await raw('noeol.txt', { 'If-Range': '"other"', Range: 'bytes=0-1' })).status).toBe(200);
    expect((await raw('noeol.txt', { 'If-Range': etag, Range: 'bytes=0-1' })).status).toBe(206);
  });

  it('answers HEAD without the content', async () => {
    const headers = { 'PRIVATE-TOKEN': owner.token };
    const {
      status,
      headers: got,
      body,
    } = await world.send('HEAD', `/api/v4${at}/noeol.txt/raw?ref=light`, { headers });
    expect([status, got['content-length'], body]).toEqual([200, '21', null]);
  });

  it('goes on serving when clients leave in the middle', LONG, async () => {
    const history = new HistoryBuilder();
    history.commit({ branch: 'main', changes: [{ path: 'large', content: Buffer.alloc(30 * 1024 * 1024, 'y') }] });
    const own = await world.project({ owner, visibility: 'public' });
    await fillRepository(world, own, history.build());
    const path = `/api/v4/projects/${own.id}/repository/files/large/raw?ref=main`;
    for (let n = 0; n < 5; n += 1) {
      await new Promise<void>((resolve, reject) => {
        const outgoing = request(`${world.url}${path}`, (response) => {
          response.once('data', () => {
            response.destroy();
            resolve();
          });
        });
        outgoing.on('error', reject);
        outgoing.end();
      });
    }
    const { bytes } = await fetchBytes(path.slice('/api/v4'.length));
    expect(bytes.length).toBe(30 * 1024 * 1024);
  });

  it('404 as the file itself', async () => {
    expect(await raw('missing')).toMatchObject({ status: 404, body: { message: '404 File Not Found' } });
    expect(await api.get(`${at}/noeol.txt/raw?ref=missing`)).toMatchObject({
      status: 404,
      body: { message: '404 Commit Not Found' },
    });
  });
});

async function fetchBytes(path: string) {
  const response = await fetch(`${world.url}/api/v4${path}`, { headers: { 'PRIVATE-TOKEN': owner.token } });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), bytes };
}

describe('Raw files of projects that moved', () => {
  it('are where the project is now', LONG, async () => {
    const moved = await world.project({ owner, path: 'old-path' });
    await fillRepository(world, moved, oddHistory({ packed: false }));
    await api.put(`/projects/${moved.id}`, { path: 'new-path' });
    const rest = `repository/files/${part('dots/..hidden./x.y.z')}/raw?ref=main`;
    const { status, headers } = await api.get(`/projects/${part(`${owner.username}/old-path`)}/${rest}`);
    expect([status, headers.location]).toEqual([
      301,
      `${world.url}/api/v4/projects/${part(`${owner.username}/new-path`)}/${rest}`,
    ]);
    expect((await api.get(String(headers.location).slice(`${world.url}/api/v4`.length))).body).toBe('dots\n');
  });
});
