import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ssh2, { type ParsedKey } from 'ssh2';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseCommand } from '#src/entrances/ssh/command.ts';
import { ConnectionLimiter } from '#src/entrances/ssh/connection_limiter.ts';
import { hostKeys } from '#src/entrances/ssh/host_keys.ts';
import { SSH_LIMITS, type SshLimits } from '#src/entrances/ssh/limits.ts';
import { isProof } from '#src/entrances/ssh/signature.ts';
import { loadConfig } from '#src/platform/config/config.ts';
import { sshBase, sshUrl } from '#src/platform/config/ssh_address.ts';
import { LONG } from '../support/long.ts';
import { encodeKey } from '../support/ssh_keys.ts';

function directory(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'gantry-keys-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

describe('Commands of git', () => {
  it.each([
    ["git-upload-pack '/group/project.git'", 'fetch', 'group/project'],
    ["git-upload-pack 'group/project'", 'fetch', 'group/project'],
    ["git upload-pack '/group/sub/project.git/'", 'fetch', 'group/sub/project'],
    ["git-receive-pack   'a.b/c-d_e.git'  ", 'push', 'a.b/c-d_e'],
    ['git receive-pack "group/project.git"', 'push', 'group/project'],
    ['git-upload-pack group/project.git', 'fetch', 'group/project'],
    ["git-upload-pack 'it'\\''s'", 'fetch', "it's"],
    ["git-upload-pack 'a'\\!'b'", 'fetch', 'a!b'],
    ["git-upload-pack ''", 'fetch', ''],
    ["git-upload-pack 'a;b $(c) `d`'", 'fetch', 'a;b $(c) `d`'],
  ])('are read as a shell would read them: %s', (text, service, fullPath) => {
    expect(parseCommand(text)).toEqual({ service, fullPath });
  });

  it.each([
    '',
    'git-upload-pack',
    "git-upload-pack 'a",
    "git-upload-pack 'a' b",
    "git-upload-pack 'a'; b",
    'git-upload-pack a;b',
    'git-upload-pack $HOME',
    'git-upload-pack "$HOME"',
    'git-upload-pack a\\b',
    'git-upload-pack -x',
    "git-upload-pack  --strict 'a'",
    "git-upload-archive 'a'",
    "/usr/bin/git-upload-pack 'a'",
    "X=1 git-upload-pack 'a'",
    "git-upload-pack 'a'\0",
  ])('are none of anything else: %s', (text) => {
    expect(parseCommand(text)).toBeNull();
  });
});

describe('Host keys', () => {
  it('are made once, Ed25519 and RSA, for nobody else to read', LONG, async () => {
    const place = path.join(directory(), 'ssh');
    const keys = await hostKeys(place);
    const types = keys.map((text) => (ssh2.utils.parseKey(text) as ParsedKey).type);
    expect(types).toEqual(['ssh-ed25519', 'ssh-rsa']);
    expect(readdirSync(place).sort()).toEqual(['ssh_host_ed25519_key', 'ssh_host_rsa_key']);
    for (const name of readdirSync(place)) expect(statSync(path.join(place, name)).mode & 0o777).toBe(0o600);
    expect(statSync(place).mode & 0o777).toBe(0o700);
    expect(await hostKeys(place)).toEqual(keys);
  });

  it('are made again where they came out unreadable', LONG, async () => {
    const utils = ssh2.utils as unknown as {
      generateKeyPair(type: string, options: object, done: (error: unknown, pair: { private: string }) => void): void;
    };
    const { generateKeyPair } = utils;
    const make = vi.spyOn(utils, 'generateKeyPair');
    onTestFinished(() => make.mockRestore());
    const halves: typeof generateKeyPair = (type, options, done) =>
      generateKeyPair(type, options, (error, pair) => done(error, { ...pair, private: pair.private.slice(0, 99) }));
    make.mockImplementationOnce(halves).mockImplementationOnce(halves);
    const keys = await hostKeys(directory());
    expect(keys.map((text) => (ssh2.utils.parseKey(text) as ParsedKey).type)).toEqual(['ssh-ed25519', 'ssh-rsa']);
    expect(make).toHaveBeenCalledTimes(4);
  });

  it('are the same for servers that make them at once', LONG, async () => {
    const place = directory();
    const [one, two, three] = await Promise.all([hostKeys(place), hostKeys(place), hostKeys(place)]);
    expect([two, three]).toEqual([one, one]);
  });

  it('that are damaged, or of another type, are named and not replaced', LONG, async () => {
    const place = directory();
    await hostKeys(place);
    const file = path.join(place, 'ssh_host_ed25519_key');
    const rsa = readFileSync(path.join(place, 'ssh_host_rsa_key'), 'utf8');
    for (const text of ['', 'garbage\n', rsa]) {
      chmodSync(file, 0o600);
      writeFileSync(file, text);
      await expect(hostKeys(place)).rejects.toThrow(`${file} is damaged`);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });
});

describe('Addresses over SSH', () => {
  const base = 'https://git.example.com:8443/sub';

  it('have the short form on the usual port, and name any other one', () => {
    expect(sshUrl('a/b', base, { host: null, port: 22 })).toBe('git@git.example.com:a/b.git');
    expect(sshUrl('a/b', base, { host: null, port: 2222 })).toBe('ssh://git@git.example.com:2222/a/b.git');
    expect(sshUrl('a/b', base, { host: 'ssh.example.com', port: 22 })).toBe('git@ssh.example.com:a/b.git');
    expect(sshUrl('a/b', base, { host: '[::1]', port: 2222 })).toBe('ssh://git@[::1]:2222/a/b.git');
    expect(sshUrl('a/b', base, 'nowhere')).toBe('');
    expect(sshUrl('a/b', base, null)).toBe('git@git.example.com:a/b.git');
    expect(sshBase(base, { host: null, port: 22 })).toBe('ssh://git@git.example.com');
  });
});

describe('Settings of SSH', () => {
  const load = (env: Record<string, string>) => loadConfig({ GANTRY_DATA: '/data', ...env }, tmpdir()).ssh;

  it('have the usual port beside HTTP, and a free one beside a free one', () => {
    expect(load({})).toMatchObject({
      host: '127.0.0.1',
      port: 2222,
      isUsualPort: true,
      keys: '/data/ssh',
      address: {},
    });
    expect(load({ PORT: '0', HOST: '0.0.0.0' })).toMatchObject({ host: '0.0.0.0', port: 0 });
    expect(load({ PORT: '0', GANTRY_SSH_PORT: '22' })).toMatchObject({ port: 22, isUsualPort: false });
  });

  it('turn it off, and say where to listen, what to call it and where its keys are', () => {
    expect(load({ GANTRY_SSH_PORT: 'none' })).toBeNull();
    expect(load({ GANTRY_SSH_LISTEN: '::', GANTRY_SSH_HOST_KEYS: 'keys' })).toMatchObject({
      host: '::',
      keys: path.join(tmpdir(), 'keys'),
    });
    expect(load({ GANTRY_SSH_HOST: 'git.example.com' })).toMatchObject({ address: { host: 'git.example.com' } });
    expect(load({ GANTRY_SSH_HOST: '[::1]:22' })?.address).toEqual({ host: '[::1]', port: 22 });
  });

  it.each([
    ['GANTRY_SSH_PORT', 'off'],
    ['GANTRY_SSH_PORT', '70000'],
    ['GANTRY_SSH_HOST', 'a b'],
    ['GANTRY_SSH_HOST', 'git@host'],
    ['GANTRY_SSH_HOST', 'host:0'],
    ['GANTRY_SSH_HOST', 'host:99999'],
    ['GANTRY_SSH_HOST', '::1'],
    ['GANTRY_SSH_LISTEN', 'no host'],
  ])('that are wrong are named: %s=%s', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(new RegExp(`${name}: `));
  });
});

describe('The pace of key exchanges', () => {
  /** The milliseconds that a network that comes now has to wait; null if it is turned away. */
  const arriving = (limits: Partial<SshLimits>) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const limiter = new ConnectionLimiter({ ...SSH_LIMITS, ...limits });
    return (remoteAddress: string) => limiter.admit({ remoteAddress }, () => undefined)?.wait ?? null;
  };

  it('lets some begin at once, and the others of a network one after the other', () => {
    const arrive = arriving({ exchangesEach: { perSecond: 10, atOnce: 2 }, patience: 1_000 });
    const waits = Array.from({ length: 5 }, () => arrive('192.0.2.1'));
    expect(waits).toEqual([0, 0, 100, 200, 300]);
    expect(arrive('192.0.2.2')).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(arrive('192.0.2.1')).toBe(0);
  });

  it('turns away who would wait too long, and counts no turn for it', () => {
    const arrive = arriving({ exchangesEach: { perSecond: 10, atOnce: 1 }, patience: 150 });
    expect(Array.from({ length: 5 }, () => arrive('192.0.2.1'))).toEqual([0, 100, null, null, null]);
    vi.advanceTimersByTime(100);
    expect(arrive('192.0.2.1')).toBe(100);
  });

  it('is one for all networks together', () => {
    const arrive = arriving({ exchanges: { perSecond: 10, atOnce: 2 } });
    expect([1, 2, 3].map((n) => arrive(`192.0.2.${n}`))).toEqual([0, 0, 100]);
  });
});

describe('Signatures', () => {
  const signed = randomBytes(100);
  const bytesOf = (line: string) => Buffer.from(line.split(' ')[1] ?? '', 'base64');
  const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();
  const tail = (flags: number) => Buffer.concat([Buffer.from([flags]), Buffer.from([0, 0, 0, 7])]);
  const content = (flags: number) => Buffer.concat([sha256('ssh:'), tail(flags), sha256(signed)]);

  it.each(['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com'])(
    'of security keys are those of the key, for what was signed, by somebody who touched it: %s',
    (algorithm) => {
      const isEd25519 = algorithm.startsWith('sk-ssh');
      const { privateKey, publicKey } = isEd25519
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const { x = '', y = '' } = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })).export({
        format: 'jwk',
      });
      const part = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
      const point = Buffer.concat([Buffer.from([4]), part(x), part(y)]);
      const key = bytesOf(encodeKey(algorithm, isEd25519 ? [part(x), 'ssh:'] : ['nistp256', point, 'ssh:']));
      const field = (bytes: Buffer) => {
        const number = Buffer.concat([Buffer.alloc(1), bytes]);
        const length = Buffer.alloc(4);
        length.writeUInt32BE(number.length);
        return Buffer.concat([length, number]);
      };
      const signature = (flags: number) => {
        const made = isEd25519
          ? sign(null, content(flags), privateKey)
          : sign('sha256', content(flags), { key: privateKey, dsaEncoding: 'ieee-p1363' });
        const both = isEd25519 ? made : Buffer.concat([field(made.subarray(0, 32)), field(made.subarray(32))]);
        return Buffer.concat([both, tail(flags)]);
      };
      const proof = { algorithm, key, hash: undefined, signed, signature: signature(1) };
      expect(isProof(proof)).toBe(true);
      expect(isProof({ ...proof, signed: randomBytes(100) })).toBe(false);
      expect(isProof({ ...proof, signature: signature(0) })).toBe(false);
      const counted = Buffer.from(proof.signature);
      counted[counted.length - 1] = 8;
      expect(isProof({ ...proof, signature: counted })).toBe(false);
      expect(isProof({ ...proof, signature: randomBytes(5) })).toBe(false);
      expect(isProof({ ...proof, signature: Buffer.alloc(0) })).toBe(false);
    },
  );

  it('of RSA with SHA-1, and of DSA, count for nothing', () => {
    const pair = ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 });
    const key = ssh2.utils.parseKey(pair.private) as ParsedKey;
    const proof = { algorithm: 'ssh-rsa', key: key.getPublicSSH(), signed };
    const made = (hash: string) => key.sign(signed, hash) as unknown as Buffer;
    expect(isProof({ ...proof, hash: 'sha512', signature: made('sha512') })).toBe(true);
    expect(isProof({ ...proof, hash: 'sha256', signature: made('sha512') })).toBe(false);
    expect(isProof({ ...proof, hash: undefined, signature: made('sha1') })).toBe(false);
    expect(isProof({ ...proof, hash: 'sha1', signature: made('sha1') })).toBe(false);
    expect(isProof({ ...proof, algorithm: 'ssh-dss', hash: undefined, signature: made('sha1') })).toBe(false);
    expect(isProof({ ...proof, algorithm: 'ssh-ed25519', hash: 'sha512', signature: made('sha512') })).toBe(false);
  });

  it('of keys that are none count for nothing', () => {
    for (const key of [
      Buffer.alloc(0),
      Buffer.alloc(3),
      Buffer.alloc(40, 0xff),
      bytesOf(encodeKey('ssh-ed25519', [])),
    ]) {
      const proof = { algorithm: 'ssh-ed25519', key, hash: undefined, signed, signature: randomBytes(64) };
      expect(isProof(proof)).toBe(false);
    }
  });
});
