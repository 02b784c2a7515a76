import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readRow } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/ci/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [status, pipeline] = [alias('Job', 'j'), alias('Pipeline', 'p')];

/** The statuses with these IDs that the actor may read: those of jobs, and those that other systems posted. */
export const { findByIds: findStatusesByIds } = projectScoped({ ability: 'read_commit_status', rows: status });

/** Filter of the statuses of a commit. */
export interface StatusFilter {
  ref?: string | null | undefined;
  stage?: string | null | undefined;
  name?: string | null | undefined;
  /** Includes statuses replaced by a later one of the same name. */
  all?: boolean | null | undefined;
}

/**
 * The statuses of each commit, posted ones and jobs, oldest first, in one statement; Forbidden in place of those that the actor
 * may not read. Throws Unauthenticated.
 */
export async function listStatuses<R>(
  context: Context,
  commits: readonly CommitRow[],
  filter: StatusFilter,
  page: PageRequest,
  selection: Selection<'Job', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const pageOf = (commit: Asked<AskedCommit>) =>
    pageOfRows(selection, { rows: status, where: conditionOf(commit, filter), order: order('Job', ['id']) }, page);
  return forPermittedParents(
    commits,
    ({ project }) => authorize(actor, 'read_commit_status', project),
    (permitted) => {
      const parents = permitted.map(({ project, oid }) => ({ project: project.id, sha: oid }));
      return readPages<R>(context.db, page, perParent(parents, { project: 'int', sha: 'text' }, pageOf));
    },
  );
}

type AskedCommit = { project: number; sha: string };

function conditionOf({ project, sha }: Asked<AskedCommit>, filter: StatusFilter): Prisma.Sql {
  const { ref, stage, name } = filter;
  const ofCommit = sql`${pipeline.projectId} = ${project} AND ${pipeline.sha} = ${sha}`;
  const ofRef = ref ? sql`AND ${pipeline.ref} = ${ref}` : Prisma.empty;
  return all([
    sql`${status.pipelineId} IN (SELECT ${pipeline.id} FROM ${table(pipeline)} WHERE ${ofCommit} ${ofRef})`,
    ...(stage ? [sql`${status.stage} = ${stage}`] : []),
    ...(name ? [sql`${status.name} = ${name}`] : []),
    ...(filter.all ? [] : [sql`NOT ${status.retried}`]),
  ]);
}

/** The posted status. Throws NotFound if it was deleted since, with its project. */
export async function postedStatus<R>({ db }: Context, id: number, selection: Selection<'Job', R>): Promise<R> {
  const found = await readRow(db, selection, { rows: status, where: sql`${status.id} = ${id}` });
  if (!found) throw new NotFound('Project');
  return found;
}
