import type { Context } from '#src/access/permissions/actor.ts';
import type { HookPlace } from '#src/domain/webhooks/list.ts';
import type { EventKind } from '#src/domain/webhooks/payload/kinds.ts';
import { featureFlagFacts } from '#src/domain/webhooks/record_feature_flag.ts';
import { noteFacts } from '#src/domain/webhooks/record_note.ts';
import { releaseFacts } from '#src/domain/webhooks/record_release.ts';
import { issueFacts, mergeRequestFacts, type SubjectEvent } from '#src/domain/webhooks/subject_facts.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';

const { sql } = Prisma;

/** What a test can be about; system hooks have a single test, whatever is requested. */
export const TEST_TRIGGERS = [
  'push_events',
  'tag_push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'note_events',
  'job_events',
  'pipeline_events',
  'wiki_page_events',
  'releases_events',
  'deployment_events',
  'feature_flag_events',
] as const;

export type TestTrigger = (typeof TEST_TRIGGERS)[number];

/** An event as the database would have recorded it. */
export interface Sample {
  kind: EventKind;
  projectId: number | null;
  facts: unknown;
}

/** An event about the latest record of its kind within the hook's scope. Throws BadRequest if there is none. */
export async function sampleEvent(
  context: Context,
  hook: HookPlace & { isOfIntegration?: boolean },
  trigger: TestTrigger,
): Promise<Sample> {
  const { projectId, namespaceId } = hook;
  const isOfServer = projectId === null && namespaceId === null;
  if (isOfServer && !hook.isOfIntegration) return { kind: 'project_create', projectId: null, facts: EXAMPLE };
  const within = isOfServer
    ? sql`(SELECT p.id FROM projects p WHERE p.deleted_at IS NULL)`
    : projectId !== null
      ? sql`(SELECT ${projectId}::int AS id)`
      : sql`(SELECT p.id FROM projects p JOIN namespaces n ON n.id = p.namespace_id
          WHERE n.lineage @> ARRAY[${namespaceId}]::int[] AND p.deleted_at IS NULL)`;
  const found = await context.db.$queryRaw<{ kind: EventKind; projectId: number; facts: string }[]>`
    SELECT kind, project_id AS "projectId", facts::text AS facts FROM (${latest(trigger, within, context.actor?.id ?? 0)}) event`;
  const [event] = found;
  if (!event)
    throw new BadRequest(
      'There is nothing in the project that such an event could be about',
      undefined,
      'hookWithoutExample',
    ).asWrongState();
  return { ...event, facts: JSON.parse(event.facts) };
}

/** The system hook event of a new project, with example data (endpoints-beyond.md, Hooks). */
const EXAMPLE = {
  project: {
    id: 1,
    name: 'Ruby',
    path: 'ruby',
    fullPath: 'group/ruby',
    ownerName: 'Someone',
    ownerEmail: 'someone@example.com',
    visibility: 'private',
    createdAt: '2016-01-01T00:00:00.000Z',
    updatedAt: '2016-01-01T00:00:00.000Z',
  },
};

/** A statement for kind, project and facts of an event about the latest record in those projects. */
function latest(trigger: TestTrigger, within: Prisma.Sql, actorId: number): Prisma.Sql {
  const event: SubjectEvent = {
    action: 'update',
    actorId,
    changes: {},
    labels: { added: [], removed: [] },
    assigneesBefore: null,
    reviewersBefore: null,
    timeChange: 0,
    hasCommits: false,
  };
  switch (trigger) {
    case 'push_events':
      return latestPush('push', within);
    case 'tag_push_events':
      return latestPush('tag_push', within);
    case 'issues_events':
      return latestIssue('issue', within, issueFacts(event));
    case 'confidential_issues_events':
      return latestIssue('confidential_issue', within, issueFacts(event));
    case 'merge_requests_events':
      return sql`SELECT 'merge_request' AS kind, m.target_project_id AS project_id, ${mergeRequestFacts(event)} AS facts
        FROM merge_requests m WHERE m.target_project_id IN ${within} ORDER BY m.id DESC LIMIT 1`;
    case 'note_events':
      return sql`SELECT 'note' AS kind, r.project_id, ${noteFacts('Issue', 'create')} AS facts FROM notes n
        JOIN issues r ON n.subject_type = 'Issue' AND r.id = n.subject_id AND r.deleted_at IS NULL
        WHERE NOT n.system AND n.source_type IS NULL AND NOT r.confidential AND r.project_id IN ${within} ORDER BY n.id DESC LIMIT 1`;
    case 'job_events':
      return sql`SELECT 'job' AS kind, j.project_id, jsonb_build_object('job', hook_job(j), 'pipeline', hook_pipeline(p),
          'project', hook_project(j.project_id)) AS facts
        FROM jobs j JOIN pipelines p ON p.id = j.pipeline_id WHERE NOT j.generic AND j.project_id IN ${within} ORDER BY j.id DESC LIMIT 1`;
    case 'pipeline_events':
      return sql`SELECT 'pipeline' AS kind, p.project_id, jsonb_build_object('pipeline', hook_pipeline(p),
          'project', hook_project(p.project_id), 'jobs', (SELECT COALESCE(jsonb_agg(hook_job(j) ORDER BY j.stage_index, j.id), '[]')
            FROM jobs j WHERE j.pipeline_id = p.id AND NOT j.retried AND NOT j.generic)) AS facts
        FROM pipelines p WHERE p.project_id IN ${within} ORDER BY p.id DESC LIMIT 1`;
    case 'wiki_page_events':
      return sql`SELECT '' AS kind, 0 AS project_id, '{}'::jsonb AS facts WHERE false`;
    case 'deployment_events':
      return sql`SELECT 'deployment' AS kind, d.project_id, jsonb_build_object('deployment', to_jsonb(d), 'environment', to_jsonb(e),
          'project', hook_project(d.project_id), 'user', hook_user(d.user_id)) AS facts
        FROM deployments d JOIN environments e ON e.id = d.environment_id WHERE d.project_id IN ${within} ORDER BY d.id DESC LIMIT 1`;
    case 'releases_events':
      return sql`SELECT 'release' AS kind, r.project_id, ${releaseFacts('create')} AS facts FROM releases r
        WHERE r.project_id IN ${within} ORDER BY r.id DESC LIMIT 1`;
    case 'feature_flag_events':
      return sql`SELECT 'feature_flag' AS kind, f.project_id, ${featureFlagFacts(actorId)} AS facts FROM feature_flags f
        WHERE f.project_id IN ${within} ORDER BY f.id DESC LIMIT 1`;
  }
}

function latestPush(kind: 'push' | 'tag_push', within: Prisma.Sql): Prisma.Sql {
  return sql`SELECT ${kind} AS kind, e.project_id, jsonb_build_object('push', e.data, 'project', hook_project(e.project_id),
      'user', hook_user(e.author_id)) AS facts
    FROM events e WHERE e.project_id IN ${within} AND e.data ->> 'object_kind' = ${kind} ORDER BY e.id DESC LIMIT 1`;
}

function latestIssue(kind: 'issue' | 'confidential_issue', within: Prisma.Sql, facts: Prisma.Sql): Prisma.Sql {
  return sql`SELECT ${kind} AS kind, i.project_id, ${facts} AS facts FROM issues i
    WHERE i.project_id IN ${within} AND i.deleted_at IS NULL AND i.confidential = ${kind === 'confidential_issue'}
    ORDER BY i.id DESC LIMIT 1`;
}
