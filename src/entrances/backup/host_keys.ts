import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { HOST_KEY_FILES } from '#src/platform/config/ssh.ts';
import { createPrivateFile, readPrivateFile } from '#src/platform/lifecycle/private_file.ts';
import type { Archive } from './archive.ts';

/** Archives the SSH host keys along with the secret: clients of a restored server with other keys would get warnings. */
export async function* archiveHostKeys(archive: Archive, directory: string): AsyncGenerator<Buffer> {
  for (const name of HOST_KEY_FILES) {
    const key = readPrivateFile(path.join(directory, name));
    if (key !== undefined) yield* archive.addBytes(`ssh/${name}`, key);
  }
}

/** The name of a host key's file, from the path of a member of a backup; null for other members. */
export function hostKeyOf(member: string): string | null {
  return HOST_KEY_FILES.find((name) => member === `ssh/${name}`) ?? null;
}

/** Writes host keys into their directory by file name; keeps existing ones, as in a directory outside of the data directory. */
export function placeHostKeys(directory: string, keys: ReadonlyMap<string, string>): void {
  if (keys.size === 0) return;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const [name, key] of keys) {
    const file = path.join(directory, name);
    if (!existsSync(file)) createPrivateFile(file, key);
  }
}
