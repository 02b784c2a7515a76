import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import type { CommitRow } from '#src/commits/find.ts';
import { type JobRow, jobRows } from '#src/jobs/rows.ts';
import { all, Prisma, queryPage } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

const { sql } = Prisma;

/** Which statuses of a commit a list holds. */
export interface StatusFilter {
  ref?: string | null | undefined;
  stage?: string | null | undefined;
  name?: string | null | undefined;
  /** Those too that a later one of the same name has replaced. */
  all?: boolean | null | undefined;
}

/** The statuses of a commit, posted ones and jobs, oldest first. Throws Forbidden, Unauthenticated. */
export async function listStatuses(
  context: Context,
  { project, oid }: CommitRow,
  filter: StatusFilter,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<JobRow>> {
  authorize(requireActor(context), 'read_commit_status', project);
  const { ref, stage, name } = filter;
  const conditions = [
    sql`p.project_id = ${project.id} AND p.sha = ${oid}`,
    ...(ref ? [sql`p.ref = ${ref}`] : []),
    ...(stage ? [sql`j.stage = ${stage}`] : []),
    ...(name ? [sql`j.name = ${name}`] : []),
    ...(filter.all ? [] : [sql`NOT j.retried`]),
  ];
  const source = sql`jobs j JOIN pipelines p ON p.id = j.pipeline_id WHERE ${all(conditions)}`;
  const ids = sql`SELECT j.id FROM ${source} ORDER BY j.id LIMIT ${limit} OFFSET ${offset}`;
  return queryPage(context.db, offset, jobRows(ids), withTotal && sql`(SELECT count(*) FROM ${source})`);
}
