import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { InvalidRefName } from './base/errors.ts';
import { syncDirectory } from './base/sync.ts';
import { isValidBranchName } from './refs/name.ts';
import { makeDurableDirectories } from './write/make_directories.ts';

/** Pushes are synced to the disk like what is written here; nothing is repacked behind the server's back. */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tfsync = objects,reference
[gc]
\tauto = 0
[receive]
\tautogc = false
[transfer]
\tfsckObjects = true
`;

/**
 * Creates an empty bare repository whose HEAD names the default branch, without hooks or templates. It appears complete or
 * not at all; throws EEXIST or ENOTEMPTY if there is something in its place.
 */
export async function initRepository(directory: string, defaultBranch: string): Promise<void> {
  if (!isValidBranchName(defaultBranch)) throw new InvalidRefName(defaultBranch);
  const parent = path.dirname(directory);
  const draft = path.join(parent, `.init-${randomBytes(8).toString('hex')}`);
  await makeDurableDirectories(parent);
  try {
    const folders = ['', 'objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'refs/tags'];
    for (const folder of folders) await mkdir(path.join(draft, folder));
    await writeFile(path.join(draft, 'HEAD'), `ref: refs/heads/${defaultBranch}\n`, { flush: true });
    await writeFile(path.join(draft, 'config'), CONFIG, { flush: true });
    for (const folder of folders) await syncDirectory(path.join(draft, folder));
    await rename(draft, directory);
    await syncDirectory(parent);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
