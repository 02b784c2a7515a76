import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { administer } from '../support/database.ts';
import { olderPostgres } from '../support/older_postgres.ts';
import {
  gantry,
  isAlive,
  run,
  type ServerProcess,
  scratchDirectory,
  startServer,
  until,
  settings as withoutSsh,
} from '../support/server_process.ts';

const token = 'chosen-token-0123456789';
const password = 'correct horse battery';
const credentials = { GANTRY_ROOT_TOKEN: token, GANTRY_ROOT_PASSWORD: password };
const git = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
const identity = ['-c', 'user.name=Pia', '-c', 'user.email=pia@example.com', '-c', 'safe.directory=*'];

/** Host keys are in backups. */
const settings = (dataDir: string, more: Record<string, string> = {}) =>
  withoutSsh(dataDir, { GANTRY_SSH_PORT: '0', ...more });

let directory: string;
let data: string;
let remove: () => void;
const running = new Set<ServerProcess>();

beforeEach(() => {
  const scratch = scratchDirectory();
  directory = scratch.directory;
  data = path.join(directory, 'data');
  remove = scratch.remove;
});

afterEach(async () => {
  for (const server of running) {
    if (server.child.exitCode === null && server.child.signalCode === null) await server.end('SIGTERM');
  }
  running.clear();
  remove();
});

async function serve(dataDir: string): Promise<ServerProcess> {
  const server = await startServer(settings(dataDir, credentials));
  running.add(server);
  return server;
}

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came.
  body: any;
}

async function send(server: ServerProcess, method: string, rest: string, body?: object | FormData): Promise<Answer> {
  const headers: Record<string, string> = { 'private-token': token };
  const form = body instanceof FormData;
  if (body && !form) headers['content-type'] = 'application/json';
  const content = body === undefined ? {} : { body: form ? body : JSON.stringify(body) };
  const answer = await fetch(`${server.url}/api/v4${rest}`, { method, headers, ...content });
  return { status: answer.status, body: await answer.json().catch(() => null) };
}

const file = (project: string, name: string) => `/projects/${encodeURIComponent(project)}/repository/files/${name}`;

type Acknowledged = Pick<Traffic, 'issues' | 'tips' | 'uploads'>;

/** Work of several people at once, who know what they were told is done. */
class Traffic {
  readonly issues: string[] = [];
  readonly tips = new Map<string, string[]>();
  readonly uploads = new Map<string, string>();
  readonly refused: number[] = [];
  #stopped = false;
  #working: Promise<unknown>[] = [];
  readonly #server: ServerProcess;

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  begin(): void {
    this.#working = [
      this.#write(),
      this.#commit(),
      this.#push(),
      this.#attach(),
      this.#delete(),
      this.#repack(),
      this.#branches(),
    ];
  }

  async end(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#working);
  }

  async #send(method: string, rest: string, body?: object | FormData): Promise<Answer> {
    const answer = await send(this.#server, method, rest, body);
    if (answer.status >= 500) this.refused.push(answer.status);
    return answer;
  }

  async #repeat(work: (count: number) => Promise<unknown>): Promise<void> {
    for (let count = 1; !this.#stopped; count++) await work(count);
  }

  #write() {
    return this.#repeat(async (count) => {
      const title = `Issue ${count}`;
      const { status } = await this.#send('POST', '/projects/root%2Fone/issues', {
        title,
        labels: `label-${count % 5}`,
      });
      if (status === 201) this.issues.push(title);
    });
  }

  #commit() {
    return this.#repeat(async (count) => {
      const body = { branch: 'master', content: `${count}\n`.repeat(50), commit_message: `Commit ${count}` };
      const { status } = await this.#send('POST', file('root/one', `api-${count}.txt`), body);
      if (status !== 201) return;
      const { body: commit } = await this.#send('GET', '/projects/root%2Fone/repository/commits/master');
      this.tips.set('root/one', [...(this.tips.get('root/one') ?? []), commit.id]);
    });
  }

  async #push() {
    const work = path.join(directory, 'work');
    mkdirSync(work);
    const remote = `${this.#server.url.replace('http://', `http://root:${token}@`)}/root/two.git`;
    const inside = (...args: string[]) => execFileAsync('git', ['-C', work, ...identity, ...args]);
    await inside('init', '--quiet', '--initial-branch=main');
    await this.#repeat(async (count) => {
      writeFileSync(path.join(work, `f${count % 7}.txt`), `${count}\n`.repeat(2_000));
      await inside('add', '.');
      await inside('commit', '--quiet', '-m', `Push ${count}`);
      await inside('push', '--quiet', '--force', remote, 'main', `main:round-${count % 3}`);
      const tip = (await inside('rev-parse', 'HEAD')).trim();
      this.tips.set('root/two', [...(this.tips.get('root/two') ?? []), tip]);
    });
  }

  #branches() {
    return this.#repeat(async (count) => {
      await this.#send('POST', '/projects/root%2Fone/repository/branches', { branch: `b${count}`, ref: 'master' });
      await this.#send('DELETE', `/projects/root%2Fone/repository/branches/b${count}`);
    });
  }

  #attach() {
    return this.#repeat(async (count) => {
      const form = new FormData();
      form.append('file', new File([`Upload ${count}\n`.repeat(count % 300)], `u${count}.txt`));
      const { status, body } = await this.#send('POST', '/projects/root%2Fone/uploads', form);
      if (status === 201) this.uploads.set(body.url, `Upload ${count}\n`.repeat(count % 300));
    });
  }

  #delete() {
    return this.#repeat(async (count) => {
      const { body } = await this.#send('POST', '/projects', { name: `Short-lived ${count}` });
      const body2 = { branch: 'master', content: 'text', commit_message: 'First' };
      await this.#send('POST', file(`root/short-lived-${count}`, 'a.txt'), body2);
      await this.#send('DELETE', `/projects/${body?.id}`);
    });
  }

  #repack() {
    return this.#repeat(async (count) => {
      for (const repository of repositoriesIn(data)) {
        const args = count % 2 ? ['gc', '--quiet'] : ['repack', '-a', '-d', '-q'];
        // One that is being deleted is no loss.
        await execFileAsync('git', [...identity, `--git-dir=${repository}`, ...args]).catch(() => undefined);
        await sleep(20);
      }
    });
  }
}

function execFileAsync(command: string, args: string[]): Promise<string> {
  return run(command, args, { env: git }).then(({ status, stdout, stderr }) => {
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
    return stdout;
  });
}

function repositoriesIn(dataDir: string): string[] {
  const root = path.join(dataDir, 'repositories');
  if (!existsSync(root)) return [];
  return readdirSync(root).flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => path.join(root, folder, name)),
  );
}

function fsck(repository: string): Promise<string> {
  const args = ['fsck', '--strict', '--no-dangling', '--no-progress'];
  return execFileAsync('git', [...identity, `--git-dir=${repository}`, ...args]);
}

async function prepared(): Promise<ServerProcess> {
  const server = await serve(data);
  for (const name of ['one', 'two']) expect((await send(server, 'POST', '/projects', { name })).status).toBe(201);
  const body = { branch: 'master', content: 'First\n', commit_message: 'First' };
  expect((await send(server, 'POST', file('root/one', 'first.txt'), body)).status).toBe(201);
  return server;
}

/** The rows of a statement in the database of a running server. */
async function query<Row extends pg.QueryResultRow>(dataDir: string, text: string): Promise<Row[]> {
  const { databaseUrl } = JSON.parse(readFileSync(path.join(dataDir, 'holder.json'), 'utf8'));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<Row>(text);
  await client.end();
  return rows;
}

describe('A backup that is made while people write, delete and repack', () => {
  it('is restored with all that was acknowledged before, sound repositories, and counters that are right', async () => {
    const server = await prepared();
    const traffic = new Traffic(server);
    traffic.begin();
    await sleep(4_000);
    // Machines that test have much else to do.
    await until(() => (traffic.issues.length > 3 && traffic.tips.has('root/two')) || undefined);
    const before = { issues: [...traffic.issues], tips: new Map(traffic.tips), uploads: new Map(traffic.uploads) };
    const made = path.join(directory, 'full.gantry');
    const later = path.join(directory, 'later.gantry');
    const first = await gantry(['backup', made, '--progress'], settings(data));
    await sleep(1_000);
    const second = await gantry(['backup', later, '--since', made], settings(data));
    await traffic.end();
    expect([first.status, second.status], first.stderr + second.stderr).toEqual([0, 0]);
    expect(traffic.refused).toEqual([]);
    expect(before.issues.length).toBeGreaterThan(3);
    expect(before.tips.get('root/two')?.length).toBeGreaterThan(0);
    expect(statSync(made).mode & 0o777).toBe(0o600);
    expect(first.stdout).toBe('');
    expect((await gantry(['backup', 'verify', later], settings(data))).stdout).toContain('is complete');
    await server.end('SIGTERM');

    for (const [name, from] of [
      ['full', made],
      ['chain', later],
    ] as const) {
      const target = path.join(directory, name);
      const restored = await gantry(['restore', from], settings(target));
      expect(restored.status, restored.stderr).toBe(0);
      expect(restored.stderr).not.toContain('does not hold');
      for (const repository of repositoriesIn(target)) await fsck(repository);
      const again = await serve(target);
      await expectAcknowledged(again, target, before);
      await again.end('SIGTERM');
    }
  }, 400_000);
});

/** That a restored server has what clients were told is done, and goes on. */
async function expectAcknowledged(server: ServerProcess, target: string, before: Acknowledged): Promise<void> {
  await expectIssues(target, before.issues);
  await expectUploads(server, before.uploads);
  await expectTips(server, target, before.tips);
  await expectNothingToReconcile(target);
  await expectUsable(server);
}

async function expectIssues(target: string, issues: string[]): Promise<void> {
  const titles = (await query<{ title: string }>(target, 'SELECT title FROM issues')).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(issues.filter((title) => !titles.includes(title))).toEqual([]);
}

async function expectUploads(server: ServerProcess, uploads: Map<string, string>): Promise<void> {
  for (const [address, content] of uploads) {
    const found = await until(async () => {
      const answer = await fetch(`${server.url}/root/one${address}`, { headers: { 'private-token': token } });
      // A server that has just started on a busy machine may ask to be tried again.
      return answer.status === 503 ? undefined : answer.text();
    });
    expect(found).toBe(content);
  }
}

/** That clones of the default branches hold the commits that were once their tips. */
async function expectTips(server: ServerProcess, target: string, all: Map<string, string[]>): Promise<void> {
  for (const [project, tips] of all) {
    const clone = path.join(target, 'clone', project);
    const remote = `${server.url.replace('http://', `http://root:${encodeURIComponent(password)}@`)}/${project}.git`;
    await execFileAsync('git', ['clone', '--quiet', remote, clone]);
    for (const tip of tips) await execFileAsync('git', ['-C', clone, 'merge-base', '--is-ancestor', tip, 'HEAD']);
  }
}

/** That counters are what is counted, and that what the database says of refs is what git has. */
async function expectNothingToReconcile(target: string): Promise<void> {
  const odd = await query(
    target,
    `
    SELECT p.id FROM projects p JOIN project_counters c ON c.project_id = p.id
    WHERE c.opened <> (SELECT count(*) FROM issues i WHERE i.project_id = p.id AND i.state = 'opened' AND i.deleted_at IS NULL)`,
  );
  expect(odd).toEqual([]);
  const refs = await query<{ id: number; name: string; oid: string }>(
    target,
    `
    SELECT p.id, r.name, r.oid FROM recorded_refs r JOIN projects p ON p.id = r.project_id WHERE p.deleted_at IS NULL`,
  );
  for (const { id, name, oid } of refs) {
    const repository = path.join(target, 'repositories', (id % 256).toString(16).padStart(2, '0'), `${id}.git`);
    const found = await execFileAsync('git', [...identity, `--git-dir=${repository}`, 'rev-parse', name]);
    expect(found.trim()).toBe(oid);
  }
}

/** That people sign in as before, get the token that they had, and go on with their work. */
async function expectUsable(server: ServerProcess): Promise<void> {
  const signIn = await fetch(`${server.url}/api/v4/session`, {
    method: 'POST',
    body: new URLSearchParams({ login: 'root', password }),
  });
  expect(signIn.status).toBe(201);
  expect((await signIn.json()).private_token).toBe(token);
  const { status } = await send(server, 'POST', '/projects/root%2Fone/issues', { title: 'After the restore' });
  expect(status).toBe(201);
  const body = { branch: 'master', content: 'x', commit_message: 'After' };
  expect((await send(server, 'POST', file('root/one', 'after.txt'), body)).status).toBe(201);
}

describe('gantry backup and gantry restore', { timeout: 300_000 }, () => {
  it('pass through standard output and input, and can be looked into with zstd and tar', async () => {
    const server = await prepared();
    await server.end('SIGTERM');
    const made = path.join(directory, 'piped.gantry');
    const backup = spawn(process.execPath, [packagePath('bin/gantry.js'), 'backup', '-'], { env: settings(data) });
    await pipeline(backup.stdout, createWriteStream(made));
    execFileSync('zstd', ['--test', '--quiet', made]);
    const names = execFileSync('sh', ['-c', 'zstd -dc "$1" | tar t', 'sh', made]).toString();
    expect(names).toMatch(/^backup\.json\nsecret\nssh\/ssh_host_ed25519_key\nssh\/ssh_host_rsa_key\ndatabase\//);
    expect(names).toMatch(/manifest\.json\n$/);

    const target = path.join(directory, 'target');
    const restoring = spawn(process.execPath, [packagePath('bin/gantry.js'), 'restore', '-'], {
      env: settings(target),
    });
    const ended = new Promise((resolve) => restoring.once('close', resolve));
    await pipeline(createReadStream(made), restoring.stdin);
    expect(await ended).toBe(0);
    const again = await serve(target);
    expect((await send(again, 'GET', '/projects/root%2Fone/repository/files/first.txt/raw?ref=master')).status).toBe(
      200,
    );
  });

  it('leave nothing when the backup is interrupted, or refused', async () => {
    const server = await prepared();
    const made = path.join(directory, 'b.gantry');
    const child = spawn(process.execPath, [packagePath('bin/gantry.js'), 'backup', made], { env: settings(data) });
    const ended = new Promise((resolve) => child.once('close', resolve));
    for (let waited = 0; waited < 2_000 && !readdirSync(directory).some((name) => name.endsWith('.part')); waited++)
      await sleep(1);
    child.kill('SIGTERM');
    await ended;
    expect(readdirSync(directory).filter((name) => name.includes('b.gantry') && name !== 'b.gantry')).toEqual([]);

    writeFileSync(made, 'precious');
    const refused = await gantry(['backup', made], settings(data));
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain(`${made} exists`);
    expect(readFileSync(made, 'utf8')).toBe('precious');
    expect((await gantry(['backup', made, '--force'], settings(data))).status).toBe(0);
    expect((await gantry(['backup'], settings(data))).status).toBe(2);
    await server.end('SIGTERM');
  });

  it('end soon when they are told to stop, whatever they are at, and leave nothing', async () => {
    const server = await prepared();
    const made = path.join(directory, 'b.gantry');
    expect((await gantry(['backup', made], settings(data))).status).toBe(0);
    const half = readFileSync(made).subarray(0, statSync(made).size >> 1);

    /** Runs a command, whose standard input does not end, until something is so, and tells it to stop. */
    async function stopWhen(args: string[], dataDir: string, isSo: (said: string) => boolean, input?: Buffer) {
      const child = spawn(process.execPath, [packagePath('bin/gantry.js'), ...args], { env: settings(dataDir) });
      let said = '';
      child.stderr.on('data', (chunk) => (said += chunk));
      child.stdin.on('error', () => undefined);
      if (input) child.stdin.write(input);
      const ended = new Promise((resolve) => child.once('close', resolve));
      await until(() => isSo(said) || undefined);
      child.kill('SIGTERM');
      expect(await ended, said).toBe(1);
      expect(said).toMatch(/gantry: Stopped by SIGTERM\.\n$/);
    }

    const later = path.join(directory, 'later.gantry');
    await stopWhen(['backup', later, '--since', '-', '--progress'], data, (said) => said.includes('reading -'), half);
    const { databaseUrl } = JSON.parse(readFileSync(path.join(data, 'holder.json'), 'utf8'));
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    await other.query("SELECT pg_advisory_lock_shared(hashtextextended('objects of all repositories', 0))");
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory'";
    let isWaiting = false;
    const looking = until(async () => {
      isWaiting = (await other.query(waiting)).rowCount === 1;
      return isWaiting || undefined;
    });
    await stopWhen(['backup', later], data, () => isWaiting);
    await looking;
    expect((await other.query(waiting)).rowCount).toBe(0);
    await other.end();
    expect(readdirSync(directory).filter((name) => name.includes('later'))).toEqual([]);
    await server.end('SIGTERM');

    const target = path.join(directory, 'target');
    await stopWhen(['restore', '-'], target, () => existsSync(path.join(target, 'restoring')), half);
    expect(readdirSync(target)).toEqual(['lock']);
    const lockFile = path.join(target, 'postgres', 'postmaster.pid');
    let pid = 0;
    await stopWhen(['restore', made], target, () => {
      if (existsSync(lockFile)) pid = Number.parseInt(readFileSync(lockFile, 'utf8'), 10) || 0;
      return pid > 0;
    });
    expect(readdirSync(target).filter((name) => name !== 'run')).toEqual(['lock']);
    expect(isAlive(pid)).toBe(false);
    const again = await gantry(['restore', made], settings(target));
    expect(again.status, again.stderr).toBe(0);
  });

  it('hold wikis, histories of snippets and objects of Git LFS, which git and its clients read from the restored server', async () => {
    const server = await prepared();
    const remote = ({ url }: ServerProcess) => url.replace('http://', `http://root:${encodeURIComponent(password)}@`);
    const page = { title: 'Guide', content: 'How it works\n' };
    expect((await send(server, 'POST', '/projects/root%2Fone/wikis', page)).status).toBe(201);
    const files = [{ file_path: 'one.rb', content: 'puts 1\n' }];
    const snippet = await send(server, 'POST', '/snippets', { title: 'One', visibility: 'private', files });
    expect(snippet.status).toBe(201);
    const { id } = snippet.body as { id: number };
    expect((await send(server, 'PUT', `/snippets/${id}`, { content: 'puts 2\n' })).status).toBe(200);
    const content = randomBytes(300_000);
    const object = { oid: createHash('sha256').update(content).digest('hex'), size: content.length };
    const actionsOf = async ({ url }: ServerProcess, operation: string) => {
      const headers = {
        Authorization: `Basic ${Buffer.from(`root:${password}`).toString('base64')}`,
        'Content-Type': 'application/vnd.git-lfs+json',
      };
      const body = JSON.stringify({ operation, objects: [object] });
      const answer = await fetch(`${url}/root/one.git/info/lfs/objects/batch`, { method: 'POST', headers, body });
      const { objects } = (await answer.json()) as {
        objects: { actions?: Record<string, { href: string; header: Record<string, string> }> }[];
      };
      return objects[0]?.actions?.[operation] ?? { href: '', header: {} };
    };
    const { href, header } = await actionsOf(server, 'upload');
    const put = await fetch(href, { method: 'PUT', headers: header, body: new Uint8Array(content) });
    expect(put.status).toBe(200);
    const made = path.join(directory, 'wiki.gantry');
    expect((await gantry(['backup', made], settings(data))).status).toBe(0);
    await server.end('SIGTERM');

    const target = path.join(directory, 'restored');
    const restored = await gantry(['restore', made], settings(target));
    expect([restored.status, restored.stderr], restored.stderr).toEqual([
      0,
      expect.not.stringContaining('does not hold'),
    ]);
    const again = await serve(target);
    const clone = path.join(directory, 'wiki');
    await execFileAsync('git', ['clone', '--quiet', `${remote(again)}/root/one.wiki.git`, clone]);
    expect(readFileSync(path.join(clone, 'Guide.md'), 'utf8')).toBe(page.content);
    const history = path.join(directory, 'snippet');
    await execFileAsync('git', ['clone', '--quiet', `${remote(again)}/snippets/${id}.git`, history]);
    const log = await execFileAsync('git', ['-C', history, 'log', '--format=%s']);
    expect(log).toBe('Update snippet\nInitial commit\n');
    const found = await actionsOf(again, 'download');
    const response = await fetch(found.href, { headers: found.header });
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    expect((await gantry(['fsck'], settings(target))).stdout).toContain('all is well');
    await again.end('SIGTERM');
  });

  it('that is killed while it restores keeps the server from starting on what is there', async () => {
    const server = await prepared();
    const made = path.join(directory, 'b.gantry');
    expect((await gantry(['backup', made], settings(data))).status).toBe(0);
    await server.end('SIGTERM');
    const target = path.join(directory, 'target');
    const child = spawn(process.execPath, [packagePath('bin/gantry.js'), 'restore', made], { env: settings(target) });
    const ended = new Promise((resolve) => child.once('close', resolve));
    for (let waited = 0; waited < 20_000 && !existsSync(path.join(target, 'postgres')); waited++) await sleep(1);
    child.kill('SIGKILL');
    await ended;
    await expect(startServer(settings(target, credentials))).rejects.toThrow(
      'did not end. Remove the directory and restore again.',
    );
    expect((await gantry(['restore', made], settings(target))).stderr).toContain(
      'holds what a restore left that did not end',
    );
  });
});

describe('A backup of another PostgreSQL', () => {
  it('is restored into an older version whose role is no superuser, and from there into the embedded one', async () => {
    const server = await prepared();
    for (let count = 0; count < 5; count++) {
      await send(server, 'POST', '/projects/root%2Fone/issues', { title: `Issue ${count}`, labels: 'a,b' });
    }
    const made = path.join(directory, 'b.gantry');
    expect((await gantry(['backup', made], settings(data))).status).toBe(0);
    await server.end('SIGTERM');

    await using old = await olderPostgres(path.join(directory, 'older'));
    await administer(old.url.replace('/gantry?', '/postgres?'), async (client) => {
      await client.query('CREATE ROLE plain LOGIN NOSUPERUSER');
      await client.query('CREATE DATABASE gantry OWNER plain TEMPLATE template0');
    });
    const there = { DATABASE_URL: old.url.replace('//gantry@', '//plain@') };
    const between = path.join(directory, 'between');
    const restored = await gantry(['restore', made], settings(between, there));
    expect(restored.status, restored.stderr).toBe(0);
    const again = path.join(directory, 'again.gantry');
    const second = await startServer(settings(between, { ...credentials, ...there }));
    running.add(second);
    expect((await send(second, 'POST', '/projects/root%2Fone/issues', { title: 'On the older one' })).status).toBe(201);
    expect((await gantry(['backup', again], settings(between, there))).status).toBe(0);
    const refused = await gantry(['restore', made], settings(path.join(directory, 'other'), there));
    expect(refused.stderr).toContain('The database is not empty');
    expect((await gantry(['upgrade'], settings(between, there))).stderr).toContain('DATABASE_URL');
    await second.end('SIGTERM');

    const last = path.join(directory, 'last');
    expect((await gantry(['restore', again], settings(last))).status).toBe(0);
    const third = await serve(last);
    const { body } = await send(third, 'GET', '/projects/root%2Fone/issues');
    expect(body.map(({ title, iid }: { title: string; iid: number }) => [iid, title])).toEqual([
      [6, 'On the older one'],
      ...[5, 4, 3, 2, 1].map((iid) => [iid, `Issue ${iid - 1}`]),
    ]);
  }, 300_000);
});
