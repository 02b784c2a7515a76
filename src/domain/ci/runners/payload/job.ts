import { ofProtectedRef } from '#src/domain/ci/runners/protected_ref.ts';
import type { Db } from '#src/platform/database/db.ts';

/** What the payload of a job is made from. */
export interface PayloadJob {
  id: number;
  name: string;
  stage: string;
  when: string;
  environment: string | null;
  /** Under the names of the file; values of earlier versions are not validated. */
  options: Record<string, unknown>;
  /** Seconds. */
  timeout: number;
  stageIndex: number;
  pipelineId: number;
  ref: string;
  tag: boolean;
  sha: string;
  beforeSha: string | null;
  source: string;
  isTriggered: boolean;
  /** The merge request that its pipeline is of. */
  mergeRequestId: number | null;
  variablesEncrypted: Uint8Array | null;
  /** What was known of the commit and the project when the pipeline was made; null in pipelines of earlier versions. */
  predefined: unknown;
  /** How many commits runners fetch, as the project says; null for all. */
  gitDepth: number | null;
  /** Whether its branch or tag is protected. */
  isProtected: boolean;
  /** Seconds that it waited for a runner. */
  waited: number;
  namespaceId: number;
  rootNamespaceId: number;
  projectId: number;
  projectName: string;
  fullPath: string;
  /** Who started, retried or played it, and who started its pipeline. */
  userId: number;
  starterId: number;
  userEmail: string;
}

/** A job with its pipeline, its project and its user; null if it is gone. */
export async function payloadJob(db: Db, id: number): Promise<PayloadJob | null> {
  const [row] = await db.$queryRaw<PayloadJob[]>`
    SELECT j.id, j.name, j.stage, j."when", j.environment, COALESCE(j.options, '{}') AS options,
      COALESCE(j.timeout, p.build_timeout) AS timeout, j.stage_index AS "stageIndex", j.pipeline_id AS "pipelineId",
      l.ref, l.tag, l.sha, l.before_sha AS "beforeSha", l.merge_request_id AS "mergeRequestId",
      CASE WHEN l.merge_request_id IS NULL THEN l.source::text ELSE 'merge_request_event' END AS source, l.source = 'trigger' AS "isTriggered",
      l.variables_encrypted AS "variablesEncrypted", l.predefined, p.ci_default_git_depth AS "gitDepth",
      ${ofProtectedRef} AS "isProtected", COALESCE(extract(epoch FROM j.started_at - j.queued_at), 0)::float8 AS waited,
      n.id AS "namespaceId", n.lineage[1] AS "rootNamespaceId", p.id AS "projectId", p.name AS "projectName",
      n.full_path || '/' || p.path AS "fullPath", u.id AS "userId", l.user_id AS "starterId", u.email AS "userEmail"
    FROM jobs j JOIN pipelines l ON l.id = j.pipeline_id JOIN projects p ON p.id = j.project_id
      JOIN namespaces n ON n.id = p.namespace_id JOIN users u ON u.id = j.user_id
    WHERE j.id = ${id} AND p.deleted_at IS NULL`;
  return row ?? null;
}
