import type { ProjectRow } from '#src/domain/projects/find.ts';
import { type CommitRow, commitRows } from '#src/domain/repository/find_commit.ts';
import type { RepositoryStore } from '#src/domain/repository/store.ts';
import { Damaged } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

/** A ref with its commit. */
export interface NamedTip {
  /** Full name. */
  ref: string;
  commit: Oid;
}

/** The commits of refs, in order; null if missing, damaged or not a commit, which is reported: other refs are not affected. */
export async function soundCommits(
  { repositories }: { repositories: RepositoryStore },
  project: ProjectRow,
  repository: RepositoryReader,
  tips: readonly NamedTip[],
): Promise<(CommitRow | null)[]> {
  try {
    return await commitRows(
      project,
      repository,
      tips.map(({ commit }) => commit),
    );
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
  }
  const rows: (CommitRow | null)[] = [];
  for (const { ref, commit } of tips) {
    try {
      rows.push((await commitRows(project, repository, [commit]))[0] ?? null);
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      repositories.reportDamage(error, ref);
      rows.push(null);
    }
  }
  return rows;
}
