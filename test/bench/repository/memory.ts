import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { generateLoad } from '../load.ts';
import { LARGEST_BLOB, noise } from './history.ts';
import { feedGit, git } from './program.ts';
import { type BenchProject, RepositoryServer } from './server.ts';

/** How much the resident memory of the server grew at most, in MB over its idle size, during each kind of work. */
export interface Growth {
  /** Of the server when it had just started and nobody had asked for anything, in MB. */
  idle: number;
  steps: { name: string; growth: number }[];
}

/** Has a server of its own do everything with a bare repository whose pack is large. */
export async function measureMemory(source: string): Promise<Growth> {
  const server = await RepositoryServer.start();
  const scratch = mkdtempSync(path.join(tmpdir(), 'gantry-bench-'));
  try {
    const idle = await server.idleMemory();
    const steps: Growth['steps'] = [];
    const step = async (name: string, work: () => Promise<unknown>) => {
      steps.push({ name, growth: await server.growth(idle, work) });
    };
    let project: BenchProject | undefined;
    await step('push of it', async () => {
      project = await server.push(source, 'large');
    });
    if (project === undefined) throw new Error('There is no project');
    for (const [name, work] of works(server, project, scratch)) await step(name, work);
    await step('a while later', () => server.idleMemory());
    return { idle, steps };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    await server.stop();
  }
}

function works(server: RepositoryServer, project: BenchProject, scratch: string): [string, () => Promise<unknown>][] {
  const at = `projects/${project.id}/repository`;
  const many = (paths: string[]) => () => {
    const load = { url: server.url, connections: 8, milliseconds: 60_000, count: 300 };
    return generateLoad({ ...load, call: (n) => server.call(paths[n % paths.length] ?? '') });
  };
  const download = (name: string) => async () => {
    const { path: address, headers } = server.call(`${at}/${name}`);
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      get(server.url + address, { headers }, resolve).on('error', reject);
    });
    if (response.statusCode !== 200) throw new Error(`${name} answered ${response.statusCode}`);
    await pipeline(response, createWriteStream('/dev/null'));
  };
  const largest = encodeURIComponent(LARGEST_BLOB);
  return [
    ['log', many([1, 2, 50].map((page) => `${at}/commits?per_page=100&page=${page}`))],
    ['log of a path', many([`${at}/commits?path=src`, `${at}/commits?path=large`])],
    ['tree', many([`${at}/tree`, `${at}/tree?path=src`, `${at}/tree?path=large`, `${at}/tree?recursive=true`])],
    ['one commit and its diff', many([`${at}/commits/main`, `${at}/commits/main/diff`])],
    ['files', many(Array.from({ length: 100 }, (_, n) => fileAt(at, n)))],
    ['contributors', () => server.ask(`${at}/contributors?per_page=100`)],
    ['compare with 500 commits ago', async () => server.ask(`${at}/compare?from=${await ago(project)}&to=main`)],
    ['raw of 100 MB', download(`files/${largest}/raw?ref=main`)],
    ['raw of 10 MB, four at once', () => all(4, (n) => download(`files/large%2F${n + 1}.bin/raw?ref=main`)())],
    ['archive, tar.gz', download('archive.tar.gz')],
    ['archive, zip', download('archive.zip')],
    ['clone', () => git(scratch, ['clone', '--quiet', '--bare', project.remote, 'clone.git'])],
    ['push of another 100 MB', () => pushMore(scratch, project.remote)],
    ['commit by the API', () => server.ask(`${at}/commits`, COMMIT)],
  ];
}

const COMMIT = {
  branch: 'main',
  commit_message: 'One more',
  actions: [{ action: 'create', file_path: 'more', content: 'more' }],
};

function fileAt(at: string, n: number): string {
  const file = `src/area${n % 12}/part${n % 60}/file${n}.ts`;
  return `${at}/files/${encodeURIComponent(file)}?ref=main`;
}

async function ago({ directory }: BenchProject): Promise<string> {
  return (await git(directory, ['rev-parse', 'main~500'])).trim();
}

async function all(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, n) => work(n)));
}

/** From the clone that was made before. */
async function pushMore(scratch: string, remote: string): Promise<void> {
  const directory = path.join(scratch, 'clone.git');
  const parts = function* (): Generator<Buffer | string> {
    yield 'commit refs/heads/main\ncommitter Lara Large <lara@example.com> 1600000000 +0000\ndata 4\nMore\n';
    yield `from refs/heads/main^0\nM 100644 inline large/more.bin\ndata ${100 << 20}\n`;
    yield* noise(100, 100);
    yield '\n';
  };
  const settings = ['-c', 'fastimport.unpackLimit=1'];
  await feedGit(directory, [...settings, 'fast-import', '--quiet', '--date-format=raw'], parts());
  await git(directory, ['push', '--quiet', remote, 'main']);
}
