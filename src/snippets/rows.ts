import type { Visibility } from '#src/access/abilities.ts';
import { Prisma } from '#src/platform/db.ts';
import { type UserRow, userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

/** A text that somebody keeps, without the text itself (rest-api-v4.md, Snippet). Times are ISO 8601. */
export interface SnippetRow {
  id: number;
  title: string;
  fileName: string;
  visibility: Visibility;
  /** The project that it belongs to, with its full path; null for a personal one. */
  projectId: number | null;
  projectPath: string | null;
  /** With the primary e-mail address, which the contract shows to every reader. */
  author: UserRow;
  createdAt: string;
  updatedAt: string;
}

/** An expression for the JSON array of the snippets with these IDs, newest first. */
export function snippetRows(ids: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(json_build_object('id', s.id, 'title', s.title, 'fileName', s.file_name,
      'visibility', s.visibility, 'projectId', s.project_id, 'projectPath', n.full_path || '/' || p.path,
      'author', (${userJson('u')})::jsonb || jsonb_build_object('shownEmail', u.email),
      'createdAt', s.created_at, 'updatedAt', s.updated_at) ORDER BY s.id DESC), '[]')
    FROM snippets s JOIN users u ON u.id = s.author_id LEFT JOIN projects p ON p.id = s.project_id
      LEFT JOIN namespaces n ON n.id = p.namespace_id WHERE s.id = ANY(ARRAY(${ids})))`;
}
