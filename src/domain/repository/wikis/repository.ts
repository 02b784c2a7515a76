import type { Context } from '#src/access/permissions/actor.ts';
import type { Owner } from '#src/domain/projects/owner.ts';
import { commitFiles, type FileCommit } from '#src/domain/repository/commit_files.ts';
import { ensureWikiPlace, wikiPlaceOf } from '#src/domain/repository/wiki_place.ts';
import { isOid, type Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

/** The branch of a wiki that its pages are on, and its tip; null for a wiki without pages. */
export async function wikiTip(
  { repositories }: Pick<Context, 'repositories'>,
  owner: Owner,
): Promise<{ reader: RepositoryReader; branch: string; commit: Oid } | null> {
  const place = wikiPlaceOf(owner);
  const reader = place && (await repositories.open(place));
  const branch = await reader?.defaultBranch();
  const tip = reader && branch ? await reader.branch(branch) : null;
  return reader && branch && tip ? { reader, branch, commit: tip.commit } : null;
}

/** Commits to the wiki of a project or group as the user. Permissions have been checked. Throws as commitFiles. */
export async function commitToWiki(
  context: Context,
  owner: Owner,
  userId: number,
  change: Omit<FileCommit, 'firstBranch' | 'unchanged'>,
): Promise<{ branch: string; commit: Oid }> {
  const said = { firstBranch: 'master', unchanged: 'The page has this content already' };
  return commitFiles(context, await ensureWikiPlace(context, owner), userId, { ...change, ...said });
}

/** A commit of a wiki by its full hash; null for one that its tip does not reach. */
export async function reachableCommit(reader: RepositoryReader, tip: Oid, version: string): Promise<Oid | null> {
  if (!isOid(version) || (await reader.commit(version)) === null) return null;
  return (await reader.isAncestor(version, tip)) ? version : null;
}
