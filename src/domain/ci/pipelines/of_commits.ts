import type { Context } from '#src/access/permissions/actor.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import type { CommitKey } from '#src/domain/repository/find_commit.ts';

/** The status of each commit's latest pipeline, null without one; in one statement. The caller may read the commits. */
export async function commitStatuses(
  { db }: Pick<Context, 'db'>,
  commits: readonly CommitKey[],
): Promise<(JobStatus | null)[]> {
  const rows = await db.$queryRaw<{ status: JobStatus | null }[]>`
    SELECT latest.status::text AS status
    FROM unnest(${commits.map(({ projectId }) => projectId)}::int[], ${commits.map(({ sha }) => sha)}::text[])
      WITH ORDINALITY AS c (project_id, sha, ord)
    LEFT JOIN LATERAL (SELECT p.status FROM pipelines p WHERE p.project_id = c.project_id AND p.sha = c.sha AND p.source <> 'parent_pipeline'
      ORDER BY p.id DESC LIMIT 1) latest ON TRUE
    ORDER BY c.ord`;
  return rows.map(({ status }) => status);
}

/** Whether jobs of each pipeline failed that may; in one statement. The caller may read the pipelines. */
export async function pipelineWarnings({ db }: Pick<Context, 'db'>, ids: readonly number[]): Promise<boolean[]> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    SELECT DISTINCT pipeline_id AS id FROM jobs
    WHERE pipeline_id = ANY(${[...ids]}::int[]) AND status IN ('failed', 'canceled') AND allow_failure AND NOT retried`;
  const found = new Set(rows.map(({ id }) => id));
  return ids.map((id) => found.has(id));
}
