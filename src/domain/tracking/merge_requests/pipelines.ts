import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [pipeline, version] = [alias('Pipeline', 'p'), alias('MergeRequestVersion', 'v')];
const NEWEST_FIRST = order('Pipeline', ['id'], 'desc');

/** A merge request, with the source project if the actor can see it. */
interface PipelineParent {
  id: number;
  sourceBranch: string;
  source: ProjectRow | null;
}

type AskedBranch = { id: number; project: number; branch: string };

/**
 * The pipelines of the heads of all versions of each merge request, on its source branch or its own, newest first, in one statement;
 * Forbidden in place of unreadable ones. The caller may read the merge requests. Throws Unauthenticated.
 */
export async function listMergeRequestPipelines<R>(
  context: Context,
  mergeRequests: readonly PipelineParent[],
  page: PageRequest,
  selection: Selection<'Pipeline', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const pageOf = ({ id, project, branch }: Asked<AskedBranch>) => {
    const heads = sql`SELECT ${version.headCommitSha} FROM ${table(version)} WHERE ${version.mergeRequestId} = ${id}`;
    const where = all([
      sql`${pipeline.projectId} = ${project}`,
      sql`(${pipeline.ref} = ${branch} OR ${pipeline.mergeRequestId} = ${id}) AND NOT ${pipeline.tag}`,
      sql`${pipeline.sha} IN (${heads})`,
    ]);
    return pageOfRows(selection, { rows: pipeline, where, order: NEWEST_FIRST }, page);
  };
  return forPermittedParents(
    mergeRequests,
    ({ source }) => {
      if (source) authorize(actor, 'read_pipeline', source);
    },
    (permitted) => {
      // Without a source project that the actor can see there is nothing to show.
      const asked = permitted.map(({ id, source, sourceBranch: branch }) => ({ id, project: source?.id ?? 0, branch }));
      const types = { id: 'int', project: 'int', branch: 'text' } as const;
      return readPages<R>(context.db, page, perParent<AskedBranch>(asked, types, pageOf));
    },
  );
}
