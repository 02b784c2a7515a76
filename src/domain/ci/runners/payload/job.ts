import { ofProtectedRef } from '#src/domain/ci/runners/protected_ref.ts';
import type { Db } from '#src/platform/database/db.ts';

/** What the payload of a job is made from. */
export interface PayloadJob {
  id: number;
  name: string;
  stage: string;
  when: string;
  environment: string | null;
  environmentUrl: string | null;
  environmentAction: string | null;
  /** Of the environment, if there is one yet. */
  environmentId: number | null;
  environmentTier: string | null;
  /** Under the names of the file; values of earlier versions are not validated. */
  options: Record<string, unknown>;
  /** Seconds. */
  timeout: number;
  stageIndex: number;
  startedAt: Date | null;
  pipelineId: number;
  pipelineIid: number;
  pipelineName: string | null;
  pipelineCreatedAt: Date;
  ref: string;
  tag: boolean;
  sha: string;
  beforeSha: string | null;
  source: string;
  isTriggered: boolean;
  /** The token of the trigger that started its pipeline. */
  triggerTokenEncrypted: Uint8Array | null;
  /** The merge request that its pipeline is of. */
  mergeRequestId: number | null;
  variablesEncrypted: Uint8Array | null;
  /** What was known of the commit and the project when the pipeline was made; null in pipelines of earlier versions. */
  predefined: unknown;
  /** How many commits runners fetch, as the project says; null for all. */
  gitDepth: number | null;
  /** Whether its project has a container registry. */
  hasRegistry: boolean;
  /** Whether its branch or tag is protected. */
  isProtected: boolean;
  /** Whether jobs of protected branches and tags have caches of their own. */
  hasSeparatedCaches: boolean;
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
  username: string;
  userName: string;
  /** What the release of the tag says, cut after `MAX_DESCRIPTION_LENGTH` characters; null without one. */
  releaseDescription: string | null;
  /** The jobs of other pipelines whose artifacts it gets. */
  crossJobs?: number[];
}

/** Characters of the longest description of a release in a variable. */
const MAX_DESCRIPTION_LENGTH = 1_024;

/** A job with its pipeline, its project and its user; null if it is gone. */
export async function payloadJob(db: Db, id: number): Promise<PayloadJob | null> {
  const [row] = await db.$queryRaw<PayloadJob[]>`
    SELECT j.id, j.name, j.stage, j."when", j.environment, j.environment_url AS "environmentUrl",
      j.environment_action AS "environmentAction", e.id AS "environmentId",
      COALESCE(e.tier, j.options->'environment'->>'tier') AS "environmentTier", COALESCE(j.options, '{}') AS options,
      COALESCE(j.timeout, p.build_timeout) AS timeout, j.stage_index AS "stageIndex", j.started_at AS "startedAt",
      l.id AS "pipelineId", l.iid AS "pipelineIid", l.name AS "pipelineName", l.created_at AS "pipelineCreatedAt",
      l.ref, l.tag, l.sha, l.before_sha AS "beforeSha", l.merge_request_id AS "mergeRequestId",
      CASE WHEN l.merge_request_id IS NOT NULL AND l.source = 'api' THEN 'merge_request_event' ELSE l.source::text END AS source, l.source = 'trigger' AS "isTriggered", t.token_encrypted AS "triggerTokenEncrypted",
      l.variables_encrypted AS "variablesEncrypted", l.predefined, p.ci_default_git_depth AS "gitDepth", p.container_registry_enabled AS "hasRegistry",
      ${ofProtectedRef} AS "isProtected", p.ci_separated_caches AS "hasSeparatedCaches", COALESCE(extract(epoch FROM j.started_at - j.queued_at), 0)::float8 AS waited,
      n.id AS "namespaceId", n.lineage[1] AS "rootNamespaceId", p.id AS "projectId", p.name AS "projectName",
      n.full_path || '/' || p.path AS "fullPath", u.id AS "userId", l.user_id AS "starterId", u.email AS "userEmail",
      u.username, u.name AS "userName",
      (SELECT left(r.description, ${MAX_DESCRIPTION_LENGTH}) FROM releases r WHERE l.tag AND r.project_id = l.project_id AND r.tag = l.ref) AS "releaseDescription"
    FROM jobs j JOIN pipelines l ON l.id = j.pipeline_id JOIN projects p ON p.id = j.project_id
      JOIN namespaces n ON n.id = p.namespace_id JOIN users u ON u.id = j.user_id
      LEFT JOIN triggers t ON t.id = l.trigger_id
      LEFT JOIN environments e ON e.project_id = j.project_id AND e.name = j.environment
    WHERE j.id = ${id} AND p.deleted_at IS NULL`;
  return row ?? null;
}
