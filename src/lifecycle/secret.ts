import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Config } from '../config.ts';
import { createPrivateFile, readPrivateFile } from './private-file.ts';

/**
 * The server's key: the setting, or else the one in the file `secret` of the data directory, which is made at first use.
 *
 * @returns at least 32 characters
 * @throws Error if the file holds less
 */
export function loadSecret(config: Pick<Config, 'secret' | 'dataDir'>): string {
  if (config.secret !== undefined) return config.secret;
  const file = path.join(config.dataDir, 'secret');
  const made = () => createPrivateFile(file, `${randomBytes(48).toString('base64url')}\n`);
  const kept = (readPrivateFile(file) ?? made()).trim();
  if (kept.length < 32) throw new Error(`${file} is damaged: a key of at least 32 characters was expected.`);
  return kept;
}
