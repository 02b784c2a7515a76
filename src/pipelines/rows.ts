import type { Commit } from '#src/git/model.ts';
import type { JobStatus } from '#src/pipelines/status.ts';
import { Prisma } from '#src/platform/db.ts';
import { type UserRow, userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

/** What is done with one commit for one ref. Times are ISO 8601. */
export interface PipelineRow {
  id: number;
  projectId: number;
  /** A branch or a tag. */
  ref: string;
  tag: boolean;
  sha: string;
  /** What the ref held before the push; null without one. */
  beforeSha: string | null;
  status: JobStatus;
  source: 'push' | 'api' | 'trigger' | 'external';
  user: UserRow;
  /** Why no jobs could be made of the file. */
  yamlErrors: string | null;
  /** In percent. */
  coverage: number | null;
  /** In seconds. */
  duration: number | null;
  createdAt: string;
  updatedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  committedAt: string | null;
}

/** A PipelineRow as JSON from the rows under the aliases of a pipeline and its user. */
export function pipelineJson(pipeline: string, user: string): Prisma.Sql {
  const p = Prisma.raw(pipeline);
  return sql`json_build_object('id', ${p}.id, 'projectId', ${p}.project_id, 'ref', ${p}.ref, 'tag', ${p}.tag, 'sha', ${p}.sha,
    'beforeSha', ${p}.before_sha, 'status', ${p}.status, 'source', ${p}.source, 'user', ${userJson(user)},
    'yamlErrors', ${p}.yaml_errors, 'coverage', ${p}.coverage, 'duration', ${p}.duration, 'createdAt', ${p}.created_at,
    'updatedAt', ${p}.updated_at, 'startedAt', ${p}.started_at, 'finishedAt', ${p}.finished_at,
    'committedAt', ${p}.committed_at)`;
}

/** An expression for the JSON array of the pipelines whose IDs the statement gives, in its order. */
export function pipelineRows(ids: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(${pipelineJson('p', 'u')} ORDER BY page.ord), '[]')
    FROM unnest(ARRAY(${ids})) WITH ORDINALITY AS page (id, ord) JOIN pipelines p ON p.id = page.id
    JOIN users u ON u.id = p.user_id)`;
}

/** When a commit was made, in seconds since 1970; what no calendar has (before the year 1, behind 9999) becomes its end. */
export function commitTime({ committer }: Commit): number {
  return Math.max(-62_135_596_800, Math.min(253_402_300_799, committer.seconds));
}
