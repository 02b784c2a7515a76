import path from 'node:path';
import type { Config } from '../config.ts';
import { newToken } from '../secrets.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

/** How the first administrator, `root`, signs in. */
export interface Credentials {
  password: string;
  privateToken: string;
}

const heading = '# The administrator that Gantry created at its first start. Change the password after signing in.';

/** Where the credentials are kept. */
export function credentialsFile(dataDir: string): string {
  return path.join(dataDir, 'credentials');
}

/**
 * Chooses the administrator's credentials and keeps them in a file of mode 600, before the account is created: if that
 * fails or is interrupted, the next start finds and uses the same. Settings win over the file.
 */
export function prepareCredentials(config: Pick<Config, 'dataDir' | 'rootPassword' | 'rootToken'>): Credentials {
  const file = credentialsFile(config.dataDir);
  const kept = parse(readPrivateFile(file) ?? '');
  const chosen = {
    password: config.rootPassword ?? kept.password ?? newToken(),
    privateToken: config.rootToken ?? kept.privateToken ?? newToken(),
  };
  if (chosen.password !== kept.password || chosen.privateToken !== kept.privateToken) {
    writePrivateFile(file, format(chosen));
  }
  return chosen;
}

function format({ password, privateToken }: Credentials): string {
  return `${heading}\nusername: root\npassword: ${password}\nprivate_token: ${privateToken}\n`;
}

function parse(text: string): Partial<Credentials> {
  const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1];
  return { password: field('password'), privateToken: field('private_token') };
}
