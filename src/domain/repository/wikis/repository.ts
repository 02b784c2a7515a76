import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { commitFiles, type FileCommit } from '#src/domain/repository/commit_files.ts';
import { wikiOf } from '#src/domain/repository/wiki_place.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

/** The branch of a wiki that its pages are on, and its tip; null for a wiki without pages. */
export async function wikiTip(
  { repositories }: Pick<Context, 'repositories'>,
  project: ProjectRow,
): Promise<{ reader: RepositoryReader; branch: string; commit: Oid } | null> {
  const reader = await repositories.open(wikiOf(project));
  const branch = await reader?.defaultBranch();
  const tip = reader && branch ? await reader.branch(branch) : null;
  return reader && branch && tip ? { reader, branch, commit: tip.commit } : null;
}

/** Commits to the wiki of a project as the user. Permissions have been checked. Throws as commitFiles. */
export function commitToWiki(
  context: Context,
  project: ProjectRow,
  userId: number,
  change: Omit<FileCommit, 'firstBranch' | 'unchanged'>,
): Promise<{ branch: string; commit: Oid }> {
  const said = { firstBranch: 'master', unchanged: 'The page has this content already' };
  return commitFiles(context, wikiOf(project), userId, { ...change, ...said });
}
