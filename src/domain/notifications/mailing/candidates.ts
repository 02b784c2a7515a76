import { membershipsAt } from '#src/access/permissions/visibility.ts';
import { notesIn, peopleIn, type RecordHappening } from '#src/domain/notifications/mailing/request.ts';
import { mentionedNames } from '#src/domain/tracking/activity/mentioned_users.ts';
import { assigneesOf } from '#src/domain/tracking/subjects/assignees.ts';
import { targetColumn } from '#src/domain/tracking/subjects/todos.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Why a user may be notified, strongest reason first. */
export const REASONS = [
  'mentioned',
  'assigned',
  'unassigned',
  'reviewer',
  'no longer reviewer',
  'author',
  'participant',
  'subscribed',
  'label',
  'watching',
] as const;
export type Reason = (typeof REASONS)[number];

/**
 * Users who may be notified of an event on an issue or merge request, and why: one row per reason. Excludes the actor, and users
 * who unsubscribed; notification settings and visibility are checked elsewhere.
 *
 * @param only restricts it to these users
 */
export async function candidates(
  db: Pick<Db, '$queryRaw'>,
  happening: RecordHappening,
  only: readonly number[] | null,
): Promise<{ userId: number; reason: Reason }[]> {
  const { subject, projectId, actorId } = happening;
  const people = peopleIn(happening);
  const { type, id } = subject;
  const records = type === 'Issue' ? sql`issues` : sql`merge_requests`;
  const labels = type === 'Issue' ? sql`issue_labels` : sql`merge_request_labels`;
  const isAsked = only === null ? sql`TRUE` : sql`c.user_id = ANY(${[...only]}::int[])`;
  const names = await namesFor(db, happening, records);
  return db.$queryRaw`
    SELECT c.user_id AS "userId", c.reason FROM (
      SELECT id, 'mentioned' FROM users WHERE lower(username) = ANY(${names.now}::text[])
      UNION SELECT unnest(${assigneesOf(type, id)}), 'assigned'
      UNION SELECT unnest(${people?.removed ?? []}::int[]), ${people?.role === 'reviewer' ? 'no longer reviewer' : 'unassigned'}
      UNION SELECT user_id, 'reviewer' FROM merge_request_reviewers WHERE ${type} = 'MergeRequest' AND merge_request_id = ${id}
      UNION SELECT author_id, 'author' FROM ${records} WHERE id = ${id}
      UNION SELECT id, 'participant' FROM users WHERE lower(username) = ANY(${names.before}::text[])
      UNION SELECT author_id, 'participant' FROM notes WHERE subject_type = ${type} AND subject_id = ${id} AND NOT system
      UNION SELECT user_id, 'participant' FROM todos WHERE ${targetColumn(subject)} = ${id}
        AND action IN ('mentioned', 'directly_addressed')
      UNION SELECT user_id, 'subscribed' FROM subscriptions WHERE subject_type = ${type} AND subject_id = ${id} AND subscribed
      UNION SELECT s.user_id, 'label' FROM ${labels} l JOIN subscriptions s ON s.subject_type = 'Label'
        AND s.subject_id = l.label_id AND s.subscribed WHERE l.${targetColumn(subject)} = ${id}
      UNION SELECT user_id, 'watching' FROM (${watchers(projectId)}) w
    ) c(user_id, reason)
    WHERE c.user_id IS DISTINCT FROM ${actorId}::int AND ${isAsked}
      AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.subject_type = ${type} AND s.subject_id = ${id}
        AND s.user_id = c.user_id AND NOT s.subscribed)`;
}

/** The names mentioned in the new text, and in the previous one. */
async function namesFor(
  db: Pick<Db, '$queryRaw'>,
  { event, subject: { id }, ...happening }: RecordHappening,
  records: Prisma.Sql,
): Promise<{ now: string[]; before: string[] }> {
  const [texts] = await db.$queryRaw<{ description: string | null; notes: string[] }[]>`
    SELECT description, ARRAY(SELECT body FROM notes WHERE id = ANY(${notesIn(happening)}::int[])) AS notes
    FROM ${records} WHERE id = ${id}`;
  const all = (text: string | null | undefined) => Object.values(mentionedNames(text ?? null)).flat();
  const isNew = event === 'newIssue' || event === 'newMergeRequest';
  return isNew
    ? { now: all(texts?.description), before: [] }
    : { now: (texts?.notes ?? []).flatMap(all), before: all(texts?.description) };
}

/** Users notified beyond what they participate in, by their setting for the project, a group above it, or all their projects. */
function watchers(projectId: number): Prisma.Sql {
  const place = sql`projects p JOIN namespaces n ON n.id = p.namespace_id`;
  const more = sql`s.level IN ('watch', 'custom')`;
  return sql`
    SELECT s.user_id FROM notification_settings s WHERE s.project_id = ${projectId} AND ${more}
    UNION SELECT s.user_id FROM ${place} JOIN notification_settings s ON s.namespace_id = ANY(n.lineage) AND ${more}
      WHERE p.id = ${projectId}
    UNION SELECT s.user_id FROM (
      SELECT n.owner_id AS user_id FROM ${place} WHERE p.id = ${projectId}
      UNION SELECT m.user_id FROM (${membershipsAt(projectId, sql`(SELECT n.lineage FROM ${place} WHERE p.id = ${projectId})::int[]`)}) m
    ) i JOIN notification_settings s ON s.user_id = i.user_id AND s.project_id IS NULL AND s.namespace_id IS NULL AND ${more}`;
}
