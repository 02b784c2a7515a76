import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { updateRef } from '#src/git/refs/update.ts';
import {
  bareRepository,
  blobBomb,
  chainPack,
  commitTreeOf,
  deepPath,
  deltaBombPack,
  fetchBomb,
  pushBody,
  pushBomb,
  treeBomb,
  wideDirectory,
  writeZeros,
} from '../../support/bombs.ts';
import { git } from '../repository/program.ts';
import type { RepositoryServer } from '../repository/server.ts';
import type { Attack } from './attack.ts';

/** A public project, as an attacker made it. */
interface Victim {
  id: number;
  /** Without credentials, and with the ending `.git`. */
  remote: string;
  /** For the header of who owns it. */
  token: Record<string, string>;
}

/** As much as is read of an answer, in bytes. */
const PIECE = 64 * 1024;
/** Milliseconds after which an answer is not waited for any longer. */
const PATIENCE = 60_000;
const MB = 1024 * 1024;
const DEPTH = 2_500;

/** The attacks on trees, objects, archives, comparisons and the remote. */
export const gitAttacks: Attack[] = [
  reading('tree of 10¹⁰ paths, recursively', 'repository/tree?recursive=true&per_page=100', (bare) => treeBomb(bare)),
  reading('tree of 10⁷ paths, its last page', 'repository/tree?recursive=true&per_page=100&page=111111', tenMillion),
  reading(`tree of ${DEPTH} directories in each other`, 'repository/tree?recursive=true&per_page=100', deepBranch),
  reading(`file below ${DEPTH} directories`, `repository/files/${deepFile()}?ref=main`, deepBranch),
  reading('tree of 200,000 names in one directory', 'repository/tree?per_page=100&page=2000', (bare) =>
    wideDirectory(bare),
  ),
  reading('comparison of two trees of 10¹⁰ paths', 'repository/compare?from=main&to=other', async (bare) => {
    await treeBomb(bare);
    await treeBomb(bare, { branch: 'other', content: 'another\n' });
  }),
  reading('comparison of two directories of 200,000 names', 'repository/compare?from=main&to=other', async (bare) => {
    await wideDirectory(bare);
    await wideDirectory(bare, { branch: 'other', content: 'another\n' });
  }),
  reading('diff of a commit of 10⁷ paths', 'repository/commits/main/diff', tenMillion, true),
  reading('archive of 10¹⁰ paths', 'repository/archive.zip', (bare) => treeBomb(bare)),
  reading('archive of 3 GB of zeros', 'repository/archive.tar.gz', async (bare) => {
    await blobBomb(bare, { branch: 'zeros' });
    await treeBomb(bare, { levels: 1, content: '' });
    await blobTree(bare);
  }),
  reading('file of 300 MB as JSON', 'repository/files/zeros?ref=main', (bare) => blobBomb(bare)),
  reading('file of 300 MB, its beginning', 'repository/files/zeros/raw?ref=main', (bare) => blobBomb(bare)),
  reading('tag of a file of 300 MB', 'repository/tags?per_page=100', async (bare) => {
    await treeBomb(bare, { levels: 1 });
    await updateRef(bare, 'refs/tags/zeros', { from: null, to: await writeZeros(bare, 300 * MB) });
  }),
  {
    name: 'fetch of 10¹⁰ paths',
    anonymous: true,
    async prepare(server) {
      const commit: string[] = [];
      const victim = await publish(server, async (bare) => void commit.push(await treeBomb(bare)));
      const body = Buffer.from(`0032want ${commit[0]}\n00000009done\n`);
      return () => post(`${victim.remote}/git-upload-pack`, body, gitType('upload-pack'));
    },
  },
  {
    name: 'gzip of 512 MB as a fetch',
    anonymous: true,
    async prepare(server) {
      const commit: string[] = [];
      const victim = await publish(server, async (bare) => void commit.push(await treeBomb(bare)));
      const body = await fetchBomb(String(commit[0]), 512 * MB);
      const headers = { ...gitType('upload-pack'), 'Content-Encoding': 'gzip' };
      return () => post(`${victim.remote}/git-upload-pack`, body, headers);
    },
  },
  {
    name: 'gzip of 512 MB as a push',
    anonymous: false,
    async prepare(server) {
      const [victim, body] = await Promise.all([publish(server, (bare) => treeBomb(bare)), pushBomb('bomb', 512 * MB)]);
      const headers = { ...gitType('receive-pack'), ...victim.token, 'Content-Encoding': 'gzip' };
      return () => post(`${victim.remote}/git-receive-pack`, body, headers);
    },
  },
  {
    name: 'fetches that are half sent',
    anonymous: true,
    connections: 150,
    async prepare(server) {
      const victim = await publish(server, (bare) => treeBomb(bare));
      const headers = { ...gitType('upload-pack'), 'Content-Length': '1000' };
      return () => post(`${victim.remote}/git-upload-pack`, Buffer.from('0032want '), headers);
    },
  },
  pushing('push of a file of 30,000 differences', () => chainPack(30_000)),
  pushing('push of 40 bytes that stand for 2 GB', () => deltaBombPack(2048 * MB)),
];

/** Somebody, anonymous or `signedIn`, asks for what is below a project. */
function reading(name: string, below: string, build: (bare: string) => Promise<unknown>, signedIn = false): Attack {
  return {
    name,
    anonymous: !signedIn,
    async prepare(server) {
      const { id, token } = await publish(server, build);
      const headers = signedIn ? token : {};
      return () => answered(request(`${server.url}/api/v4/projects/${id}/${below}`, { headers }).end());
    },
  };
}

/** A developer pushes a pack again and again. */
function pushing(name: string, make: () => { pack: Buffer; commit: string }): Attack {
  return {
    name,
    anonymous: false,
    async prepare(server) {
      const victim = await publish(server, (bare) => treeBomb(bare, { levels: 1 }));
      const { pack, commit } = make();
      const headers = { ...gitType('receive-pack'), ...victim.token };
      let count = 0;
      return () => post(`${victim.remote}/git-receive-pack`, pushBody(`b${++count}`, commit, pack), headers);
    },
  };
}

/** A public project to which the branches and tags of a new repository were pushed. */
async function publish(server: RepositoryServer, build: (bare: string) => Promise<unknown>): Promise<Victim> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'gantry-attack-'));
  try {
    const bare = await bareRepository(path.join(scratch, 'attack.git'));
    await build(bare);
    const name = `attack-${path.basename(scratch)}`;
    const answer = await server.ask('projects', { name, visibility: 'public' });
    const { id, http_url_to_repo: remote } = JSON.parse(answer.text);
    const token = server.call('').headers ?? {};
    const push = ['-c', `http.extraHeader=PRIVATE-TOKEN: ${token['PRIVATE-TOKEN']}`, 'push', '--quiet', remote];
    await git(bare, [...push, 'refs/heads/main']);
    await git(bare, [...push, 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*']);
    return { id, remote, token };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function tenMillion(bare: string): Promise<unknown> {
  return treeBomb(bare, { levels: 7 });
}

function deepBranch(bare: string): Promise<unknown> {
  return deepPath(bare, { depth: DEPTH });
}

function deepFile(): string {
  return encodeURIComponent(`${'d/'.repeat(DEPTH)}file`);
}

/** Ten names of one file of 300 MB, on the default branch. */
async function blobTree(bare: string): Promise<void> {
  const [, , zeros] = (await git(bare, ['ls-tree', 'zeros'])).split(/\s+/);
  const main = (await git(bare, ['rev-parse', 'main'])).trim();
  await commitTreeOf(bare, String(zeros), { from: main, names: 10 });
}

function gitType(service: string): Record<string, string> {
  return { 'Content-Type': `application/x-git-${service}-request` };
}

function post(url: string, body: Buffer, headers: Record<string, string>): Promise<string> {
  const length = { 'Content-Length': String(body.length) };
  const outgoing = request(url, { method: 'POST', headers: { ...length, ...headers } });
  const answer = answered(outgoing);
  // What is promised and does not come keeps the request open.
  if (Number(headers['Content-Length'] ?? body.length) > body.length) outgoing.write(body);
  else outgoing.end(body);
  return answer;
}

/** The status of the answer, of which no more than a piece is read; the code of the error where there is none. */
function answered(outgoing: ReturnType<typeof request>): Promise<string> {
  return new Promise((resolve) => {
    outgoing.setTimeout(PATIENCE, () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    outgoing.on('response', (response: IncomingMessage) => {
      let size = 0;
      const end = () => {
        resolve(String(response.statusCode));
        outgoing.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > PIECE) end();
      });
      response.on('end', end).on('error', end);
    });
  });
}
