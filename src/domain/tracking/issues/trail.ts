import type { Actor } from '#src/access/permissions/actor.ts';
import { assignedTo } from '#src/access/permissions/visibility.ts';
import { isReviewer } from '#src/domain/tracking/subjects/reviewers.ts';
import { isOpenNote } from '#src/domain/tracking/subjects/seen_sources.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import type { Tools } from '#src/platform/records/computed_fields.ts';

const { sql, raw } = Prisma;
const [label, note, award] = [alias('Label', 'l'), alias('Note', 'nt'), alias('AwardEmoji', 'a')];
const subscription = alias('Subscription', 's');
/** Readers of internal notes are few, and everybody sees these counts. */
const isOpen = isOpenNote(note);
const [project, namespace] = [alias('Project', 'pp'), alias('Namespace', 'pn')];

/** The counts of notes and awards, which reference their subject by type and ID. */
export function sharedSubjectColumns(type: 'Issue' | 'MergeRequest') {
  type Subject = { readonly id: Prisma.Sql };
  const subject = raw(`'${type}'`);
  const awards = ({ id }: Subject, { lateral }: Tools) => {
    const named = (name: string) => sql`count(*) FILTER (WHERE ${award.name} = ${raw(`'${name}'`)})`;
    return lateral(
      'awards',
      () => sql`SELECT ${named('thumbsup')} AS up, ${named('thumbsdown')} AS down
        FROM ${table(award)} WHERE ${award.subjectType} = ${subject} AND ${award.subjectId} = ${id}`,
    );
  };
  return {
    userNotesCount: ({ id }: Subject) => sql`(SELECT count(*) FROM ${table(note)}
      WHERE ${note.subjectType} = ${subject} AND ${note.subjectId} = ${id} AND NOT ${note.system} AND ${isOpen})`,
    upvotes: (row: Subject, tools: Tools) => sql`${awards(row, tools)}.up`,
    downvotes: (row: Subject, tools: Tools) => sql`${awards(row, tools)}.down`,
  };
}

/** The titles of a subject's labels, from a join table. */
export function labelTitles(
  pair: Alias<'IssueLabel'> | Alias<'MergeRequestLabel'>,
  subjectId: Prisma.Sql,
  id: Prisma.Sql,
): Prisma.Sql {
  return sql`COALESCE((SELECT json_agg(${label.title} ORDER BY ${label.title}) FROM ${table(pair)}
    JOIN ${table(label)} ON ${label.id} = ${pair.labelId} WHERE ${subjectId} = ${id}), '[]')`;
}

export function projectPath(projectId: Prisma.Sql, { params, hasParam }: Tools): Prisma.Sql {
  if (hasParam('projectPath')) return params(({ projectPath }) => sql`${projectPath}::text`);
  return sql`(SELECT ${namespace.fullPath} || '/' || ${project.path} FROM ${table(project)}
    JOIN ${table(namespace)} ON ${namespace.id} = ${project.namespaceId} WHERE ${project.id} = ${projectId})`;
}

type Participants = Pick<Alias<'Issue'> | Alias<'MergeRequest'>, 'id' | 'authorId' | 'assigneeId' | 'description'>;

/** Whether the actor is subscribed to an issue or merge request. */
export function isSubscribedSql(type: 'Issue' | 'MergeRequest', row: Participants, { params }: Tools): Prisma.Sql {
  return params(({ actor }) => (actor ? follows(actor, type, row) : sql`FALSE`));
}

function follows(
  { id, username }: Pick<Actor, 'id' | 'username'>,
  type: 'Issue' | 'MergeRequest',
  row: Participants,
): Prisma.Sql {
  const mention = `@${username.replaceAll('.', '\\.')}(?![A-Za-z0-9_-])`;
  const subject = raw(`'${type}'`);
  const reviews = type === 'MergeRequest' ? sql` OR ${isReviewer(row.id, id)}` : Prisma.empty;
  return sql`COALESCE((SELECT ${subscription.subscribed} FROM ${table(subscription)} WHERE ${subscription.subjectType} = ${subject}
      AND ${subscription.subjectId} = ${row.id} AND ${subscription.userId} = ${id}),
    ${row.authorId} = ${id} OR COALESCE(${assignedTo(type, row, id)}, false)
      OR COALESCE(${row.description} ~* ${mention}, false)${reviews}
      OR EXISTS (SELECT 1 FROM ${table(note)} WHERE ${note.subjectType} = ${subject} AND ${note.subjectId} = ${row.id}
        AND NOT ${note.system} AND (${note.authorId} = ${id} OR (${note.body} ~* ${mention} AND ${isOpen}))))`;
}
