import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import ssh2, { type Client, type ClientChannel, type ConnectConfig } from 'ssh2';
import { afterAll, onTestFinished } from 'vitest';
import { gitSemaphore } from '#src/domain/repository/remote/git_concurrency.ts';
import { hostKeys } from '#src/entrances/ssh/host_keys.ts';
import { SSH_LIMITS, type SshLimits } from '#src/entrances/ssh/limits.ts';
import { listenSsh, type SshListening } from '#src/entrances/ssh/server.ts';
import type { CommandFacts } from '#src/entrances/ssh/services.ts';
import { gitClient, type Ran } from './git_client.ts';
import { scratch } from './git_program.ts';
import type { TestUser, World } from './world.ts';

/** A key pair of a client. */
export interface ClientKey {
  /** File of the private key. */
  file: string;
  privateKey: string;
  /** In the form of OpenSSH. */
  publicKey: string;
}

/** What came of a command over SSH. */
export interface Said {
  /** Exit status. */
  code: number | undefined;
  output: string;
  /** Standard error. */
  said: string;
}

let keys: Promise<string[]> | undefined;

/** A new key pair, Ed25519 unless it is said. */
export function clientKey(type: 'ed25519' | 'rsa' | 'ecdsa' = 'ed25519', bits?: number): ClientKey {
  const make = () =>
    ssh2.utils.generateKeyPairSync(type as 'rsa', { bits: bits ?? 2048, comment: 'somebody@somewhere' });
  let pair = make();
  // About one in 300 cannot be read.
  while (ssh2.utils.parseKey(pair.private) instanceof Error) pair = make();
  const file = path.join(scratch('file'), 'key');
  writeFileSync(file, pair.private, { mode: 0o600 });
  return { file, privateKey: pair.private, publicKey: pair.public };
}

/** The server of a world over SSH. */
export class SshWorld {
  readonly world: World;
  readonly listening: SshListening;
  /** Commands that were served. */
  readonly told: CommandFacts[];
  /** Unexpected errors. */
  readonly reported: unknown[];

  constructor(world: World, listening: SshListening, told: CommandFacts[], reported: unknown[]) {
    this.world = world;
    this.listening = listening;
    this.told = told;
    this.reported = reported;
  }

  get port(): number {
    return this.listening.port;
  }

  url({ fullPath }: { fullPath: string }): string {
    return `ssh://git@127.0.0.1:${this.port}/${fullPath}.git`;
  }

  /** Gives a user a new key. */
  async key(user: TestUser, key: ClientKey = clientKey()): Promise<ClientKey> {
    const answer = await this.world.api(user).post('/user/keys', { title: 'test', key: key.publicKey });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return key;
  }

  /** Gives a project a new deploy key. */
  async deployKey(master: TestUser, { id }: { id: number }, canPush = false): Promise<ClientKey> {
    const key = clientKey();
    const values = { title: 'deploy', key: key.publicKey, can_push: canPush };
    const answer = await this.world.api(master).post(`/projects/${id}/deploy_keys`, values);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return key;
  }

  /** A client that has logged in. Throws what the client does. */
  async connect(key: ClientKey, more: Partial<ConnectConfig> = {}): Promise<Client> {
    const client = new ssh2.Client();
    const ready = Promise.race([
      once(client, 'ready'),
      once(client, 'close').then(() => Promise.reject(new Error('The server ended the connection'))),
    ]);
    const { privateKey } = key;
    client.connect({ host: '127.0.0.1', port: this.port, username: 'git', privateKey, ...more });
    client.setNoDelay();
    await ready;
    client.on('error', () => undefined);
    onTestFinished(() => void client.end());
    return client;
  }

  /** Runs a command, or asks for a shell where it is null. */
  async run(key: ClientKey, command: string | null, more: Partial<ConnectConfig> = {}): Promise<Said> {
    const client = await this.connect(key, more);
    const channel = await open(client, command);
    const said = await heard(channel);
    client.end();
    return said;
  }
}

/** Runs git with a key over SSH, without a program `ssh`. */
export function sshGit(key: ClientKey, cwd: string, ...args: string[]): Promise<Ran> {
  const program = [process.execPath, path.join(import.meta.dirname, 'git_ssh.ts'), key.file];
  const command = program.map((word) => `'${word}'`).join(' ');
  return gitClient(cwd, '-c', `core.sshCommand=${command}`, '-c', 'ssh.variant=ssh', ...args);
}

/** Exit statuses of channels; one may come in the same moment as the channel. */
const statuses = new WeakMap<ClientChannel, number>();

/** A channel for a command, or for a shell. */
export function open(client: Client, command: string | null): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    const taken = (error: Error | undefined, channel: ClientChannel) => {
      channel?.on('exit', (status: number) => void statuses.set(channel, status));
      return error ? reject(error) : resolve(channel);
    };
    if (command === null) client.shell(false, taken);
    else client.exec(command, taken);
  });
}

/** All that comes on a channel of `open` until it is closed. */
export async function heard(channel: ClientChannel): Promise<Said> {
  let [output, said] = ['', ''];
  channel.on('data', (chunk: Buffer) => {
    output += chunk.toString('latin1');
  });
  channel.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await once(channel, 'close');
  return { code: statuses.get(channel), output, said };
}

/** Serves a world over SSH too; it goes with the test file unless it is said. */
export async function startSshWorld(
  world: World,
  limits: Partial<SshLimits> = {},
  atEnd: (end: () => Promise<void> | void) => void = afterAll,
): Promise<SshWorld> {
  keys ??= hostKeys(path.join(scratch('file'), 'host'));
  const { actor: _, clientAddress: __, ...stores } = world.as(await world.user());
  const told: CommandFacts[] = [];
  const reported: unknown[] = [];
  const report = (error: unknown) => {
    reported.push(error);
    console.error(error);
  };
  const tell = (facts: CommandFacts) => void told.push(facts);
  const baseUrl = async () => world.url;
  const gitConcurrency = gitSemaphore();
  const services = { stores, gitConcurrency, limits: { ...SSH_LIMITS, ...limits }, baseUrl, tell, report };
  const listening = await listenSsh({ host: '127.0.0.1', port: 0, hostKeys: await keys, services });
  let isClosed = false;
  const { close } = listening;
  listening.close = (grace) => {
    isClosed = true;
    return close(grace);
  };
  atEnd(() => (isClosed ? undefined : close(0)));
  return new SshWorld(world, listening, told, reported);
}
