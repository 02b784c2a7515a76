import { Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** A statement for comments on commits (`c`) in the form of notes: whole rows of that table. */
export function commentsAsNotes(where: Prisma.Sql): Prisma.Sql {
  return sql`SELECT c.id, 'Commit' AS subject_type, NULL::int AS subject_id, c.author_id, c.note AS body, FALSE AS system,
      NULL::text AS source_type, NULL::int AS source_id, NULL::int AS source_project_id, NULL::text AS mention, c.discussion_id,
      c.starts_thread, c.created_at, COALESCE(c.updated_at, c.created_at) AS updated_at, c.updated_at AS last_edited_at,
      NULL::text AS external_author
    FROM commit_comments c WHERE ${where}`;
}
