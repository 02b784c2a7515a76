import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces } from '#src/access/permissions/places.ts';
import { issueVisible } from '#src/access/permissions/visibility.ts';
import { commentsAsNotes } from '#src/domain/changes/comments_as_notes.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { snippet, visible } from '#src/domain/snippets/visible.ts';
import { EACH_HIT, FEW_HITS, hitsOf } from '#src/domain/tracking/subjects/hits.ts';
import { isSourceVisible } from '#src/domain/tracking/subjects/seen_sources.ts';
import { containing, hasTrigrams, holds, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/tracking/notes/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql, join } = Prisma;
const [note, issue, mergeRequest] = [alias('Note', 'nt'), alias('Issue', 'i'), alias('MergeRequest', 'mr')];

/** The columns that comments on commits have, too, in their order. */
export const NOTE_COLUMNS = sql`nt.id, nt.subject_type, nt.subject_id, nt.author_id, nt.body, nt.system, nt.source_type, nt.source_id,
  nt.source_project_id, nt.mention, nt.discussion_id, nt.starts_thread, nt.created_at, nt.updated_at,
  nt.last_edited_at, nt.external_author`;

/**
 * The notes with a text on what the actor can see of a project: on issues, merge requests, snippets and commits. System notes are
 * not among them.
 */
export async function searchNotes<R>(
  context: Context,
  project: ProjectRow,
  text: string,
  direction: Direction,
  page: PageRequest,
  selection: Selection<'Note', R>,
): Promise<Page<R>> {
  const actor = readerOf(context);
  const pattern = containing(text);
  const subjects = subjectsIn(project, actor);
  const isSeen = sql`NOT ${note.system} AND ${isSourceVisible(note, actor)}`;
  const ofSubjects = join(
    [
      sql`FALSE`,
      ...subjects.map(({ type, of }) => sql`(${note.subjectType} = ${type} AND ${note.subjectId} IN (${of}))`),
    ],
    ' OR ',
  );
  // Each hit is looked up by its key. For a very common text, or one that no index finds, the notes of the project are read.
  const isIndexed = hasTrigrams(text);
  const rare = sql`SELECT nt.* FROM ${EACH_HIT} CROSS JOIN LATERAL (
    SELECT ${NOTE_COLUMNS} FROM ${table(note)} WHERE ${note.id} = h.id AND (${ofSubjects}) AND ${isSeen} OFFSET 0) nt`;
  const isCommon = isIndexed ? sql`NOT ${FEW_HITS}` : sql`TRUE`;
  const common = subjects.map(
    ({ type, of }) => sql`SELECT ${NOTE_COLUMNS} FROM (${of}) su JOIN ${table(note)} ON ${note.subjectId} = su.id
      WHERE ${note.subjectType} = ${type} AND ${isCommon} AND ${holds(note.body, pattern)} AND ${isSeen}`,
  );
  const comments = can(actor, 'read_commit', project)
    ? [commentsAsNotes(sql`c.project_id = ${project.id} AND ${holds(sql`c.note`, pattern)}`)]
    : [];
  const all = [...(isIndexed ? [rare] : []), ...common, ...comments];
  if (all.length === 0) return { nodes: [], offset: page.offset, total: 0 };
  const subqueries = [
    seenPlaces(actor, sql`p.id = ${project.id}`),
    ...(isIndexed ? hitsOf(text, [{ from: sql`notes f`, column: sql`f.body`, only: sql`NOT f.system` }]) : []),
    sql`found AS MATERIALIZED (${join(all, ' UNION ALL ')})`,
  ];
  // Notes and comments on commits have numbers of their own.
  const by = order('Note', ['createdAt', 'id', 'subjectType'], direction);
  const list = { rows: note, from: sql`found nt`, where: sql`TRUE`, order: by };
  const pages = perParent([{}], {}, () => pageOfRows(selection, list, page), subqueries);
  const [found] = await readPages<R>(context.db, page, pages);
  return found ?? { nodes: [], offset: page.offset, total: 0 };
}

/** What the actor can see of the project that has notes: statements for the IDs, by type. */
function subjectsIn(project: ProjectRow, actor: Actor | null): { type: string; of: Prisma.Sql }[] {
  const seesConfidential = can(actor, 'read_confidential_issue', project);
  return [
    ...(can(actor, 'read_issue', project)
      ? [
          {
            type: 'Issue',
            of: sql`SELECT ${issue.id} FROM ${table(issue)} WHERE ${issue.projectId} = ${project.id}
              AND ${issue.deletedAt} IS NULL AND ${issueVisible(issue, actor, seesConfidential)}`,
          },
        ]
      : []),
    ...(can(actor, 'read_merge_request', project)
      ? [
          {
            type: 'MergeRequest',
            of: sql`SELECT ${mergeRequest.id} FROM ${table(mergeRequest)} WHERE ${mergeRequest.targetProjectId} = ${project.id}`,
          },
        ]
      : []),
    ...(can(actor, 'read_project_snippet', project)
      ? [
          {
            type: 'Snippet',
            of: sql`SELECT ${snippet.id} FROM ${table(snippet)} WHERE ${snippet.projectId} = ${project.id}
              AND ${visible(actor, project.accessLevel > 0)}`,
          },
        ]
      : []),
  ];
}
