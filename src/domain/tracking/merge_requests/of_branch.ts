import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import '#src/domain/tracking/merge_requests/computed_fields.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const mergeRequest = alias('MergeRequest', 'mr');
const NEWEST_FIRST = order('MergeRequest', ['id'], 'desc');

const NEWEST = { limit: 1, offset: 0, withTotal: false };

/** A branch of a project, by the ID of that and its name. */
type BranchParent = { project: number; branch: string };

/**
 * The newest open merge request from each branch, into any project whose merge requests the actor can see, in one statement; null
 * without one. The caller must have checked that the actor can see the branches.
 */
export async function openMergeRequestsFrom<R>(
  context: Context,
  branches: readonly BranchParent[],
  selection: Selection<'MergeRequest', R>,
): Promise<(R | null)[]> {
  const actor = readerOf(context);
  const pageOf = ({ project, branch }: Asked<BranchParent>) => {
    const where = all([
      sql`${mergeRequest.sourceProjectId} = ${project}`,
      sql`${mergeRequest.sourceBranch} = ${branch}`,
      sql`${mergeRequest.state} = 'opened'`,
      within(mergeRequest.targetProjectId, 'merge_requests'),
    ]);
    return pageOfRows(selection, { rows: mergeRequest, where, order: NEWEST_FIRST, params: { actor } }, NEWEST);
  };
  const [projects, names] = [branches.map(({ project }) => project), branches.map(({ branch }) => branch)];
  const places = seenPlaces(
    actor,
    sql`p.id IN (SELECT pm.target_project_id FROM merge_requests pm WHERE pm.state = 'opened'
      AND pm.source_project_id = ANY(${projects}::int[]) AND pm.source_branch = ANY(${names}::text[]))`,
  );
  const types = { project: 'int', branch: 'text' } as const;
  const pages = await readPages<R>(context.db, NEWEST, perParent<BranchParent>(branches, types, pageOf, [places]));
  return pages.map(({ nodes: [newest = null] }) => newest);
}
