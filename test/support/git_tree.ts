import type { TreeEntry } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

/** All that a directory of a commit (or tree) holds; null if there is no such directory. */
export async function entriesOf(
  reader: RepositoryReader,
  treeish: string,
  path = '',
  { recursive = false } = {},
): Promise<TreeEntry[] | null> {
  const page = await reader.treePage(treeish, path, { recursive, offset: 0, limit: Number.POSITIVE_INFINITY });
  return page?.entries ?? null;
}
