import { mkdirSync } from 'node:fs';
import path from 'node:path';
import ssh2 from 'ssh2';
import { HOST_KEY_FILES } from '#src/platform/config/ssh.ts';
import { createPrivateFile, readPrivateFile } from '#src/platform/lifecycle/private_file.ts';

/** The host keys by file name. */
const KINDS = {
  ssh_host_ed25519_key: { type: 'ssh-ed25519', make: () => generate('ed25519') },
  ssh_host_rsa_key: { type: 'ssh-rsa', make: () => generate('rsa', 3072) },
};

/**
 * The private host keys in a directory, in the format of OpenSSH, Ed25519 first. Missing ones are created with mode 600; if
 * another server created them first, its keys are used.
 *
 * @throws Error that names a file which is damaged or cannot be read
 */
export async function hostKeys(directory: string): Promise<string[]> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return Promise.all(
    HOST_KEY_FILES.map(async (file) => {
      const { type, make } = KINDS[file];
      const place = path.join(directory, file);
      const text = readPrivateFile(place) ?? createPrivateFile(place, await make());
      const key = ssh2.utils.parseKey(text);
      const usable = !(key instanceof Error) && key.isPrivateKey() && key.type === type;
      if (!usable)
        throw new Error(`${place} is damaged: a private key without a passphrase, of type ${type}, was expected.`);
      return text;
    }),
  );
}

async function generate(type: 'ed25519' | 'rsa', bits?: number): Promise<string> {
  const options = { comment: 'gantry', ...(bits === undefined ? {} : { bits }) };
  // ssh2 cannot parse about one in 300 of the Ed25519 keys that it writes.
  for (;;) {
    const text = await new Promise<string>((resolve, reject) => {
      ssh2.utils.generateKeyPair(type as 'rsa', options as { bits: number }, (error, pair) => {
        if (error) reject(error);
        else resolve(`${pair.private.trimEnd()}\n`);
      });
    });
    if (!(ssh2.utils.parseKey(text) instanceof Error)) return text;
  }
}
