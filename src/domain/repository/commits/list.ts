import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { CommitRow } from '#src/domain/repository/commits/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import { trimSlashes } from '#src/domain/repository/tree.ts';
import type { LogQuery } from '#src/git/reader.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

/** Filter of a list of commits. Times are inclusive, and of the committer. */
export interface CommitFilter {
  /** A branch, tag or hash; by default the default branch. */
  ref?: string | null | undefined;
  /** Only commits that changed this file or directory. */
  path?: string | null | undefined;
  since?: Date | null | undefined;
  until?: Date | null | undefined;
}

/** The commits reachable from a ref, newest first; none in an empty repository. Throws NotFound, Forbidden, Unauthenticated. */
export async function listCommits(
  context: Context,
  project: ProjectRow,
  { ref, path, since, until }: CommitFilter,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<CommitRow>> {
  authorize(context.actor, 'read_commit', project);
  const revision = await findRevision(context, project, ref || null);
  if (!revision) {
    const repository = await context.repositories.open(project);
    if (!ref || !repository || (await repository.branches()).length === 0) return { nodes: [], offset, total: 0 };
    throw new NotFound('Commit');
  }
  const { repository, oid } = revision;
  const query: LogQuery = {
    start: oid,
    ...(path ? { path: trimSlashes(path) } : {}),
    ...(since ? { since: Math.ceil(since.getTime() / 1000) } : {}),
    ...(until ? { until: Math.floor(until.getTime() / 1000) } : {}),
  };
  const read = () =>
    Promise.all([
      limit > 0 ? repository.log(query, { limit, offset }) : [],
      withTotal ? repository.count(query) : null,
    ]);
  // Filtering by path or time may walk the whole history.
  const [commits, total] = await (path || since || until ? withEffort(context, read) : read());
  return { nodes: commits.map((commit) => ({ ...commit, project, repository })), offset, total };
}
