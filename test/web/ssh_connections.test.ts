// One part in depth, which the long run has.
// @module-tag long
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2, { type Client, type ParsedKey } from 'ssh2';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { run } from '../support/git_client.ts';
import { git, scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { clientKey, heard, open, type SshWorld, sshGit, startSshWorld } from '../support/ssh.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ssh = await startSshWorld(world);
// Each waits little for one thing alone: a busy machine takes its time for all others.
const strict = await startSshWorld(world, { login: 400, offers: 4 });
const tired = await startSshWorld(world, { idle: 400 });
const deaf = await startSshWorld(world, { silence: 400 });
const full = await startSshWorld(world, { window: 400 });
const narrow = await startSshWorld(world, { strangersEach: 3, connectionsEach: 4, failures: 3, rekeys: 3 });
const owner = await world.user();
const key = await ssh.key(owner);
const project = await world.project({ owner });

/** More than the windows and buffers between a client and the server hold. */
const LARGE = 12 * 1024 * 1024;
let [work, head] = ['', ''];
beforeAll(async () => {
  work = scratch('file');
  await run(work, 'init', '--quiet', '--initial-branch=main');
  await writeFile(path.join(work, 'large'), randomBytes(LARGE));
  await run(work, 'add', '.');
  await run(work, 'commit', '--quiet', '-m', 'Large');
  head = await run(work, 'rev-parse', 'HEAD');
  await sshGit(key, work, 'push', '--quiet', ssh.url(project), 'main');
});

const fetching = `git-upload-pack '${project.fullPath}'`;
const directoryOf = (of: ProjectRow) => world.repositories.directory(of);

/** A connection that speaks no SSH by itself. */
async function raw(of: SshWorld): Promise<Socket> {
  const socket = connect(of.port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.resume();
  return socket;
}

/** Whether the server ends a connection, within a generous time. */
async function ends(of: Socket | Client): Promise<boolean> {
  if ('destroyed' in of && of.destroyed) return true;
  // A connection that is reset has ended as well.
  const closed = new Promise<true>((resolve) => of.once('close', () => resolve(true)));
  return Promise.race([closed, sleep(30_000, false as const)]);
}

const works = async (of: SshWorld) => expect((await of.run(key, null)).code).toBe(0);

describe('Who does not speak SSH', () => {
  it.each([
    ['HTTP', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['garbage', randomBytes(10_000)],
    ['a line without an end', 'x'.repeat(100_000)],
    ['a version without an end', `SSH-2.0-${'x'.repeat(100_000)}`],
    ['the old version of the protocol', 'SSH-1.5-x\r\n'],
    ['a packet of four gigabytes', Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), Buffer.alloc(64, 0xff)])],
    ['garbage behind the version', Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), randomBytes(50_000)])],
  ])('is left, and others are served: %s', async (_what, bytes) => {
    const socket = await raw(ssh);
    const ended = ends(socket);
    socket.write(bytes);
    expect(await ended).toBe(true);
    await works(ssh);
  });

  it('or does nothing is left when the time to log in is over', LONG, async () => {
    expect(await ends(await raw(strict))).toBe(true);
    const polite = await raw(strict);
    polite.write('SSH-2.0-x\r\n');
    expect(await ends(polite)).toBe(true);
  });
});

describe('Logins', () => {
  it('end when too many keys were offered', async () => {
    const keys = Array.from({ length: 8 }, () => clientKey().privateKey);
    let asked = 0;
    const authHandler = () => {
      const privateKey = keys[asked++];
      return privateKey === undefined ? false : { type: 'publickey', username: 'git', key: privateKey };
    };
    await expect(strict.connect(key, { authHandler: authHandler as never })).rejects.toThrow();
    expect(asked).toBeLessThanOrEqual(5);
  });

  it('fail with a signature of another key', async () => {
    const parsed = (text: string) => ssh2.utils.parseKey(text) as ParsedKey;
    const [mine, other] = [parsed(key.privateKey), parsed(clientKey().privateKey)];
    class Liar extends ssh2.BaseAgent {
      override getIdentities(done: (error: Error | undefined, keys: never[]) => void) {
        done(undefined, [mine.getPublicSSH()] as never[]);
      }
      override sign(_key: unknown, data: Buffer, ...rest: unknown[]) {
        (rest.at(-1) as (error: undefined, signature: unknown) => void)(undefined, other.sign(data));
      }
    }
    const lying = { agent: new Liar() as never, privateKey: undefined as never };
    await expect(ssh.connect(key, lying)).rejects.toThrow('All configured authentication methods failed');
  });

  it('that fail keep a network out for a while', LONG, async () => {
    for (let n = 0; n < 3; n += 1) {
      await expect(narrow.connect(clientKey())).rejects.toThrow('All configured authentication methods failed');
    }
    await sleep(100);
    await expect(narrow.connect(key)).rejects.toThrow();
    await works(ssh);
  });
});

/** Exchanges keys anew. */
async function exchange(client: Client): Promise<void> {
  const done = once(client, 'handshake');
  (client as unknown as { _protocol: { rekey(): void } })._protocol.rekey();
  await done;
}

describe('Connections', () => {
  it('that do nothing make room for those who come', async () => {
    const crowded = await startSshWorldIn({ strangersEach: 3 });
    const sockets = [];
    for (let n = 0; n < 3; n += 1) sockets.push(await raw(crowded));
    const first = sockets[0] as Socket;
    const ended = ends(first);
    await works(crowded);
    expect(await ended).toBe(true);
    expect(sockets[2]?.destroyed).toBe(false);
  });

  it('with commands stay, and those without go for others', LONG, async () => {
    const crowded = await startSshWorldIn({ connectionsEach: 2 });
    const busy = await crowded.connect(key);
    const channel = await open(busy, fetching);
    const idle = await crowded.connect(key);
    const gone = ends(idle);
    const third = await crowded.connect(key);
    expect(await gone).toBe(true);
    const answer = heard(channel);
    channel.end('0000');
    expect((await answer).code).toBe(0);
    third.end();
  });

  it('on which nothing runs end', LONG, async () => {
    expect(await ends(await tired.connect(key))).toBe(true);
  });

  it('200 of them that do nothing leave the others their room', { ...LONG, timeout: 120_000 }, async () => {
    const clients = await Promise.all(Array.from({ length: 200 }, () => ssh.connect(key, { readyTimeout: 60_000 })));
    const copy = path.join(scratch(), 'copy');
    expect((await sshGit(key, path.dirname(copy), 'clone', '--quiet', ssh.url(project), copy)).code).toBe(0);
    expect((await world.api(owner).get('/user')).status).toBe(200);
    expect((await heard(await open(clients[0] as Client, null))).code).toBe(0);
  });

  it('that exchange keys again and again end', async () => {
    const client = await (await startSshWorldIn({ rekeys: 3 })).connect(key);
    const ended = ends(client);
    for (let n = 0; n < 4; n += 1) await Promise.race([exchange(client).catch(() => ended), ended]);
    expect(await ended).toBe(true);
  });

  it('go on through an exchange of keys', async () => {
    const client = await ssh.connect(key);
    await exchange(client);
    expect((await heard(await open(client, null))).code).toBe(0);
  });
});

describe('Commands', () => {
  it('whose clients say nothing end', LONG, async () => {
    const client = await deaf.connect(key);
    const answer = await heard(await open(client, fetching));
    expect(answer).toMatchObject({ code: 128, said: 'remote: Nothing came for too long.\n' });
  });

  it('whose clients take nothing end, and nothing runs on', LONG, async () => {
    full.told.length = 0;
    const client = await full.connect(key);
    const channel = await open(client, fetching);
    // The list of refs is read, the pack is not.
    await once(channel, 'readable');
    const ended = ends(client);
    channel.write(`0032want ${head}\n00000009done\n`);
    await world.until(async () => full.told.length > 0);
    expect(full.told[0]).toMatchObject({ command: 'fetch', status: 128, aborted: true });
    expect(full.told[0]?.sent).toBeLessThan(LARGE);
    expect(await ended).toBe(true);
  });

  it('hold no more of a pack in memory than its client takes, whatever it says it would take', LONG, async () => {
    ssh.told.length = 0;
    const client = await ssh.connect(key);
    const channel = await open(client, fetching);
    await once(channel, 'readable');
    const inside = client as unknown as {
      _sock: Socket;
      _protocol: { channelWindowAdjust(id: number, bytes: number): void };
    };
    const { outgoing } = channel as unknown as { outgoing: { id: number } };
    inside._protocol.channelWindowAdjust(outgoing.id, 1024 ** 3);
    channel.write(`0032want ${head}\n00000009done\n`);
    inside._sock.pause();
    await sleep(1_500);
    inside._sock.destroy();
    await world.until(async () => ssh.told.length > 0);
    expect(ssh.told[0]?.sent).toBeLessThan(LARGE);
  });

  it('whose clients are killed while they push leave nothing behind', LONG, async () => {
    const target = await world.project({ owner });
    const { directory } = await world.repositories.ensure(target, 'main');
    const client = await ssh.connect(key);
    const channel = await open(client, `git-receive-pack '${target.fullPath}'`);
    await once(channel, 'readable');
    const line = `${'0'.repeat(40)} ${head} refs/heads/main\0report-status`;
    channel.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
    channel.write(Buffer.from('PACK\0\0\0\x02\0\0\0\x03', 'latin1'));
    const incoming = () => readdirSync(path.join(directory, 'objects')).filter((name) => name.startsWith('incoming-'));
    await world.until(async () => incoming().length > 0);
    (client as unknown as { _sock: Socket })._sock.destroy();
    await world.until(async () => incoming().length === 0);
    expect(git(directory, ['for-each-ref'])).toBe('');
    expect((await sshGit(key, work, 'push', '--quiet', ssh.url(target), 'main')).code).toBe(0);
    expect(git(directory, ['fsck', '--strict'])).toBe('');
  });

  it('that are broken off leave the others on their connection', async () => {
    const client = await ssh.connect(key);
    const [one, other] = [await open(client, fetching), await open(client, fetching)];
    const gone = heard(one);
    one.close();
    await gone;
    const answer = heard(other);
    other.end('0000');
    expect((await answer).code).toBe(0);
    expect((await heard(await open(client, null))).code).toBe(0);
  });

  it('take a push from a client that waits for the report without ending what it sends', LONG, async () => {
    const target = await world.project({ owner });
    const oids = git(path.join(work, '.git'), ['rev-list', '--objects', 'main']).replaceAll(/ .*/g, '');
    const prefix = path.join(scratch(), 'push');
    const [name] = git(path.join(work, '.git'), ['pack-objects', '--quiet', prefix], oids).split('\n');
    const client = await ssh.connect(key);
    const channel = await open(client, `git-receive-pack '${target.fullPath}'`);
    const answer = heard(channel);
    const line = `${'0'.repeat(40)} ${head} refs/heads/main\0report-status`;
    channel.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
    channel.write(readFileSync(`${prefix}-${name}.pack`));
    expect((await answer).output).toContain('ok refs/heads/main');
    expect(git(directoryOf(target), ['rev-parse', 'main']).trim()).toBe(head);
  });
});

describe('The end of the server', () => {
  it('waits for commands that run, and for nothing else', async () => {
    const ending = await startSshWorldIn({});
    const [busy, idle] = [await ending.connect(key), await ending.connect(key)];
    const channel = await open(busy, fetching);
    await once(channel, 'readable');
    const [gone, left] = [ends(idle), ends(busy)];
    const closed = ending.listening.close(60_000);
    expect(await gone).toBe(true);
    await expect(ending.connect(key)).rejects.toThrow();
    const answer = heard(channel);
    channel.end('0000');
    expect((await answer).code).toBe(0);
    await closed;
    expect(await left).toBe(true);
  });

  it('leaves those that take too long', LONG, async () => {
    const ending = await startSshWorldIn({});
    const client = await ending.connect(key);
    await open(client, fetching);
    const gone = ends(client);
    await ending.listening.close(200);
    expect(await gone).toBe(true);
  });
});

/** Another server, for one test. */
async function startSshWorldIn(limits: Parameters<typeof startSshWorld>[1]): Promise<SshWorld> {
  return startSshWorld(world, limits, (end) => onTestFinished(end));
}
