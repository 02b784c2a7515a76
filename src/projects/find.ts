import { REPORTER, type Subject } from '#src/access/abilities.ts';
import { type Actor, type Context, requireApiScope } from '#src/access/actor.ts';
import { groupVisible, live, projectAccessLevel, projectVisible } from '#src/access/visibility.ts';
import type { ImportStatus } from '#src/generated/prisma/client.ts';
import type { Ref } from '#src/groups/find.ts';
import { Prisma, queryJson } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { projectFormerlyAt } from '#src/redirects/paths.ts';
import type { UserRow } from '#src/users/rows.ts';
import { userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

export interface NamespaceRow {
  id: number;
  name: string;
  path: string;
  kind: 'user' | 'group';
  fullPath: string;
}

export interface ProjectRow extends Subject {
  id: number;
  name: string;
  path: string;
  fullPath: string;
  fullName: string;
  description: string | null;
  defaultBranch: string | null;
  archived: boolean;
  issuesEnabled: boolean;
  mergeRequestsEnabled: boolean;
  wikiEnabled: boolean;
  jobsEnabled: boolean;
  snippetsEnabled: boolean;
  containerRegistryEnabled: boolean;
  sharedRunnersEnabled: boolean;
  lfsEnabled: boolean;
  publicJobs: boolean;
  requestAccessEnabled: boolean;
  onlyAllowMergeIfPipelineSucceeds: boolean;
  onlyAllowMergeIfAllDiscussionsAreResolved: boolean;
  /** ISO 8601. */
  createdAt: string;
  lastActivityAt: string;
  creatorId: number;
  namespace: NamespaceRow;
  /** The user whose personal namespace holds the project. */
  owner: UserRow | null;
  tagList: string[];
  /** Name of the storage of its repository. */
  repositoryStorage: string;
  /** How far the import of its repository is; null without one. */
  importStatus: ImportStatus | null;
  /** Why its import failed. */
  importError: string | null;
  /** The project of which this one is a fork, whether or not the actor may see it. */
  forkedFromId: number | null;
  starCount: number;
  forksCount: number;
  /** Those that the actor sees. */
  openIssuesCount: number;
  statistics: ProjectStatistics;
  /** Level of the actor's own membership of the project; null without. */
  projectMembership: number | null;
  /** The highest level of the actor's memberships of the group and the groups around it; null without. */
  groupMembership: number | null;
  /** Shares with groups that the actor sees. */
  sharedWithGroups: ProjectShareRow[];
}

/** How much there is of a project; sizes in bytes. */
export interface ProjectStatistics {
  commitCount: number;
  repositorySize: number;
  lfsObjectsSize: number;
  jobArtifactsSize: number;
}

/** Access that a project gives to the members of a group. */
export interface ProjectShareRow {
  id: number;
  projectId: number;
  groupId: number;
  groupName: string;
  /** The highest level that it gives. */
  groupAccessLevel: number;
  /** Gives nothing from this day on. */
  expiresAt: string | null;
}

/** The project, when the actor may see it. Throws NotFound, which tells where the project went that had that path before. */
export async function findProject(context: Context, ref: Ref): Promise<ProjectRow> {
  requireApiScope(context.actor);
  const [row] = await selectProjects(context, wanted(ref));
  if (row) return row;
  const former = typeof ref === 'string' ? await projectFormerlyAt(context.db, ref) : null;
  const [moved] = former === null ? [] : await selectProjects(context, wanted(former));
  throw new NotFound('Project', undefined, moved?.fullPath);
}

/** The projects with these IDs that the actor may see, in no order: for dataloaders. */
export async function findProjectsByIds(context: Context, ids: readonly number[]): Promise<ProjectRow[]> {
  requireApiScope(context.actor);
  return selectProjects(context, sql`p.id = ANY(${[...ids]})`);
}

async function selectProjects(context: Context, condition: Prisma.Sql): Promise<ProjectRow[]> {
  const { actor } = context;
  const json = sql`SELECT COALESCE(json_agg(row_to_json(t)), '[]') FROM (SELECT ${columns(actor)}
    FROM projects p ${RELATIONS} WHERE ${condition} AND ${projectVisible(actor)}) t`;
  return queryJson(context.db, json);
}

/**
 * A statement for a JSON array of ProjectRow: those whose IDs the statement `ids` gives, in its order, as the actor has
 * them. The caller has made sure that the actor may see them.
 */
export function projectRows(actor: Actor | null, ids: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(row_to_json(t)), '[]') FROM (SELECT ${columns(actor)}
    FROM unnest(ARRAY(${ids})) WITH ORDINALITY AS page (id, ord) JOIN projects p ON p.id = page.id ${RELATIONS}
    ORDER BY page.ord) t)`;
}

const RELATIONS = sql`JOIN namespaces n ON n.id = p.namespace_id JOIN project_counters c ON c.project_id = p.id
  LEFT JOIN users o ON o.id = n.owner_id`;

/** How many open issues the actor sees, as the lists of issues count them. */
function openIssues(actor: Actor | null): Prisma.Sql {
  if (!actor) return sql`c.opened - c.opened_confidential`;
  if (actor.admin) return sql`c.opened`;
  return sql`CASE WHEN c.opened_confidential = 0 OR ${projectAccessLevel(actor)} >= ${REPORTER} THEN c.opened
    ELSE c.opened - c.opened_confidential + (SELECT count(*)::int FROM issues i WHERE i.project_id = p.id AND i.confidential
      AND i.state = 'opened' AND i.deleted_at IS NULL AND (i.author_id = ${actor.id} OR i.assignee_id = ${actor.id})) END`;
}

/** The columns of a ProjectRow from alias `p` and its relations. */
function columns(actor: Actor | null): Prisma.Sql {
  return sql`p.id, p.name, p.path, n.full_path || '/' || p.path AS "fullPath", n.full_name || ' / ' || p.name AS "fullName",
    p.description, p.visibility, p.archived, p.default_branch AS "defaultBranch", p.issues_enabled AS "issuesEnabled",
    p.merge_requests_enabled AS "mergeRequestsEnabled", p.wiki_enabled AS "wikiEnabled", p.jobs_enabled AS "jobsEnabled",
    p.snippets_enabled AS "snippetsEnabled", p.container_registry_enabled AS "containerRegistryEnabled",
    p.shared_runners_enabled AS "sharedRunnersEnabled", p.lfs_enabled AS "lfsEnabled", p.public_jobs AS "publicJobs",
    p.request_access_enabled AS "requestAccessEnabled",
    p.only_allow_merge_if_pipeline_succeeds AS "onlyAllowMergeIfPipelineSucceeds",
    p.only_allow_merge_if_all_discussions_are_resolved AS "onlyAllowMergeIfAllDiscussionsAreResolved",
    p.created_at AS "createdAt", p.last_activity_at AS "lastActivityAt", p.creator_id AS "creatorId",
    json_build_object('id', n.id, 'name', n.name, 'path', n.path, 'kind', n.kind, 'fullPath', n.full_path) AS namespace,
    ${userJson('o')} AS owner, p.tag_list AS "tagList", p.repository_storage AS "repositoryStorage",
    p.import_status AS "importStatus", p.import_error AS "importError", p.forked_from_id AS "forkedFromId", c.stars AS "starCount",
    c.forks AS "forksCount", ${openIssues(actor)} AS "openIssuesCount",
    json_build_object('commitCount', c.commits, 'repositorySize', c.repository_size, 'lfsObjectsSize', c.lfs_objects_size,
      'jobArtifactsSize', c.job_artifacts_size) AS statistics,
    COALESCE((SELECT json_agg(json_build_object('id', s.id, 'projectId', s.project_id, 'groupId', g.id, 'groupName', g.name,
      'groupAccessLevel', s.group_access, 'expiresAt', s.expires_at) ORDER BY s.id) FROM project_shares s JOIN namespaces g ON g.id = s.group_id
      WHERE s.project_id = p.id AND ${live('s')} AND ${groupVisible(actor, 'g')}), '[]') AS "sharedWithGroups",
    (SELECT m.access_level FROM members m WHERE m.project_id = p.id AND m.user_id = ${actor?.id ?? 0} AND ${live('m')}) AS "projectMembership",
    (SELECT max(m.access_level) FROM members m WHERE m.namespace_id = ANY(n.lineage) AND m.user_id = ${actor?.id ?? 0}
      AND ${live('m')}) AS "groupMembership",
    ${projectAccessLevel(actor)} AS "accessLevel"`;
}

/** The condition on aliases `p` and `n` that names one project. */
function wanted(ref: Ref): Prisma.Sql {
  if (typeof ref === 'number') return sql`p.id = ${ref}`;
  const slash = ref.lastIndexOf('/');
  return sql`lower(n.full_path) = lower(${ref.slice(0, Math.max(slash, 0))}) AND n.deleted_at IS NULL AND lower(p.path) = lower(${ref.slice(slash + 1)})`;
}
