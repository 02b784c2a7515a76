// One part in depth, which the long run has.
// @module-tag long
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2, { type ClientChannel } from 'ssh2';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { forgetProgram } from '#src/git/program/detect.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { commitFile, run } from '../support/git_client.ts';
import { git, scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { clientKey, heard, open, sshGit, startSshWorld } from '../support/ssh.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ssh = await startSshWorld(world);
const owner = await world.user({ username: 'ann' });
const admin = await world.user({ admin: true });
const key = await ssh.key(owner);
const project = await world.project({ owner });
const NOT_FOUND = 'remote: There is no such project, or you are not allowed to see it.';

let [work, head] = ['', ''];
beforeAll(async () => {
  work = scratch('file');
  await run(work, 'init', '--quiet', '--initial-branch=main');
  head = await commitFile(work, 'README.md', 'Hello\n');
  await sshGit(key, work, 'push', '--quiet', ssh.url(project), 'main');
});

async function settings(data: object): Promise<void> {
  await world.db.applicationSettings.update({ where: { id: 1 }, data });
  forgetSettings(world.db);
}
afterEach(() => settings({ enabledGitAccessProtocol: null }));

const fetchOf = (fullPath: string) => `git-upload-pack '/${fullPath}.git'`;
const refused = (message: string) => ({ code: 128, output: '', said: `${message}\n` });

describe('Logging in', () => {
  it('greets people by name, and gives no shell', async () => {
    expect(await ssh.run(key, null)).toEqual({
      code: 0,
      output: 'Welcome, @ann! Your key works: use it with git. There is no shell access.\n',
      said: '',
    });
  });

  it('has no error to tell of clients that leave while they are greeted', LONG, async () => {
    const client = await ssh.connect(key);
    const before = ssh.told.length;
    await world.db.$transaction(async (tx) => {
      // The greeting waits for who has the key.
      await tx.$executeRaw`LOCK TABLE ssh_keys IN ACCESS EXCLUSIVE MODE`;
      client.shell(false, () => undefined);
      await sleep(200);
      (client as unknown as { _sock: Socket })._sock.destroy();
      await sleep(200);
    });
    await expect.poll(() => ssh.told.length, { timeout: 10_000 }).toBe(before + 1);
    expect(ssh.told.at(-1)).toMatchObject({ command: 'greet', aborted: true });
    expect(ssh.reported).toEqual([]);
  });

  it('tells clients each signature that it takes, and none that it refuses', async () => {
    const heard: unknown[] = [];
    const client = new ssh2.Client();
    const inside = client as unknown as { _protocol: { _handlers: Record<string, (...given: unknown[]) => void> } };
    const ready = once(client, 'ready');
    client.connect({ host: '127.0.0.1', port: ssh.port, username: 'git', privateKey: key.privateKey });
    const { EXT_INFO: usual } = inside._protocol._handlers;
    inside._protocol._handlers.EXT_INFO = (protocol, extensions) => {
      heard.push(extensions);
      usual?.(protocol, extensions);
    };
    await ready;
    client.end();
    const algs = [
      ...['ssh-ed25519', 'sk-ssh-ed25519@openssh.com', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384'],
      ...['ecdsa-sha2-nistp521', 'sk-ecdsa-sha2-nistp256@openssh.com', 'rsa-sha2-512', 'rsa-sha2-256'],
    ];
    expect(heard).toEqual([[{ name: 'server-sig-algs', algs }]]);
  });

  it('is for keys that somebody has, by the name git alone', async () => {
    await expect(ssh.connect(clientKey())).rejects.toThrow('All configured authentication methods failed');
    await expect(ssh.connect(key, { username: 'ann' })).rejects.toThrow('All configured authentication methods failed');
    await expect(ssh.connect(key, { username: 'root' })).rejects.toThrow(
      'All configured authentication methods failed',
    );
  });

  it('takes no passwords', async () => {
    const wrong = { privateKey: undefined as unknown as string, username: 'git', tryKeyboard: true };
    await expect(ssh.connect(key, { ...wrong, password: owner.token })).rejects.toThrow(
      'All configured authentication methods failed',
    );
  });

  it('turns a blocked user down, also between the login and a command', LONG, async () => {
    const user = await world.user();
    const theirs = await ssh.key(user);
    const client = await ssh.connect(theirs);
    await world.api(admin).post(`/users/${user.id}/block`);
    const answer = await heard(await open(client, fetchOf(project.fullPath)));
    expect(answer).toEqual(refused('remote: Your key is not valid any more, or your account is blocked.'));
    await expect(ssh.connect(theirs)).rejects.toThrow('All configured authentication methods failed');
    await world.api(admin).post(`/users/${user.id}/unblock`);
    expect((await ssh.run(theirs, null)).code).toBe(0);
  });

  it('ends when the key expires, and begins with no key for signatures alone', async () => {
    const user = await world.user();
    const [theirs, signing, plain] = [await ssh.key(user), clientKey(), clientKey()];
    const client = await ssh.connect(theirs);
    await world.db.sshKey.updateMany({ where: { userId: user.id }, data: { expiresAt: new Date(Date.now() - 1000) } });
    expect((await heard(await open(client, null))).said).toContain('Your key is not valid any more');
    await expect(ssh.connect(theirs)).rejects.toThrow('All configured authentication methods failed');
    const add = ({ publicKey }: { publicKey: string }, usage: string) =>
      world.api(user).post('/user/keys', { title: usage, key: publicKey, usage_type: usage });
    expect((await add(signing, 'signing')).status).toBe(201);
    await expect(ssh.connect(signing)).rejects.toThrow('All configured authentication methods failed');
    await add(plain, 'auth');
    expect((await ssh.run(plain, null)).code).toBe(0);
  });

  it('ends with the key', async () => {
    const user = await world.user();
    const theirs = await ssh.key(user);
    const client = await ssh.connect(theirs);
    const [{ id }] = (await world.api(user).get('/user/keys')).body;
    await world.api(user).delete(`/user/keys/${id}`);
    expect((await heard(await open(client, null))).said).toContain('Your key is not valid any more');
  });

  it('finds the right one of many keys of an agent', LONG, async () => {
    const keys = Array.from({ length: 30 }, () => clientKey());
    const right = await ssh.key(owner);
    const all = [...keys, right].map(({ privateKey }) => privateKey);
    let next = 0;
    const authHandler = () => {
      const privateKey = all[next++];
      return privateKey === undefined ? false : ({ type: 'publickey', username: 'git', key: privateKey } as const);
    };
    const client = await ssh.connect(right, { authHandler: authHandler as never });
    expect((await heard(await open(client, null))).code).toBe(0);
  });

  it('looks a key up in one statement by an index', async () => {
    const statements = await world.statements(async () => void (await ssh.connect(key)));
    const found = statements.filter((statement) => statement.includes('fingerprint_sha256'));
    // Once when the key is offered, once when it is proved.
    expect(found).toHaveLength(2);
    expect(statements).toHaveLength(2);
  });
});

describe('Projects', () => {
  it.each([
    'nobody/nothing',
    '../../etc/passwd',
    'a;touch x',
    '$(touch x)',
    '',
    '--upload-pack=touch x',
    `${'x'.repeat(3_000)}/y`,
  ])('that are not there are not found: %s', async (name) => {
    expect(await ssh.run(key, `git-upload-pack '${name}'`)).toEqual(refused(NOT_FOUND));
  });

  it('of others are not there either, and what may not be done is told', LONG, async () => {
    const outsider = await ssh.key(await world.user());
    expect(await ssh.run(outsider, fetchOf(project.fullPath))).toEqual(refused(NOT_FOUND));
    const open = await world.project({ owner, visibility: 'public' });
    expect(await ssh.run(outsider, `git-receive-pack '${open.fullPath}.git'`)).toEqual(
      refused('remote: You are not allowed to push code to this project.'),
    );
    const guest = await world.user();
    await world.member(project, guest, 'guest');
    expect(await ssh.run(await ssh.key(guest), fetchOf(project.fullPath))).toEqual(
      refused('remote: You are not allowed to download code from this project.'),
    );
  });

  it('that are archived can be fetched, and not pushed to', LONG, async () => {
    const archived = await world.project({ owner });
    await world.api(owner).post(`/projects/${archived.id}/archive`);
    expect((await sshGit(key, scratch(), 'ls-remote', ssh.url(archived))).code).toBe(0);
    const answer = await sshGit(key, work, 'push', ssh.url(archived), 'main');
    expect(answer.code).toBe(128);
    expect(answer.said).toContain('remote: This project is archived: nothing can be pushed to it.');
  });

  it('that have moved say where they went', LONG, async () => {
    const moved = await world.project({ owner });
    const path = world.unique('moved');
    await world.api(owner).put(`/projects/${moved.id}`, { path });
    const said = `remote: The project has moved to ${owner.username}/${path}.`;
    expect(await ssh.run(key, fetchOf(moved.fullPath))).toEqual(refused(said));
    expect(await ssh.run(key, `git-receive-pack '${moved.fullPath}.git'`)).toEqual(refused(said));
  });

  it.each([
    (name: string) => `git-upload-pack '${name}'`,
    (name: string) => `git-upload-pack '/${name}.git/'`,
    (name: string) => `git upload-pack "${name}.git"`,
    (name: string) => `git-upload-pack ${name}.git`,
    (name: string) => `git-upload-pack '${name.toUpperCase()}.git'`,
  ])('are found as clients write them: %s', async (command) => {
    const client = await ssh.connect(key);
    const channel = await open(client, command(project.fullPath));
    const answer = heard(channel);
    channel.end('0000');
    expect(await answer).toMatchObject({ code: 0, output: expect.stringContaining(`${head} refs/heads/main`) });
  });

  it('are closed where the settings allow only HTTP, and open where they allow only SSH', LONG, async () => {
    await settings({ enabledGitAccessProtocol: 'http' });
    const said = refused('remote: Git access over SSH is not allowed on this server.');
    expect(await ssh.run(key, fetchOf(project.fullPath))).toEqual(said);
    const deploy = await ssh.deployKey(owner, project);
    expect(await ssh.run(deploy, fetchOf(project.fullPath))).toEqual(said);
    await settings({ enabledGitAccessProtocol: 'ssh' });
    expect((await sshGit(key, scratch(), 'ls-remote', ssh.url(project))).code).toBe(0);
  });

  it('say that the server has no git program', LONG, async () => {
    const { PATH } = process.env;
    process.env.PATH = '';
    forgetProgram();
    try {
      expect((await ssh.run(key, fetchOf(project.fullPath))).said).toContain('no git program of version 2.38 or later');
    } finally {
      process.env.PATH = PATH;
      forgetProgram();
    }
  });
});

describe('Everything else', () => {
  const SHELL = refused('remote: There is no shell access: only git fetch, git clone and git push work here.');

  it.each([
    'ls',
    'sh -c "touch x"',
    'git-upload-pack',
    "git-upload-pack 'a' 'b'",
    "git-upload-pack 'a';touch x",
    "git-upload-pack 'a' && touch x",
    'git-upload-pack "$(touch x)"',
    'git-upload-pack `touch x`',
    "git-upload-pack --upload-pack='touch x' 'a'",
    'git-upload-pack --help',
    "git-upload-pack 'a'\ntouch x",
    'scp -t /tmp/x',
    'git-lfs-authenticate a destroy',
    "git-upload-pack\0 'a'",
    "GIT-UPLOAD-PACK 'a'",
    'x'.repeat(30_000),
    `git-upload-pack '${'x'.repeat(10_000)}'`,
  ])('is refused: %s', async (command) => {
    expect(await ssh.run(key, command)).toEqual(SHELL);
    expect([existsSync('x'), existsSync(path.join(world.repositories.directory(project), 'x'))]).toEqual([
      false,
      false,
    ]);
  });

  it('says that archives are not served', LONG, async () => {
    const archive = await sshGit(key, scratch(), 'archive', `--remote=${ssh.url(project)}`, 'HEAD');
    expect(archive.said).toContain('remote: git archive --remote is not served here');
  });

  it('no terminal, no forwarding of agents and X11, no subsystem', async () => {
    const client = await ssh.connect(key);
    const shell = (options: object) =>
      new Promise((resolve) =>
        client.exec('x', options, (error, channel) => resolve(error?.message ?? heard(channel))),
      );
    expect(await shell({ pty: true })).toBe('Unable to request a pseudo-terminal');
    expect(await shell({ x11: true })).toBe('Unable to request X11');
    const sftp = await new Promise((resolve) => client.sftp((error) => resolve(error?.message)));
    expect(sftp).toMatch(/Unable to start subsystem/);
    const subsystem = await new Promise((resolve) => client.subsys('x', (error) => resolve(error?.message)));
    expect(subsystem).toMatch(/Unable to start subsystem/);
  });

  it('no forwarding of connections, in any direction', async () => {
    const reached: unknown[] = [];
    const target = createServer((socket) => reached.push(socket.destroy()));
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const { port } = target.address() as { port: number };
    const client = await ssh.connect(key, { strictVendor: false });
    const asked = (ask: (done: (error?: Error | null) => void) => void) =>
      new Promise<string | undefined>((resolve) => void ask((error) => resolve(error?.message)));
    expect(await asked((done) => client.forwardOut('127.0.0.1', 1, '127.0.0.1', port, done))).toMatch(/open failure/);
    expect(await asked((done) => client.forwardIn('127.0.0.1', 0, done))).toMatch(/Unable to bind/);
    expect(await asked((done) => client.openssh_forwardOutStreamLocal('/tmp/x', done))).toMatch(/open failure/);
    expect(await asked((done) => client.openssh_forwardInStreamLocal('/tmp/x', done))).toMatch(/Unable to bind/);
    expect(reached).toEqual([]);
    target.close();
    expect((await heard(await open(client, null))).code).toBe(0);
  });

  it('no variable of the environment but the version of the protocol', LONG, async () => {
    const client = await ssh.connect(key);
    const ask = (env: Record<string, string>) =>
      new Promise<ClientChannel>((resolve, reject) =>
        client.exec(fetchOf(project.fullPath), { env }, (error, channel) => (error ? reject(error) : resolve(channel))),
      );
    const marker = path.join(scratch(), 'touched');
    const variables = [
      ['GIT_PROTOCOL', 'version=2'],
      ['GIT_TRACE', marker],
      ['GIT_PROTOCOL', `$(touch ${marker})`],
    ];
    for (const [name = '', value = ''] of variables) {
      const channel = await ask({ [name]: value });
      const answer = heard(channel);
      channel.end('0000');
      const { output } = await answer;
      expect(output.includes('version 2')).toBe(value === 'version=2');
    }
    expect(existsSync(marker)).toBe(false);
  });
});

describe('One connection', () => {
  it('serves several commands, also at a time', async () => {
    const client = await ssh.connect(key);
    const answers = Array.from({ length: 5 }, async () => heard(await open(client, null)));
    expect((await Promise.all(answers)).map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect((await heard(await open(client, null))).code).toBe(0);
  });

  it('has as many open at a time as it may, and no more', LONG, async () => {
    const client = await ssh.connect(key);
    const waiting = await Promise.all(Array.from({ length: 10 }, () => open(client, fetchOf(project.fullPath))));
    await expect(open(client, null)).rejects.toThrow('Channel open failure');
    const answers = waiting.map((channel) => heard(channel));
    for (const channel of waiting) channel.end('0000');
    await Promise.all(answers);
    await world.until(async () => {
      const channel = await open(client, null).catch(() => null);
      return channel !== null && (await heard(channel)).code === 0;
    });
  });
});

describe('What was done', () => {
  it('is told for the log: who, what, how much and how it ended', LONG, async () => {
    ssh.told.length = 0;
    await sshGit(key, scratch(), 'ls-remote', ssh.url(project));
    await ssh.run(key, 'ls');
    const fetched = { command: 'fetch', path: project.fullPath, status: 0, user: owner.id };
    expect(ssh.told).toMatchObject([fetched, { command: 'refuse', status: 128, user: owner.id, sent: 0 }]);
    expect(ssh.told[0]?.sent).toBeGreaterThan(head.length);
  });

  it('leaves the repository as it was when nothing was pushed', async () => {
    const client = await ssh.connect(key);
    const channel = await open(client, `git-receive-pack '${project.fullPath}'`);
    const answer = heard(channel);
    channel.end('0000');
    expect((await answer).code).toBe(0);
    expect(git(world.repositories.directory(project), ['fsck', '--strict'])).toBe('');
  });
});
