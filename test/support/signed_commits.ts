import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { git } from './git_program.ts';

const field = (content: Buffer | string) => {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** A key pair, the public one in the format of OpenSSH. */
export function keyPair() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const blob = Buffer.concat([field('ssh-ed25519'), field(point)]);
  return { privateKey, blob, text: `ssh-ed25519 ${blob.toString('base64')}` };
}

/** A signature of a commit as `ssh-keygen -Y sign -n git` makes it. */
export function signed(content: string, { privateKey, blob }: { privateKey: KeyObject; blob: Buffer }): string {
  const digest = createHash('sha512').update(content).digest();
  const message = [field('git'), field(''), field('sha512'), field(digest)];
  const made = sign(null, Buffer.concat([Buffer.from('SSHSIG'), ...message]), privateKey);
  const signature = Buffer.concat([field('ssh-ed25519'), field(made)]);
  const rest = [field(blob), field('git'), field(''), field('sha512'), field(signature)];
  const bytes = Buffer.concat([Buffer.from('SSHSIG'), Buffer.from([0, 0, 0, 1]), ...rest]);
  const lines = bytes.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----'].join('\n');
}

/** Writes a commit with a signature, which may be of other content; returns its hash. */
export function commitSigned(
  directory: string,
  email: string,
  make: (content: string) => string,
  title = 'Signed',
): string {
  const tree = git(directory, ['rev-parse', 'master^{tree}']).trim();
  const who = `Somebody <${email}> 1700000000 +0000`;
  const content = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n${title}\n`;
  const armor = make(content).replaceAll('\n', '\n ');
  const whole = content.replace('\n\n', `\ngpgsig ${armor}\n\n`);
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  return execFileSync('git', args, { cwd: directory, input: whole }).toString().trim();
}
