import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import '#src/domain/tracking/issues/computed_fields.ts';
import type { Subject } from '#src/domain/changes/change.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { type ChangedRecord, ofSeenProjects, type ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { Prisma, queryJson } from '#src/platform/database/db.ts';
import { NotFound, nullIfNotFound } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { readRows } from '#src/platform/records/read.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const issue = alias('Issue', 'i');

/** The columns that decide who can see an issue. */
const SEEN = select('Issue', { confidential: true, authorId: true, assigneeIds: true });

const LOCATED = select('Issue', { id: true, projectId: true }).with(SEEN);

/** The columns of an issue that commands use. */
const CHANGEABLE = select('Issue', { id: true, iid: true, title: true, movedToId: true }).with(SEEN);

export type ChangeableIssue = typeof CHANGEABLE.row;

const SUBJECT = select('Issue', { id: true, iid: true, title: true, projectId: true });

/** An issue as changes are recorded of it. */
export type IssueSubject = Subject & { project: ProjectRow };

/** An issue with its project. */
export interface LocatedIssue {
  issue: ChangeableIssue;
  project: ProjectRow;
}

/** The issue with that internal ID, if the actor may see it. Throws NotFound. */
export async function findIssue<R>(
  context: Context,
  project: ProjectRow,
  iid: number,
  selection: Selection<'Issue', R>,
): Promise<R> {
  const found = await findIssueUnseen(context, project, iid, selection.with(SEEN));
  if (!maySee(readerOf(context), project, found)) throw new NotFound('Issue');
  return found;
}

/** Like findIssue, by the ID over all projects. Throws NotFound. */
export async function findIssueById<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'Issue', R>,
): Promise<R> {
  const actor = readerOf(context);
  if (!can(actor, 'read_issue', project)) throw new NotFound('Issue');
  const found = await one(context, project, sql`${issue.id} = ${id}`, selection.with(SEEN));
  if (!maySee(actor, project, found)) throw new NotFound('Issue');
  return found;
}

/** The issues with these IDs that the actor may see, by ID; with an ability, those of projects alone in which the actor has it. */
export async function findIssueSubjects(
  context: Context,
  ids: readonly number[],
  ability: 'read_issue' | 'admin_issue' = 'read_issue',
): Promise<Map<number, IssueSubject>> {
  if (ids.length === 0) return new Map();
  const projects = new Map<number, Promise<ProjectRow | null>>();
  const projectOf = (id: number) => {
    const found = projects.get(id) ?? findProject(context, id).catch(nullIfNotFound);
    projects.set(id, found);
    return found;
  };
  const subjects = new Map<number, IssueSubject>();
  for (const { id, iid, title, projectId } of await findIssuesByIds(context, ids, SUBJECT, projectOf)) {
    const project = await projectOf(projectId);
    if (project && can(context.actor, ability, project)) subjects.set(id, { type: 'Issue', id, iid, title, project });
  }
  return subjects;
}

/**
 * The issues with these IDs that the actor may see, in no particular order, in one statement.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findIssuesByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Issue', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  const actor = readerOf(context);
  const where = sql`${issue.id} = ANY(${[...ids]}::int[]) AND ${issue.deletedAt} IS NULL`;
  const found = await readRows(context.db, selection.with(LOCATED), { rows: issue, where, params: { actor } });
  const mayRead = (project: ProjectRow, one: typeof LOCATED.row) =>
    can(actor, 'read_issue', project) && maySee(actor, project, one);
  return ofSeenProjects(found, projectOf, mayRead);
}

/** Like findIssue, but also finds confidential ones that are invisible: for commands that check an ability (behaviour.md 6). */
async function findIssueUnseen<R>(
  context: Context,
  project: ProjectRow,
  iid: number,
  selection: Selection<'Issue', R>,
): Promise<R> {
  const actor = readerOf(context);
  if (!can(actor, 'read_issue', project)) throw new NotFound('Issue');
  return one(context, project, sql`${issue.iid} = ${iid}`, selection);
}

/** The issue after a command has changed it and checked that the actor can see it. Throws NotFound if it was deleted since. */
export async function changedIssue<R>(
  context: Context,
  { project, id }: ChangedRecord,
  selection: Selection<'Issue', R>,
): Promise<R> {
  return one(context, project, sql`${issue.id} = ${id}`, selection);
}

/** Project and issue of a reference. Throws NotFound for either. */
export async function locateIssue(context: Context, ref: IdOrPath, iid: number): Promise<LocatedIssue> {
  readerOf(context);
  const project = await findProject(context, ref);
  return { project, issue: await findIssueUnseen(context, project, iid, CHANGEABLE) };
}

/** Whether the actor, who can see the project, can see this issue. */
export function maySee(
  actor: Actor | null,
  project: ProjectRow,
  { confidential, authorId, assigneeIds }: typeof SEEN.row,
): boolean {
  if (!confidential || can(actor, 'read_confidential_issue', project)) return true;
  return actor !== null && (authorId === actor.id || assigneeIds.includes(actor.id));
}

async function one<R>(
  { db, actor }: Context,
  project: ProjectRow,
  isIt: Prisma.Sql,
  selection: Selection<'Issue', R>,
): Promise<R> {
  const from = sql`SELECT i.* FROM ${table(issue)}
    WHERE ${issue.projectId} = ${project.id} AND ${isIt} AND ${issue.deletedAt} IS NULL`;
  const params = { actor, projectPath: project.fullPath };
  const [found] = await queryJson<R[]>(db, rowsJson(selection, { from, order: ({ id }) => id, params }));
  if (!found) throw new NotFound('Issue');
  return found;
}
