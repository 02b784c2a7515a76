import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { gitClient, type Ran, run, workingCopy } from '../support/git_client.ts';
import { git, scratch } from '../support/git_program.ts';
import {
  gantry,
  printed,
  run as runProgram,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
  until,
} from '../support/server_process.ts';
import { encodeKey } from '../support/ssh_keys.ts';

/** OpenSSH's own client, as people have it. */
const hasSsh = spawnSync('ssh', ['-V']).status === 0;
if (!hasSsh) console.warn('There is no program ssh on this machine: what it does with the server is not tried.');
const hasAudit = spawnSync('ssh-audit', ['--help']).error === undefined;

const { directory, remove } = scratchDirectory();
const home = path.join(directory, 'home');
const data = path.join(directory, 'data');
mkdirSync(home, { mode: 0o700 });
const environment = settings(data, { GANTRY_SSH_PORT: '0' });
let server: ServerProcess;
let token = '';
beforeAll(async () => {
  server = await startServer(environment);
  token = printed(server.output(), 'Private token') ?? '';
});
afterAll(async () => {
  await server.end('SIGTERM');
  remove();
});

/** Milliseconds for a test on a slow machine. */
const TIMEOUT = 300_000;

const portOf = (of: ServerProcess = server) => Number(/SSH:\s+\S+:(\d+)/.exec(of.output())?.[1]);
const keys: Record<string, string> = {};

/** The file of a new key pair. */
function keyFile(name: string, ...options: string[]): string {
  const file = path.join(home, name);
  const made = spawnSync('ssh-keygen', [
    '-q',
    '-N',
    '',
    '-f',
    file,
    ...(options.length > 0 ? options : ['-t', 'ed25519']),
  ]);
  if (made.status !== 0) throw new Error(String(made.stderr));
  keys[name] = readFileSync(`${file}.pub`, 'utf8');
  return file;
}

async function api(method: string, target: string, body?: object): Promise<{ status: number; body: never }> {
  const answer = await fetch(`${server.url}/api/v4${target}`, {
    method,
    headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (answer.status === 204 ? null : await answer.json()) as never };
}

interface Made {
  id: number;
  ssh_url_to_repo: string;
  path_with_namespace: string;
}

async function project(name: string): Promise<Made & { directory: string }> {
  const { body } = await api('POST', '/projects', { name });
  const made = body as Made;
  const folder = path.join(data, 'repositories', (made.id % 256).toString(16).padStart(2, '0'), `${made.id}.git`);
  return { ...made, directory: folder };
}

const OPTIONS = ['-F', 'none', '-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=accept-new'];
const known = ['-o', `UserKnownHostsFile=${path.join(home, 'known_hosts')}`];
const sshArgs = (file: string, more: string[] = []) => [
  ...OPTIONS,
  ...known,
  '-o',
  'IdentitiesOnly=yes',
  '-i',
  file,
  ...more,
];

/** Runs git as somebody with that key. */
function as(file: string, cwd: string, ...args: string[]): Promise<Ran> {
  return gitClient(cwd, '-c', `core.sshCommand=ssh ${sshArgs(file).join(' ')}`, ...args);
}

/** As `as`, for what has to succeed. */
async function done(file: string, cwd: string, ...args: string[]): Promise<string> {
  const { code, output, said } = await as(file, cwd, ...args);
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${said}`);
  return output;
}

/** Runs ssh itself. */
function ssh(file: string, args: string[], env: NodeJS.ProcessEnv = process.env) {
  return runProgram('ssh', [...sshArgs(file), '-p', String(portOf()), ...args], { env });
}

async function largeCopy(size: number): Promise<string> {
  const work = await workingCopy();
  const file = openSync(path.join(work, 'large'), 'w');
  for (let written = 0; written < size; written += 1 << 20) writeSync(file, randomBytes(1 << 20));
  closeSync(file);
  await run(work, 'add', '.');
  await run(work, 'commit', '--quiet', '-m', 'Large');
  return work;
}

describe.runIf(hasSsh)('OpenSSH', { timeout: TIMEOUT }, () => {
  let mine = '';
  beforeAll(async () => {
    mine = keyFile('mine');
    expect((await api('POST', '/user/keys', { title: 'mine', key: keys.mine })).status).toBe(201);
  });

  it('is greeted, and gets no shell, no terminal and nothing else', async () => {
    const welcome = {
      status: 0,
      stdout: 'Welcome, @root! Your key works: use it with git. There is no shell access.\n',
    };
    expect(await ssh(mine, ['-T', 'git@127.0.0.1'])).toMatchObject(welcome);
    const terminal = await ssh(mine, ['-tt', 'git@127.0.0.1']);
    expect(terminal.stderr).toContain('PTY allocation request failed');
    const shell = await ssh(mine, ['git@127.0.0.1', 'sh', '-c', 'id']);
    expect([shell.status, shell.stderr]).toEqual([128, expect.stringContaining('remote: There is no shell access')]);
    expect((await ssh(mine, ['-s', 'git@127.0.0.1', 'sftp'])).status).not.toBe(0);
    const forward = await ssh(mine, ['-o', 'ExitOnForwardFailure=yes', '-R', '0:127.0.0.1:1', 'git@127.0.0.1']);
    expect([forward.status, forward.stderr]).toEqual([255, expect.stringContaining('forwarding failed')]);
    const through = await ssh(mine, ['-W', '127.0.0.1:1', 'git@127.0.0.1']);
    expect([through.status, through.stderr]).toEqual([255, expect.stringMatching(/open failed|forwarding failed/)]);
    const stranger = await ssh(keyFile('stranger'), ['git@127.0.0.1']);
    expect([stranger.status, stranger.stderr]).toEqual([255, expect.stringContaining('Permission denied (publickey)')]);
    const other = await ssh(mine, ['root@127.0.0.1']);
    expect([other.status, other.stderr]).toEqual([255, expect.stringContaining('Permission denied (publickey)')]);
  });

  it('clones, fetches and pushes by ssh_url_to_repo, shallow and whole', async () => {
    const { ssh_url_to_repo: url, directory: repository } = await project('first');
    expect(url).toBe(`ssh://git@127.0.0.1:${portOf()}/root/first.git`);
    const work = await largeCopy(1 << 20);
    await done(mine, work, 'push', '--quiet', url, 'main');
    const copies = scratch();
    await done(mine, copies, 'clone', '--quiet', url, 'whole');
    await done(mine, copies, 'clone', '--quiet', '--depth=1', url, 'shallow');
    await run(work, 'commit', '--quiet', '--allow-empty', '-m', 'More');
    await done(mine, work, 'push', '--quiet', url, 'main', 'main:topic');
    for (const name of ['whole', 'shallow']) {
      const copy = path.join(copies, name);
      await done(mine, copy, 'fetch', '--quiet');
      expect(await run(copy, 'rev-parse', 'origin/main')).toBe(await run(work, 'rev-parse', 'main'));
    }
    await done(mine, path.join(copies, 'shallow'), 'fetch', '--quiet', '--unshallow');
    expect(git(repository, ['fsck', '--strict'])).toBe('');
  });

  it.each([
    ['rsa', '-t', 'rsa', '-b', '3072'],
    ['ecdsa', '-t', 'ecdsa', '-b', '521'],
  ])('logs in with keys of type %s', async (name, ...options) => {
    const file = keyFile(`a-${name}`, ...options);
    await api('POST', '/user/keys', { title: name, key: keys[`a-${name}`] });
    expect((await ssh(file, ['-T', 'git@127.0.0.1'])).status).toBe(0);
  });

  it('refuses an atomic push as a whole', async () => {
    const { ssh_url_to_repo: url, directory: repository } = await project('atomic');
    const work = await largeCopy(1 << 10);
    const answer = await as(mine, work, 'push', '--atomic', url, 'main', 'main:refs/keep-around/x');
    expect([answer.code, answer.said]).toEqual([
      1,
      expect.stringContaining('another ref of this atomic push was refused'),
    ]);
    expect(git(repository, ['for-each-ref'])).toBe('');
  });

  it('tells people why something is refused', async () => {
    const archived = await project('archived');
    await api('POST', `/projects/${archived.id}/archive`);
    const work = await largeCopy(1 << 10);
    const answers = [
      [await as(mine, work, 'push', archived.ssh_url_to_repo, 'main'), 'remote: This project is archived'],
      [
        await as(mine, work, 'ls-remote', `ssh://git@127.0.0.1:${portOf()}/root/nothing.git`),
        'remote: There is no such project',
      ],
      [
        await as(mine, work, 'archive', `--remote=${archived.ssh_url_to_repo}`, 'HEAD'),
        'remote: git archive --remote is not served',
      ],
    ] as const;
    for (const [{ code, said }, message] of answers)
      expect([code, said]).toEqual([128, expect.stringContaining(message)]);
  });

  it('pushes and fetches 10,000 refs', async () => {
    const { ssh_url_to_repo: url, directory: repository } = await project('many');
    const work = await largeCopy(1 << 10);
    const head = await run(work, 'rev-parse', 'HEAD');
    const names = Array.from({ length: 10_000 }, (_, n) => `create refs/heads/b${n} ${head}\n`);
    git(path.join(work, '.git'), ['update-ref', '--stdin'], names.join(''));
    await done(mine, work, 'push', '--quiet', url, 'refs/heads/*:refs/heads/*');
    const copies = scratch();
    await done(mine, copies, 'clone', '--quiet', '--mirror', url, 'copy');
    const refs = (of: string) => git(of, ['for-each-ref', '--format=%(objectname) %(refname)']);
    expect(refs(path.join(copies, 'copy'))).toBe(refs(path.join(work, '.git')));
    expect(refs(repository)).toBe(refs(path.join(work, '.git')));
  });

  it('takes its key from an agent that has many', async () => {
    const socket = path.join(home, 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
    onTestFinished(() => void agent.kill());
    await until(() => existsSync(socket) || undefined);
    const env = { ...process.env, SSH_AUTH_SOCK: socket };
    const others = Array.from({ length: 20 }, (_, n) => keyFile(`other${n}`));
    for (const file of [...others, mine]) expect(spawnSync('ssh-add', ['-q', file], { env }).status).toBe(0);
    const args = [...OPTIONS, ...known, '-p', String(portOf()), '-T', 'git@127.0.0.1'];
    expect(await runProgram('ssh', args, { env })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('@root'),
    });
  });

  it('logs in with a security key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const point = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const line = encodeKey('sk-ssh-ed25519@openssh.com', [point, 'ssh:'], 'token');
    expect((await api('POST', '/user/keys', { title: 'token', key: line })).status).toBe(201);
    const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();
    const field = (bytes: Buffer | string) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(Buffer.byteLength(bytes));
      return Buffer.concat([length, Buffer.from(bytes as string)]);
    };
    const blob = Buffer.from(line.split(' ')[1] ?? '', 'base64');
    const signature = (content: Buffer) => {
      const tail = Buffer.from([1, 0, 0, 0, 9]);
      const made = sign(null, Buffer.concat([sha256('ssh:'), tail, sha256(content)]), privateKey);
      return field(Buffer.concat([field('sk-ssh-ed25519@openssh.com'), field(made), tail]));
    };
    // The protocol of agents: a list of identities, and signatures.
    const agent = createServer((client) => {
      let bytes = Buffer.alloc(0);
      client.on('error', () => undefined);
      client.on('data', (chunk) => {
        bytes = Buffer.concat([bytes, chunk as Buffer]);
        for (let size = 0; bytes.length >= 5; bytes = bytes.subarray(4 + size)) {
          size = bytes.readUInt32BE(0);
          if (bytes.length < 4 + size) return;
          const [type, body] = [bytes[4], bytes.subarray(5, 4 + size)];
          const identities = Buffer.concat([Buffer.from([12, 0, 0, 0, 1]), field(blob), field('token')]);
          const content = () => {
            const at = 4 + body.readUInt32BE(0);
            return body.subarray(at + 4, at + 4 + body.readUInt32BE(at));
          };
          const answer =
            type === 11
              ? identities
              : type === 13
                ? Buffer.concat([Buffer.from([14]), signature(content())])
                : Buffer.from([5]);
          client.write(field(answer));
        }
      });
    });
    const socket = path.join(home, 'token');
    agent.listen(socket);
    onTestFinished(() => void agent.close());
    await once(agent, 'listening');
    const args = [...OPTIONS, ...known, '-p', String(portOf()), '-T', 'git@127.0.0.1'];
    const answer = await runProgram('ssh', args, { env: { ...process.env, SSH_AUTH_SOCK: socket } });
    expect(answer).toMatchObject({ status: 0, stdout: expect.stringContaining('Welcome, @root!') });
  });

  it('shares a connection among commands', async () => {
    const { ssh_url_to_repo: url } = await project('shared');
    const control = [
      '-o',
      'ControlMaster=auto',
      '-o',
      `ControlPath=${path.join(home, 'control')}`,
      '-o',
      'ControlPersist=60',
    ];
    const command = `core.sshCommand=ssh ${[...sshArgs(mine), ...control].join(' ')}`;
    onTestFinished(() => void spawnSync('ssh', [...control, '-O', 'exit', '-p', String(portOf()), 'git@127.0.0.1']));
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => gitClient(scratch(), '-c', command, 'ls-remote', url)),
    );
    expect(answers.map(({ code }) => code)).toEqual(Array(8).fill(0));
  });

  it('passes large packs through whole, both ways', async () => {
    const { ssh_url_to_repo: url, directory: repository } = await project('large');
    const work = await largeCopy(200 << 20);
    await done(mine, work, 'push', '--quiet', url, 'main');
    await done(mine, scratch(), 'clone', '--quiet', '--bare', url, 'copy');
    expect(git(repository, ['fsck', '--strict'])).toBe('');
  });

  it('serves beside 200 connections that do nothing', async () => {
    const { ssh_url_to_repo: url } = await project('crowd');
    const idle: ChildProcess[] = [];
    onTestFinished(() => idle.forEach((child) => void child.kill()));
    for (let n = 0; n < 200; n += 1) {
      idle.push(spawn('ssh', [...sshArgs(mine), '-N', '-p', String(portOf()), 'git@127.0.0.1'], { stdio: 'ignore' }));
    }
    await until(async () => {
      // A busy server may close a kept connection just when it is used again: asked once more.
      const answer = await fetch(`${server.url}/-/metrics`, { headers: { 'PRIVATE-TOKEN': token } }).catch(() => null);
      const text = (await answer?.text()) ?? '';
      return Number(/^gantry_ssh_connections (\d+)/m.exec(text)?.[1]) >= 200 || undefined;
    });
    expect((await as(mine, scratch(), 'ls-remote', url)).code).toBe(0);
    expect(idle.every(({ exitCode }) => exitCode === null)).toBe(true);
  });

  it('leaves nothing half-written when it is killed in the middle of a push, nor when the server is', async () => {
    const { ssh_url_to_repo: url, directory: repository } = await project('killed');
    const work = await largeCopy(64 << 20);
    const pushing = () => {
      const args = ['-c', `core.sshCommand=ssh ${sshArgs(mine).join(' ')}`, 'push', '--quiet', url, 'main'];
      return spawn('git', args, {
        cwd: work,
        env: { PATH: process.env.PATH, HOME: home },
        detached: true,
        stdio: 'ignore',
      });
    };
    const incoming = () => spawnSync('find', [repository, '-name', 'incoming-*']).stdout.toString();
    await as(mine, work, 'ls-remote', url);
    const client = pushing();
    await until(() => incoming() !== '' || undefined);
    // With all that it has started, as when a machine is switched off.
    process.kill(-(client.pid ?? 0), 'SIGKILL');
    await until(() => incoming() === '' || undefined);
    expect(git(repository, ['for-each-ref'])).toBe('');
    const other = pushing();
    await until(() => incoming() !== '' || undefined);
    const left = once(other, 'close');
    await server.end('SIGKILL');
    await left;
    server = await startServer({ ...environment, GANTRY_SSH_PORT: String(portOf()), PORT: new URL(server.url).port });
    expect(git(repository, ['for-each-ref'])).toBe('');
    // The same host keys, at the same place: no client complains.
    await done(mine, work, 'push', '--quiet', url, 'main');
    expect(git(repository, ['fsck', '--strict'])).toBe('');
  });

  it('comes to the end of its command when the server is told to stop', async () => {
    const { ssh_url_to_repo: url } = await project('graceful');
    const work = await largeCopy(48 << 20);
    await done(mine, work, 'push', '--quiet', url, 'main');
    const copies = scratch();
    const cloning = as(mine, copies, 'clone', '--quiet', '--bare', url, 'copy');
    const packs = path.join(copies, 'copy', 'objects', 'pack');
    await until(() => (existsSync(packs) && readdirSync(packs).length > 0) || undefined);
    const env = { ...environment, GANTRY_SSH_PORT: String(portOf()), PORT: new URL(server.url).port };
    expect(await server.end('SIGTERM')).toBe(0);
    server = await startServer(env);
    expect((await cloning).code).toBe(0);
    expect(git(path.join(copies, 'copy'), ['rev-parse', 'main']).trim()).toBe(await run(work, 'rev-parse', 'main'));
  });

  it.runIf(hasAudit)('finds nothing weak by ssh-audit', async () => {
    const { stdout } = await runProgram('ssh-audit', ['-l', 'fail', '-p', String(portOf()), '127.0.0.1'], {});
    expect(stdout).not.toMatch(/\[fail\]/);
  });
});

describe('The port of SSH', { timeout: TIMEOUT }, () => {
  it('that somebody chose and that is taken ends the start, and is named', async () => {
    const other = scratchDirectory();
    onTestFinished(other.remove);
    const { status, stderr } = await gantry(
      ['serve'],
      settings(other.directory, { GANTRY_SSH_PORT: String(portOf()) }),
    );
    expect([status, stderr]).toEqual([1, expect.stringContaining('Set GANTRY_SSH_PORT to another one.')]);
  });

  it('can be turned off, and keys of mode 600 are made only where it is on', async () => {
    for (const name of ['ssh_host_ed25519_key', 'ssh_host_rsa_key']) {
      expect(statSync(path.join(data, 'ssh', name)).mode & 0o777).toBe(0o600);
    }
    const other = scratchDirectory();
    const closed = await startServer(settings(path.join(other.directory, 'data'), { GANTRY_SSH_PORT: 'none' }));
    expect(closed.output()).not.toContain('SSH:');
    expect(existsSync(path.join(other.directory, 'data', 'ssh'))).toBe(false);
    await closed.end('SIGTERM');
    other.remove();
  });

  it('does not keep servers apart that take any', async () => {
    const others = await Promise.all(
      [0, 1].map(() => startServer(settings('unused', { GANTRY_SSH_PORT: '2222' }), ['--ephemeral'])),
    );
    expect(new Set([server, ...others].map((one) => portOf(one))).size).toBe(3);
    await Promise.all(others.map((one) => one.end('SIGTERM')));
  });
});
