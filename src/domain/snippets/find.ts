import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf, requireApiScope } from '#src/access/permissions/actor.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { NotFound, Unauthenticated } from '#src/platform/errors.ts';
import { readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/snippets/computed_fields.ts';
import { personal, snippet, visible } from '#src/domain/snippets/visible.ts';

const { sql } = Prisma;

/** Identifies a changed snippet of a project, or a personal one, for reading it back. */
export interface ChangedSnippet {
  project: ProjectRow | null;
  id: number;
}

/** A project snippet; anonymous callers see public ones of public projects. Throws Unauthenticated, Forbidden, NotFound. */
export async function findProjectSnippet<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'Snippet', R>,
): Promise<R> {
  const actor = readerOf(context);
  authorize(actor, 'read_project_snippet', project);
  const seen = sql`${snippet.projectId} = ${project.id} AND ${visible(actor, project.accessLevel > 0)}`;
  return one(context, seen, id, selection);
}

/** A personal snippet that the actor can see. Throws Unauthenticated, NotFound. */
export async function findPersonalSnippet<R>(
  context: Context,
  id: number,
  selection: Selection<'Snippet', R>,
): Promise<R> {
  requireApiScope(context.actor);
  return one(context, sql`${personal} AND ${visible(context.actor)}`, id, selection);
}

/** Any snippet that the actor can see, of a project or personal. Throws as the others. */
export async function findSnippet<R>(context: Context, id: number, selection: Selection<'Snippet', R>): Promise<R> {
  const { projectId } = (await context.db.snippet.findUnique({ where: { id }, select: { projectId: true } })) ?? {};
  const project = projectId == null ? null : await findProject(context, projectId);
  return changedSnippet(context, { project, id }, selection);
}

/**
 * The snippets with these IDs that the actor can see, in no particular order, in one statement; also for anonymous callers.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findSnippetsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Snippet', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  const { db, actor } = context;
  requireApiScope(actor);
  const where = sql`${snippet.id} = ANY(${[...ids]}::int[])`;
  const found = await readRows(db, selection.with(SEEN), { rows: snippet, where, params: { actor } });
  const projects = await Promise.all(found.map(({ projectId }) => (projectId === null ? null : projectOf(projectId))));
  return found.filter(({ projectId, isOpen, isOpenToMember }, index) => {
    if (projectId === null) return isOpen;
    const project = projects[index];
    if (!project || !can(actor, 'read_project_snippet', project)) return false;
    return project.accessLevel > 0 ? isOpenToMember : isOpen;
  });
}

const SEEN = select('Snippet', { id: true, projectId: true, isOpen: true, isOpenToMember: true });

/** Like the others, for a snippet known to be of a project, or personal. Throws as the others. */
export function changedSnippet<R>(
  context: Context,
  { project, id }: ChangedSnippet,
  selection: Selection<'Snippet', R>,
): Promise<R> {
  return project ? findProjectSnippet(context, project, id, selection) : findPersonalSnippet(context, id, selection);
}

async function one<R>(
  { db, actor }: Context,
  seen: Prisma.Sql,
  id: number,
  selection: Selection<'Snippet', R>,
): Promise<R> {
  const found = await readRow(db, selection, { rows: snippet, where: sql`${snippet.id} = ${id} AND ${seen}` });
  if (found) return found;
  throw actor ? new NotFound('Snippet') : new Unauthenticated();
}
