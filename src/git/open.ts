import type { RepositoryReader } from './base/reader.ts';
import { IsomorphicReader } from './isomorphic.ts';
import { programVersion } from './program/detect.ts';
import { ProgramReader } from './program.ts';
import { RoutedStore } from './routed_store.ts';

/**
 * A reader for a bare repository: where there is a git program, it does all but reading small objects.
 *
 * @param borrows whether objects are in other repositories, too, which only the program looks into
 */
export async function openRepository(directory: string, { borrows = false } = {}): Promise<RepositoryReader> {
  if ((await programVersion()) === null) return new IsomorphicReader(directory);
  if (borrows) return new ProgramReader(directory);
  return new ProgramReader(directory, new RoutedStore(directory));
}
