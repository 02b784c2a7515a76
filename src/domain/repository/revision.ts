import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

/** A commit of a repository. */
export interface Revision {
  repository: RepositoryReader;
  oid: Oid;
}

/** The name of the default branch; null for an empty repository. */
export async function defaultBranch(project: ProjectRow, repository: RepositoryReader): Promise<string | null> {
  return project.defaultBranch ?? repository.defaultBranch();
}

/** Who looks up a revision. */
type Caller = Pick<Context, 'actor' | 'clientAddress' | 'answer'>;

/**
 * The commit of a revision: a branch, a tag, a hash of at least 7 digits, and steps from there such as `master~1` or `v1.0^2`;
 * the tip of the default branch when absent. Null if there is none, as in an empty repository. Throws LimitExceeded, RateLimited.
 */
export async function findRevision(
  context: Caller & Pick<Context, 'repositories'>,
  project: ProjectRow,
  name?: string | null,
): Promise<Revision | null> {
  const repository = await context.repositories.open(project);
  if (!repository) return null;
  const wanted = name ?? (await defaultBranch(project, repository));
  const oid = wanted ? await resolveRevision(context, project, repository, wanted) : null;
  return oid === null ? null : { repository, oid };
}

/** The commit of a revision for this caller, as in findRevision; null if there is none. */
export async function resolveRevision(
  context: Caller,
  project: ProjectRow,
  repository: RepositoryReader,
  revision: string,
): Promise<Oid | null> {
  const mergeRequests = can(context.actor, 'read_merge_request', project);
  return repository.resolve(revision, { mergeRequests, labour: (work) => withEffort(context, work) });
}
