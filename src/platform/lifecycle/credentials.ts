import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '#src/platform/config/config.ts';
import { newToken } from '#src/platform/secrets.ts';
import { readPrivateFile, writePrivateFile } from './private_file.ts';

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

/** The administrator's credentials, and which of them were generated and are only shown here. */
export interface PreparedCredentials {
  chosen: Credentials;
  /** Without those that settings gave: these are neither written nor printed. */
  made: Partial<Credentials>;
}

/**
 * Chooses the administrator's credentials, before the account is created. Those that the settings do not give are made, and
 * kept in a file of mode 600, which holds nothing else: if creating the account fails or is interrupted, the next start finds
 * and uses the same.
 *
 * @param fresh those to make, if they are not to be random
 */
export function prepareCredentials(
  config: Pick<Config, 'dataDir' | 'rootPassword' | 'rootToken'>,
  fresh: Credentials = { password: newToken(), privateToken: newToken() },
): PreparedCredentials {
  const file = credentialsFile(config.dataDir);
  const kept = keptCredentials(config);
  const made: Partial<Credentials> = {};
  if (config.rootPassword === undefined) made.password = kept.password ?? fresh.password;
  if (config.rootToken === undefined) made.privateToken = kept.privateToken ?? fresh.privateToken;
  const { password = config.rootPassword ?? '', privateToken = config.rootToken ?? '' } = made;
  const needed = made.password !== undefined || made.privateToken !== undefined;
  const same = made.password === kept.password && made.privateToken === kept.privateToken;
  if (!needed) rmSync(file, { force: true });
  else if (!same) writePrivateFile(file, format(made));
  return { chosen: { password, privateToken }, made };
}

/** What was made for the administrator, as the file in the data directory keeps it. */
export function keptCredentials({ dataDir }: Pick<Config, 'dataDir'>): Partial<Credentials> {
  return parse(readPrivateFile(credentialsFile(dataDir)) ?? '');
}

function format({ password, privateToken }: Partial<Credentials>): string {
  const lines = [heading, 'username: root'];
  if (password !== undefined) lines.push(`password: ${password}`);
  if (privateToken !== undefined) lines.push(`private_token: ${privateToken}`);
  return `${lines.join('\n')}\n`;
}

function parse(text: string): Partial<Credentials> {
  const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1];
  return { password: field('password'), privateToken: field('private_token') };
}
