import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { IsomorphicReader } from './isomorphic.ts';
import { programVersion } from './program/detect.ts';
import { ProgramReader } from './program.ts';
import type { RepositoryReader } from './reader.ts';
import { RoutedReader } from './routed.ts';

export type ReaderKind = 'in process' | 'program';

/**
 * Packs that are larger in sum are left to the git program, in bytes: in process their pieces are read one at a time by
 * the thread that serves requests, which must not wait for a disk.
 */
const LARGE_PACKS = 32 * 1024 * 1024;

/**
 * A reader for a bare repository. Where there is a git program, it does the long walks and reads repositories with large
 * packs, and the rest is done in process. `kind` forces one of the two for everything.
 */
export async function openRepository(directory: string, kind?: ReaderKind): Promise<RepositoryReader> {
  if (kind === 'in process') return new IsomorphicReader(directory);
  if (kind === 'program') return new ProgramReader(directory);
  if ((await programVersion()) === null) return new IsomorphicReader(directory);
  return new RoutedReader(directory, () => packSize(directory) > LARGE_PACKS);
}

/** How large the packs of a repository are, in bytes. */
function packSize(directory: string): number {
  const packs = path.join(directory, 'objects', 'pack');
  try {
    const names = readdirSync(packs).filter((name) => name.endsWith('.pack'));
    return names.reduce((sum, name) => sum + statSync(path.join(packs, name)).size, 0);
  } catch {
    // A repack is under way, or there is no such directory yet.
    return 0;
  }
}
