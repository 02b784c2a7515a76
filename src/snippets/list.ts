import { authorize } from '#src/access/abilities.ts';
import { type Actor, type Context, requireActor, requireApiScope } from '#src/access/actor.ts';
import { openTo } from '#src/access/visibility.ts';
import { type Db, Prisma, queryJson, queryPage } from '#src/platform/db.ts';
import { NotFound, Unauthenticated } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { findProject, type ProjectRow } from '#src/projects/find.ts';
import { type SnippetRow, snippetRows } from '#src/snippets/rows.ts';

const { sql } = Prisma;

/** The snippets of a project that the actor sees, newest first. Throws Unauthenticated, Forbidden. */
export async function listProjectSnippets(
  context: Context,
  project: ProjectRow,
  page: PageRequest,
): Promise<Page<SnippetRow>> {
  const actor = requireActor(context);
  authorize(actor, 'read_project_snippet', project);
  return list(context.db, sql`s.project_id = ${project.id} AND ${visibleIn(actor, project)}`, page);
}

/** The actor's own personal snippets, newest first. */
export async function listOwnSnippets(context: Context, page: PageRequest): Promise<Page<SnippetRow>> {
  const actor = requireActor(context);
  return list(context.db, sql`s.author_id = ${actor.id} AND s.project_id IS NULL`, page);
}

/** The personal snippets that are public, newest first. */
export async function listPublicSnippets(context: Context, page: PageRequest): Promise<Page<SnippetRow>> {
  requireActor(context);
  return list(context.db, sql`s.project_id IS NULL AND s.visibility = 'public'`, page);
}

/** A snippet of a project. Anonymous callers see public ones of public projects. Throws Unauthenticated, Forbidden, NotFound. */
export async function findProjectSnippet(context: Context, project: ProjectRow, id: number): Promise<SnippetRow> {
  const { actor, db } = context;
  requireApiScope(actor);
  if (actor) authorize(actor, 'read_project_snippet', project);
  else if (project.visibility !== 'public' || !project.snippetsEnabled) throw new Unauthenticated();
  const snippet = await one(db, sql`s.id = ${id} AND s.project_id = ${project.id} AND ${visibleIn(actor, project)}`);
  if (snippet) return snippet;
  throw actor ? new NotFound('Snippet') : new Unauthenticated();
}

/** A personal snippet that the actor sees. Throws Unauthenticated, NotFound. */
export async function findPersonalSnippet(context: Context, id: number): Promise<SnippetRow> {
  const { actor, db } = context;
  requireApiScope(actor);
  const snippet = await one(db, sql`s.id = ${id} AND s.project_id IS NULL AND ${visible(actor)}`);
  if (snippet) return snippet;
  throw actor ? new NotFound('Snippet') : new Unauthenticated();
}

/** Any snippet that the actor sees, be it of a project or personal. Throws as the others. */
export async function findSnippet(context: Context, id: number): Promise<SnippetRow> {
  const { projectId } = (await context.db.snippet.findUnique({ where: { id }, select: { projectId: true } })) ?? {};
  if (projectId == null) return findPersonalSnippet(context, id);
  return findProjectSnippet(context, await findProject(context, projectId), id);
}

/** The texts of snippets that the actor was found to see, in the order of their IDs. */
export async function snippetContents({ db }: Context, ids: readonly number[]): Promise<string[]> {
  const rows = await db.snippet.findMany({ where: { id: { in: [...ids] } }, select: { id: true, content: true } });
  const contents = new Map(rows.map(({ id, content }) => [id, content]));
  return ids.map((id) => contents.get(id) ?? '');
}

/** Whom visibility alone lets see the snippet `s`: private ones are their author's, public ones everybody's. */
function visible(actor: Actor | null): Prisma.Sql {
  if (!actor) return sql`s.visibility = 'public'`;
  return actor.admin ? sql`TRUE` : sql`(s.author_id = ${actor.id} OR ${openTo(actor, alias('Snippet', 's'))})`;
}

/** As visible, in a project: external users who are members count as any other there. */
function visibleIn(actor: Actor | null, { accessLevel }: ProjectRow): Prisma.Sql {
  return actor && accessLevel > 0 ? visible({ ...actor, external: false }) : visible(actor);
}

async function list(
  db: Db,
  condition: Prisma.Sql,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<SnippetRow>> {
  const ids = sql`SELECT s.id FROM snippets s WHERE ${condition} ORDER BY s.id DESC LIMIT ${limit} OFFSET ${offset}`;
  const total = withTotal && sql`(SELECT count(*) FROM snippets s WHERE ${condition})`;
  return queryPage(db, offset, snippetRows(ids), total);
}

async function one(db: Db, condition: Prisma.Sql): Promise<SnippetRow | undefined> {
  const [snippet] = await queryJson<SnippetRow[]>(db, snippetRows(sql`SELECT s.id FROM snippets s WHERE ${condition}`));
  return snippet;
}
