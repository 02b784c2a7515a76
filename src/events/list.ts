import { can, REPORTER } from '#src/access/abilities.ts';
import { type Actor, type Context, requireActor, requireApiScope } from '#src/access/actor.ts';
import { issueVisible, openTo, projectAccessLevel, projectListed } from '#src/access/visibility.ts';
import { all, Prisma, queryPage } from '#src/db.ts';
import type { Page, PageRequest } from '#src/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { type UserRow, userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

/** What somebody did (behaviour.md 7, Event). */
export interface EventRow {
  id: number;
  projectId: number;
  /** `opened`, `closed`, `created`, `joined` … */
  action: string;
  targetId: number | null;
  targetType: string | null;
  targetTitle: string | null;
  author: UserRow;
  /** What was pushed; null for anything else. */
  data: unknown;
  /** ISO 8601. */
  createdAt: string;
}

/** What happened in a project, newest first, as far as the actor may see it; for anonymous callers too. */
export async function listProjectEvents(
  context: Context,
  project: ProjectRow,
  page: PageRequest,
): Promise<Page<EventRow>> {
  const { actor } = context;
  requireApiScope(actor);
  const seesAll = can(actor, 'read_confidential_issue', project);
  const issues = project.issuesEnabled ? targetVisible(actor, seesAll) : NO_ISSUES;
  const pushes = can(actor, 'read_repository', project) ? sql`TRUE` : NO_PUSHES;
  return load(context, sql`events e WHERE ${all([sql`e.project_id = ${project.id}`, issues, pushes])}`, page);
}

/** What a user did, newest first, in the projects and on the issues that the actor may see. */
export async function listUserEvents(context: Context, userId: number, page: PageRequest): Promise<Page<EventRow>> {
  const actor = requireActor(context);
  const target = sql`(${NO_ISSUES} OR (p.issues_enabled AND ${targetVisible(actor, sql`${projectAccessLevel(actor)} >= 20`)}))`;
  const source = sql`events e JOIN projects p ON p.id = e.project_id JOIN namespaces n ON n.id = p.namespace_id
    WHERE ${all([sql`e.author_id = ${userId}`, projectListed(actor), target, pushVisible(actor)])}`;
  return load(context, source, page);
}

/** Pushes tell of commits. */
const NO_PUSHES = sql`e.data IS NULL`;

/** Whether the actor reads the repository of the project `p` in the namespace `n`, if the event is a push. */
function pushVisible(actor: Actor): Prisma.Sql {
  const level = sql`${projectAccessLevel(actor)} >= ${REPORTER}`;
  return actor.admin ? sql`TRUE` : sql`(${NO_PUSHES} OR ${openTo(actor, 'p')} OR ${level})`;
}

const NO_ISSUES = sql`e.target_type IS DISTINCT FROM 'Issue'`;

/** Of a deleted issue nothing is told any more but that it was deleted, and that to those who saw it. */
function targetVisible(actor: Actor | null, seesConfidential: Prisma.Sql | boolean): Prisma.Sql {
  const visible = actor ? issueVisible(actor, seesConfidential) : sql`NOT i.confidential`;
  return sql`(${NO_ISSUES} OR EXISTS (SELECT 1 FROM issues i WHERE i.id = e.target_id
    AND (i.deleted_at IS NULL OR e.action = 'destroyed') AND ${visible}))`;
}

/** The title that the target has now, which who sees it now may know; the recorded one is for what is gone. */
const TITLE = sql`COALESCE(CASE e.target_type WHEN 'Issue' THEN (SELECT i.title FROM issues i WHERE i.id = e.target_id)
  WHEN 'Milestone' THEN (SELECT m.title FROM milestones m WHERE m.id = e.target_id) END, e.target_title)`;

/** One statement for the page with the authors and the total. */
async function load(
  { db }: Context,
  source: Prisma.Sql,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<EventRow>> {
  const nodes = sql`(SELECT COALESCE(json_agg(json_build_object('id', e.id, 'projectId', e.project_id, 'action', e.action,
      'targetId', e.target_id, 'targetType', e.target_type, 'targetTitle', ${TITLE}, 'author', ${userJson('u')},
      'data', e.data, 'createdAt', e.created_at) ORDER BY e.id DESC), '[]')
    FROM (SELECT e.* FROM ${source} ORDER BY e.id DESC LIMIT ${limit} OFFSET ${offset}) e JOIN users u ON u.id = e.author_id)`;
  return queryPage(db, offset, nodes, withTotal && sql`(SELECT count(*) FROM ${source})`);
}
