import type { Context } from '#src/access/actor.ts';
import type { Oid } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import type { ProjectRow } from '#src/projects/find.ts';

/** A commit of a repository. */
export interface Revision {
  repository: RepositoryReader;
  oid: Oid;
}

/** The name of the branch that counts where none is named; null while nothing was ever written to the repository. */
export async function defaultBranch(project: ProjectRow, repository: RepositoryReader): Promise<string | null> {
  return project.defaultBranch ?? repository.defaultBranch();
}

/**
 * The commit that a branch, a tag or a hash (4 to 40 digits) leads to, the tip of the default branch when none is named.
 * Null where there is none, as in an empty repository.
 */
export async function findRevision(
  { repositories }: Pick<Context, 'repositories'>,
  project: ProjectRow,
  name?: string | null,
): Promise<Revision | null> {
  const repository = await repositories.open(project);
  if (!repository) return null;
  const wanted = name ?? (await defaultBranch(project, repository));
  const oid = wanted ? await repository.resolve(wanted) : null;
  return oid === null ? null : { repository, oid };
}
