import { GUEST, REPORTER } from '#src/access/permissions/abilities.ts';
import { featureThere } from '#src/access/permissions/features.ts';
import { projectAccessLevel } from '#src/access/permissions/visibility.ts';
import type { Subject } from '#src/domain/changes/change.ts';
import { isOpenNote } from '#src/domain/tracking/subjects/seen_sources.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const [user, project, namespace] = [alias('User', 'u'), alias('Project', 'p'), alias('Namespace', 'n')];
const note = alias('Note', 'nt');

/** A user who can read an issue or merge request. */
export interface Reader {
  id: number;
  username: string;
}

/** Whose IDs or lower-case usernames are asked for; with a note, they must be able to read that as well. */
interface Named {
  ids?: readonly number[];
  names?: readonly string[];
  noteId?: number | null | undefined;
}

/** The users with these IDs or lower-case usernames who can read an issue or merge request, in one statement; none blocked. */
export function readersAmong(
  db: Pick<Db, '$queryRaw'>,
  { type, id, project: { id: projectId } }: Pick<Subject, 'type' | 'id'> & { project: { id: number } },
  { ids = [], names = [], noteId }: Named,
): Promise<Reader[]> {
  const open = sql`(${project.visibility} = 'public' OR (${project.visibility} = 'internal' AND NOT ${user.external}))`;
  const isMember = sql`(${user.admin} OR l.level > 0)`;
  const reads =
    type === 'Issue'
      ? sql`${featureThere('issues', project, isMember)} AND EXISTS (SELECT 1 FROM issues i WHERE i.id = ${id} AND i.deleted_at IS NULL
          AND (${user.admin} OR ((${open} OR l.level >= ${GUEST}) AND (NOT i.confidential OR l.level >= ${REPORTER}
            OR i.author_id = ${user.id}
            OR EXISTS (SELECT 1 FROM issue_assignees a WHERE a.issue_id = i.id AND a.user_id = ${user.id})))))`
      : sql`${featureThere('mergeRequests', project, isMember)} AND (${user.admin} OR ${open} OR l.level >= ${REPORTER})`;
  const readsNote = sql`(${user.admin} OR l.level >= ${REPORTER} OR NOT EXISTS (
    SELECT 1 FROM ${table(note)} WHERE ${note.id} = ${noteId ?? null}::int AND NOT ${isOpenNote(note)} AND ${note.authorId} <> ${user.id}))`;
  return db.$queryRaw<Reader[]>`
    SELECT ${user.id} AS id, lower(${user.username}) AS username
    FROM ${table(user)} JOIN ${table(project)} ON ${project.id} = ${projectId} AND ${project.deletedAt} IS NULL
    JOIN ${table(namespace)} ON ${namespace.id} = ${project.namespaceId}
    CROSS JOIN LATERAL (SELECT ${projectAccessLevel({ id: user.id }, project, namespace)} AS level OFFSET 0) l
    WHERE (${user.id} = ANY(${[...ids]}::int[]) OR lower(${user.username}) = ANY(${[...names]}::text[]))
      AND ${user.state} = 'active' AND NOT ${user.ghost} AND ${reads} AND ${readsNote}
    ORDER BY ${user.id}`;
}
