import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { type MergeRequestFilter, mergeRequestConditions } from '#src/domain/tracking/merge_requests/filter.ts';
import '#src/domain/tracking/merge_requests/computed_fields.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { isKeyed, type KeyedOrder, keyedOrder, keyedPage } from '#src/domain/tracking/subjects/order.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { type Order, order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const mergeRequest = alias('MergeRequest', 'mr');

const COLUMNS = { created_at: 'createdAt', updated_at: 'updatedAt', title: 'title', merged_at: 'mergedAt' } as const;

export interface MergeRequestOrder {
  by: keyof typeof COLUMNS | KeyedOrder;
  direction: Direction;
}

/** The parent of merge requests: a project, or a milestone or label of it. */
export interface MergeRequestParent {
  project: ProjectRow;
  milestoneId?: number;
  labelId?: number;
  /** Commits of the project that merged it, or that it squashed into; any if absent. */
  commits?: readonly string[];
}

type ParentRow = {
  project: number;
  path: string;
  milestone: number | null;
  label: number | null;
  commits: readonly string[];
};

/** The merge requests of each parent, in one statement; Forbidden in place of unreadable ones. Throws BadRequest. */
export async function listMergeRequestsOf<R>(
  context: Context,
  parents: readonly MergeRequestParent[],
  filter: MergeRequestFilter,
  by: MergeRequestOrder,
  page: PageRequest,
  selection: Selection<'MergeRequest', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const ofMilestone = parents.some(({ milestoneId }) => milestoneId !== undefined);
  const ofLabel = parents.some(({ labelId }) => labelId !== undefined);
  const ofCommits = parents.some(({ commits }) => commits !== undefined);
  const sorted = orderOf(by);
  const pageOf = ({ project, path, milestone, label, commits }: Asked<ParentRow>) => {
    const where = all([
      sql`${mergeRequest.targetProjectId} = ${project}`,
      ...(ofMilestone ? [sql`${mergeRequest.milestoneId} = ${milestone}`] : []),
      ...(ofLabel
        ? [
            sql`${mergeRequest.id} IN (SELECT bl.merge_request_id FROM merge_request_labels bl WHERE bl.label_id = ${label})`,
          ]
        : []),
      ...(ofCommits
        ? [
            sql`${mergeRequest.state} = 'merged' AND (${mergeRequest.mergeCommitSha} = ANY(${commits}::text[])
              OR ${mergeRequest.squashCommitSha} = ANY(${commits}::text[]))`,
          ]
        : []),
      ...mergeRequestConditions(mergeRequest, filter, actor, project),
    ]);
    const params = { actor, projectPath: path };
    if (isKeyed(by.by)) {
      const found = sql`SELECT ${firstOfKeyed} FROM ${table(mergeRequest)} WHERE ${where}`;
      const list = { type: 'MergeRequest', row: mergeRequest, by: by.by, direction: by.direction } as const;
      return keyedPage(selection, { ...list, found, total: null, params }, page);
    }
    return pageOfRows(selection, { rows: mergeRequest, where, order: sorted, params }, page);
  };
  return forPermittedParents(
    parents,
    ({ project }) => authorize(actor, 'read_merge_request', project),
    (permitted) => {
      const asked = permitted.map(({ project, milestoneId = null, labelId = null, commits = [] }) => {
        return { project: project.id, path: project.fullPath, milestone: milestoneId, label: labelId, commits };
      });
      const types = { project: 'int', path: 'text', milestone: 'int', label: 'int', commits: 'text[]' } as const;
      return readPages<R>(context.db, page, perParent<ParentRow>(asked, types, pageOf));
    },
  );
}

/** What orders by what other tables have need of merge requests. */
export const firstOfKeyed = sql`${mergeRequest.id}, ${mergeRequest.state}, ${mergeRequest.targetProjectId} AS project_id, ${mergeRequest.milestoneId}`;

/** The order of a list of merge requests. */
export function orderOf({ by, direction }: MergeRequestOrder): Order<'MergeRequest'> {
  if (isKeyed(by)) return keyedOrder('MergeRequest', direction);
  return order('MergeRequest', [COLUMNS[by], 'id'], direction, { nulls: by === 'merged_at' ? 'last' : undefined });
}
