import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { accessibleProjects, issueVisible } from '#src/access/permissions/visibility.ts';
import { commentsAsNotes } from '#src/domain/changes/comments_as_notes.ts';
import { SEARCH_TIMEOUT_MS } from '#src/domain/repository/search.ts';
import type { SearchedPlaces } from '#src/domain/repository/search_across.ts';
import { snippet, visible } from '#src/domain/snippets/visible.ts';
import { NOTE_COLUMNS } from '#src/domain/tracking/notes/search.ts';
import { isSourceVisible } from '#src/domain/tracking/subjects/seen_sources.ts';
import { all, containing, hasTrigrams, holds, Prisma, readPages } from '#src/platform/database/db.ts';
import { withinTime } from '#src/platform/database/within_time.ts';
import { BadRequest } from '#src/platform/errors.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/tracking/notes/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [note, issue, mergeRequest] = [alias('Note', 'nt'), alias('Issue', 'i'), alias('MergeRequest', 'mr')];

/** How many notes with the text are looked at, of the whole server: the newest; and how many at all for texts that no index finds. */
const MAX_HITS = 5_000;
const MAX_READ = 100_000;

/**
 * The notes with a text on what the actor can see in projects of the server, or of a group: on issues, merge requests, snippets and
 * commits. System notes are not among them. Throws BadRequest where the database takes too long.
 */
export async function searchNotesAcross<R>(
  context: Context,
  { group, includeArchived }: SearchedPlaces,
  text: string,
  direction: Direction,
  page: PageRequest,
  selection: Selection<'Note', R>,
): Promise<Page<R>> {
  const actor = readerOf(context);
  const places = all([
    ...(group ? [sql`n.lineage @> ARRAY[${group.id}]::int[]`] : []),
    ...(includeArchived ? [] : [sql`NOT p.archived`]),
  ]);
  const isMember = actor !== null && sql`${snippet.projectId} IN (${accessibleProjects(actor)})`;
  const isSeen = sql`(CASE ${note.subjectType}
    WHEN 'Issue' THEN EXISTS (SELECT 1 FROM ${table(issue)} WHERE ${issue.id} = ${note.subjectId} AND ${issue.deletedAt} IS NULL
      AND ${within(issue.projectId, 'issues')} AND ${issueVisible(issue, actor, within(issue.projectId, 'confidential'))})
    WHEN 'MergeRequest' THEN EXISTS (SELECT 1 FROM ${table(mergeRequest)} WHERE ${mergeRequest.id} = ${note.subjectId}
      AND ${within(mergeRequest.targetProjectId, 'merge_requests')})
    WHEN 'Snippet' THEN EXISTS (SELECT 1 FROM ${table(snippet)} JOIN snippet_places sp ON sp.id = ${snippet.projectId}
      WHERE ${snippet.id} = ${note.subjectId} AND ${visible(actor, isMember)})
    ELSE FALSE END AND ${isSourceVisible(note, actor)})`;
  const hits = sql`found AS MATERIALIZED (
    SELECT ${NOTE_COLUMNS} FROM ${table(note)} WHERE ${note.id} = ANY(ARRAY(${newest('notes', sql`NOT f.system`, 'body', text)})) AND ${isSeen}
    UNION ALL ${commentsAsNotes(sql`c.id = ANY(ARRAY(${newest('commit_comments', sql`TRUE`, 'note', text)})) AND ${within(sql`c.project_id`, 'commits')}`)})`;
  const snippets = sql`snippet_places AS MATERIALIZED (WITH ${seenPlaces(actor, places, 'snippets')} SELECT v.id FROM places v)`;
  // Notes and comments on commits have numbers of their own.
  const by = order('Note', ['createdAt', 'id', 'subjectType'], direction);
  const list = { rows: note, from: sql`found nt`, where: sql`TRUE`, order: by };
  const subqueries = [seenPlaces(actor, places), snippets, hits];
  const pages = perParent([{}], {}, () => pageOfRows(selection, list, page), subqueries);
  const found = await withinTime(context.db, SEARCH_TIMEOUT_MS, (tx) => readPages<R>(tx, page, pages));
  if (found === null)
    throw new BadRequest('search takes too long: look for a longer text, or in one project', 'search');
  const [read] = found;
  return read ?? { nodes: [], offset: page.offset, total: 0 };
}

/** The IDs of the newest rows with a text. */
function newest(
  name: 'notes' | 'commit_comments',
  where: Prisma.Sql,
  column: 'body' | 'note',
  text: string,
): Prisma.Sql {
  const [rows, held, pattern] = [Prisma.raw(name), Prisma.raw(`f.${column}`), containing(text)];
  return hasTrigrams(text)
    ? sql`SELECT f.id FROM ${rows} f WHERE ${where} AND ${held} ILIKE ${pattern} ORDER BY f.id DESC LIMIT ${MAX_HITS}`
    : sql`SELECT f.id FROM (SELECT * FROM ${rows} f WHERE ${where} ORDER BY f.id DESC LIMIT ${MAX_READ}) f
        WHERE ${holds(held, pattern)} LIMIT ${MAX_HITS}`;
}
