import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import { trimSlashes } from '#src/domain/repository/tree.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { LogQuery, RepositoryReader } from '#src/git/base/reader.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

/** Filter of a list of commits. Times are inclusive, and of the committer. */
export interface CommitFilter {
  /** A branch, tag or hash, or a range `A..B` of what B has and A lacks; by default the default branch. */
  ref?: string | null | undefined;
  /** Only commits that changed this file or directory. */
  path?: string | null | undefined;
  since?: Date | null | undefined;
  until?: Date | null | undefined;
  /** Whether the commits are those of all branches and tags, whatever `ref` says. */
  all?: boolean | null | undefined;
  /** Only commits of authors with this text in `Name <address>`. */
  author?: string | null | undefined;
  /** Whether merges are followed to their first parent alone. */
  firstParent?: boolean | null | undefined;
  /** Whether the file at `path` is followed through its renames. */
  follow?: boolean | null | undefined;
  /** Whether no commit comes before those that are made on it, and lines of history stay together. */
  topological?: boolean | null | undefined;
}

/** The commits reachable from a ref, newest first; none in an empty repository. Throws NotFound, Forbidden, Unauthenticated. */
export async function listCommits(
  context: Context,
  project: ProjectRow,
  { ref: wanted, path, since, until, all, author, firstParent, topological, follow }: CommitFilter,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<CommitRow>> {
  authorize(context.actor, 'read_commit', project);
  const [from, to] = all ? [null, null] : endsOf(wanted);
  const ref = to;
  const revision = await findRevision(context, project, ref || null);
  if (!revision) {
    const repository = await context.repositories.open(project);
    if (!ref || !repository || (await repository.branches()).length === 0) return { nodes: [], offset, total: 0 };
    throw new NotFound('Commit');
  }
  const { repository, oid } = revision;
  const left = from === null ? null : await findRevision(context, project, from || null);
  if (from !== null && left === null) throw new NotFound('Commit');
  const query: LogQuery = {
    start: oid,
    ...(all ? { also: await tipsOf(repository) } : {}),
    ...(left ? { not: left.oid } : {}),
    ...(author ? { author } : {}),
    ...(firstParent ? { firstParent } : {}),
    ...(topological ? { topological } : {}),
    ...(path ? { path: trimSlashes(path) } : {}),
    ...(since ? { since: Math.ceil(since.getTime() / 1000) } : {}),
    ...(until ? { until: Math.floor(until.getTime() / 1000) } : {}),
  };
  if (follow && query.path) {
    const oids = await withEffort(context, () => repository.followed(query));
    if (oids === null)
      throw new BadRequest('Files are only followed through renames where the server has git', 'follow');
    const commits = await repository.commits(oids.slice(offset, offset + limit));
    return { nodes: commits.map((commit) => ({ ...commit, project, repository })), offset, total: oids.length };
  }
  const read = () =>
    Promise.all([
      limit > 0 ? repository.log(query, { limit, offset }) : [],
      withTotal ? repository.count(query) : null,
    ]);
  // Filtering may walk the whole history.
  const [commits, total] = await (path || since || until || all || left || author || firstParent || topological
    ? withEffort(context, read)
    : read());
  return { nodes: commits.map((commit) => ({ ...commit, project, repository })), offset, total };
}

/** The ends of a range `A..B`, each the default branch if it is empty; null and the revision where it is none. */
function endsOf(ref: string | null | undefined): [from: string | null, to: string | null] {
  const at = ref?.indexOf('..') ?? -1;
  if (ref == null || at < 0 || ref.startsWith('...', at)) return [null, ref ?? null];
  return [ref.slice(0, at), ref.slice(at + 2)];
}

/** The commits of all branches and tags. */
async function tipsOf(repository: RepositoryReader): Promise<Oid[]> {
  const [branches, tags] = await Promise.all([repository.branches(), repository.tags()]);
  return [...new Set([...branches, ...tags].flatMap(({ commit }) => commit ?? []))];
}
