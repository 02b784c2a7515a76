import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import '#src/domain/tracking/merge_requests/computed_fields.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { type StateFilter, stateConditions } from '#src/domain/tracking/merge_requests/filter.ts';
import type { Oid } from '#src/git/base/model.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [mergeRequest, commit] = [alias('MergeRequest', 'mr'), alias('MergeRequestCommit', 'mc')];
const NEWEST_FIRST = order('MergeRequest', ['id'], 'desc');

/** A commit of a project. */
interface CommitParent {
  project: ProjectRow;
  oid: Oid;
}

type AskedCommit = { project: number; path: string; sha: string };

/**
 * The merge requests into each commit's project that brought the commit, or were merged by it, newest first, in one statement;
 * Forbidden in place of unreadable ones. Throws Unauthenticated.
 */
export async function listMergeRequestsOfCommits<R>(
  context: Context,
  commits: readonly CommitParent[],
  state: StateFilter | null | undefined,
  page: PageRequest,
  selection: Selection<'MergeRequest', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const pageOf = ({ project, path, sha }: Asked<AskedCommit>) => {
    const brought = sql`SELECT ${commit.mergeRequestId} FROM ${table(commit)} WHERE ${commit.sha} = ${sha}
      UNION SELECT m.id FROM merge_requests m WHERE m.merge_commit_sha = ${sha}
      UNION SELECT m.id FROM merge_requests m WHERE m.squash_commit_sha = ${sha} AND m.state = 'merged'`;
    const where = all([
      sql`${mergeRequest.id} IN (${brought})`,
      sql`${mergeRequest.targetProjectId} = ${project}`,
      ...stateConditions(mergeRequest, state),
    ]);
    const params = { actor, projectPath: path };
    return pageOfRows(selection, { rows: mergeRequest, where, order: NEWEST_FIRST, params }, page);
  };
  return forPermittedParents(
    commits,
    ({ project }) => authorize(actor, 'read_merge_request', project),
    (permitted) => {
      const asked = permitted.map(({ project, oid }) => ({ project: project.id, path: project.fullPath, sha: oid }));
      const types = { project: 'int', path: 'text', sha: 'text' } as const;
      return readPages<R>(context.db, page, perParent<AskedCommit>(asked, types, pageOf));
    },
  );
}
