import { can, REPORTER } from '#src/access/abilities.ts';
import { type Actor, type Context, requireActor, requireApiScope } from '#src/access/actor.ts';
import { issueVisible, openTo, projectAccessLevel, projectListed } from '#src/access/visibility.ts';
import { all, Prisma, queryPage } from '#src/db.ts';
import type { Page, PageRequest } from '#src/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { type UserRow, userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

/** What somebody said of a commit (behaviour.md 7, Note). */
export interface NoteRow {
  id: number;
  /** In Markdown. */
  body: string;
  author: UserRow;
  /** ISO 8601; what was said of a commit stays as it is. */
  createdAt: string;
}

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
  /** What was said; null for anything else. */
  note: NoteRow | null;
  /** ISO 8601. */
  createdAt: string;
}

/** A part of a feed as it was when an event was its newest one: its pages stay the same while new events arrive. */
export interface EventPageRequest extends PageRequest {
  /** ID of that event; the feed as it is now without. */
  upTo?: number | null | undefined;
}

function until({ upTo }: EventPageRequest): Prisma.Sql {
  return upTo == null ? sql`TRUE` : sql`e.id <= ${upTo}`;
}

/**
 * What happened in a project, newest first, as far as the actor may see it; for anonymous callers too. An event is told to
 * those alone who may read what it is about: a kind that is not named here is told to nobody.
 */
export async function listProjectEvents(
  context: Context,
  project: ProjectRow,
  page: EventPageRequest,
): Promise<Page<EventRow>> {
  const { actor } = context;
  requireApiScope(actor);
  const kinds = [sql`e.target_type IS NULL`];
  if (actor && can(actor, 'read_issue', project)) {
    kinds.push(issueEvent(actor, can(actor, 'read_confidential_issue', project)));
  }
  if (can(actor, 'read_milestone', project)) kinds.push(IS_MILESTONE);
  const readsCommits = can(actor, 'read_commit', project);
  if (readsCommits) kinds.push(IS_NOTE);
  const pushes = readsCommits ? sql`TRUE` : NO_PUSHES;
  const conditions = [sql`e.project_id = ${project.id}`, sql`(${Prisma.join(kinds, ' OR ')})`, pushes, until(page)];
  return load(context, sql`events e WHERE ${all(conditions)}`, page);
}

/** What a user did, newest first, in the projects and on the issues that the actor may see. */
export async function listUserEvents(
  context: Context,
  userId: number,
  page: EventPageRequest,
): Promise<Page<EventRow>> {
  const actor = requireActor(context);
  const issues = sql`(p.issues_enabled AND ${issueEvent(actor, sql`${projectAccessLevel(actor)} >= 20`)})`;
  const target = sql`(e.target_type IS NULL OR ${issues} OR ${IS_MILESTONE} OR ${IS_NOTE})`;
  const source = sql`events e JOIN projects p ON p.id = e.project_id JOIN namespaces n ON n.id = p.namespace_id
    WHERE ${all([sql`e.author_id = ${userId}`, projectListed(actor), target, commitsVisible(actor), until(page)])}`;
  return load(context, source, page);
}

/** Pushes tell of commits. */
const NO_PUSHES = sql`e.data IS NULL`;

/** Whoever sees a project and is signed in reads its milestones. */
const IS_MILESTONE = sql`e.target_type = 'Milestone'`;

/** Notes are about commits. */
const IS_NOTE = sql`e.target_type = 'Note'`;

/** Whether the actor reads the commits of the project `p` in the namespace `n`, if the event is about some. */
function commitsVisible(actor: Actor): Prisma.Sql {
  const level = sql`${projectAccessLevel(actor)} >= ${REPORTER}`;
  return actor.admin
    ? sql`TRUE`
    : sql`((${NO_PUSHES} AND NOT COALESCE(${IS_NOTE}, FALSE)) OR ${openTo(actor, 'p')} OR ${level})`;
}

/**
 * Whether the event is about an issue that the actor sees. Of a deleted one nothing is told any more but that it was deleted,
 * and that to those who saw it.
 */
function issueEvent(actor: Actor, seesConfidential: Prisma.Sql | boolean): Prisma.Sql {
  return sql`(e.target_type = 'Issue' AND EXISTS (SELECT 1 FROM issues i WHERE i.id = e.target_id
    AND (i.deleted_at IS NULL OR e.action = 'destroyed') AND ${issueVisible(actor, seesConfidential)}))`;
}

/** The title that the target has now, which who sees it now may know; the recorded one is for what is gone. */
const TITLE = sql`COALESCE(CASE e.target_type WHEN 'Issue' THEN (SELECT i.title FROM issues i WHERE i.id = e.target_id)
  WHEN 'Milestone' THEN (SELECT m.title FROM milestones m WHERE m.id = e.target_id) END, e.target_title)`;

/** What was said in the event `e`; null where it said nothing. */
const NOTE = sql`(SELECT json_build_object('id', c.id, 'body', c.note, 'author', ${userJson('a')}, 'createdAt', c.created_at)
  FROM commit_comments c JOIN users a ON a.id = c.author_id WHERE e.target_type = 'Note' AND c.id = e.target_id)`;

/** One statement for the page with the authors and the total. */
async function load(
  { db }: Context,
  source: Prisma.Sql,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<EventRow>> {
  const nodes = sql`(SELECT COALESCE(json_agg(json_build_object('id', e.id, 'projectId', e.project_id, 'action', e.action,
      'targetId', e.target_id, 'targetType', e.target_type, 'targetTitle', ${TITLE}, 'author', ${userJson('u')},
      'data', e.data, 'note', ${NOTE}, 'createdAt', e.created_at) ORDER BY e.id DESC), '[]')
    FROM (SELECT e.* FROM ${source} ORDER BY e.id DESC LIMIT ${limit} OFFSET ${offset}) e JOIN users u ON u.id = e.author_id)`;
  return queryPage(db, offset, nodes, withTotal && sql`(SELECT count(*) FROM ${source})`);
}
