import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf, requireActor } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { accessibleProjects } from '#src/access/permissions/visibility.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { newestFirst, personal, snippet, visible } from '#src/domain/snippets/visible.ts';
import { containing, hasTrigrams, holds, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readPage } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/**
 * The snippets of each project that the actor can see, newest first, in one statement; Forbidden in place of those that the actor
 * may not read. Throws Unauthenticated.
 */
export async function listProjectSnippets<R>(
  context: Context,
  projects: readonly ProjectRow[],
  page: PageRequest,
  selection: Selection<'Snippet', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const pageOf = ({ project, isMember }: Asked<{ project: number; isMember: boolean }>) => {
    const where = sql`${snippet.projectId} = ${project} AND ${visible(actor, isMember)}`;
    return pageOfRows(selection, { rows: snippet, where, order: newestFirst }, page);
  };
  return forPermittedParents(
    projects,
    (project) => authorize(actor, 'read_project_snippet', project),
    (permitted) => {
      const parents = permitted.map(({ id, accessLevel }) => ({ project: id, isMember: accessLevel > 0 }));
      return readPages<R>(context.db, page, perParent(parents, { project: 'int', isMember: 'boolean' }, pageOf));
    },
  );
}

/** The actor's own personal snippets, newest first. */
export async function listOwnSnippets<R>(
  context: Context,
  page: PageRequest,
  selection: Selection<'Snippet', R>,
): Promise<Page<R>> {
  const where = sql`${snippet.authorId} = ${requireActor(context).id} AND ${personal}`;
  return readPage(context.db, selection, { rows: snippet, where, order: newestFirst }, page);
}

/** All public personal snippets, newest first. */
export async function listPublicSnippets<R>(
  context: Context,
  page: PageRequest,
  selection: Selection<'Snippet', R>,
): Promise<Page<R>> {
  readerOf(context);
  const where = sql`${personal} AND ${snippet.visibility} = 'public' AND ${visible(context.actor)}`;
  return readPage(context.db, selection, { rows: snippet, where, order: newestFirst }, page);
}

/** How many snippets with a title are looked at: the newest. */
const MAX_HITS = 5_000;

/** The snippets with a text in their titles that the actor can see, of all projects and users, newest first. */
export async function searchSnippets<R>(
  context: Context,
  { text, nonArchived = false }: { text: string; nonArchived?: boolean },
  page: PageRequest,
  selection: Selection<'Snippet', R>,
): Promise<Page<R>> {
  const actor = readerOf(context);
  const pattern = containing(text);
  const held = hasTrigrams(text) ? sql`f.title ILIKE ${pattern}` : holds(sql`f.title`, pattern);
  const hits = sql`ARRAY(SELECT f.id FROM snippets f WHERE ${held} ORDER BY f.id DESC LIMIT ${MAX_HITS})`;
  const places = seenPlaces(actor, nonArchived ? sql`NOT p.archived` : sql`TRUE`, 'snippets');
  const isMember = actor !== null && sql`${snippet.projectId} IN (${accessibleProjects(actor)})`;
  const where = sql`${snippet.id} = ANY(${hits}) AND (${personal} OR ${within(snippet.projectId)}) AND ${visible(actor, isMember)}`;
  const list = () => pageOfRows(selection, { rows: snippet, where, order: newestFirst }, page);
  const [found] = await readPages<R>(context.db, page, perParent([{}], {}, list, [places]));
  return found ?? { nodes: [], offset: page.offset, total: 0 };
}
