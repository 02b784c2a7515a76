import { type Context, requireActor } from '#src/access/actor.ts';
import type { Ref } from '#src/groups/find.ts';
import { locateIssue, maySee } from '#src/issues/find.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { ChangedRecord } from '#src/projects/below.ts';
import { setSubscription } from '#src/subscriptions/subscribe.ts';

/** Follows an issue, or stops to. Throws NotModified when that holds already, NotFound. */
export async function subscribeToIssue(
  context: Context,
  ref: Ref,
  iid: number,
  subscribed: boolean,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const { project, issue } = await locateIssue(context, ref, iid);
  if (!maySee(actor, project, issue)) throw new NotFound('Issue');
  const [current = false] = await issueSubscriptions(context, [issue.id]);
  await setSubscription(context.db, actor.id, { type: 'Issue', id: issue.id }, current, subscribed);
  return { project, id: issue.id };
}

/**
 * Whether the actor follows each of the issues: by explicit choice, else as a participant, that is author, assignee,
 * author of a note or mentioned (behaviour.md 8).
 */
export async function issueSubscriptions(context: Context, ids: readonly number[]): Promise<boolean[]> {
  const { db, actor } = context;
  if (!actor) return ids.map(() => false);
  const mention = `@${actor.username.replaceAll('.', '\\.')}(?![A-Za-z0-9_-])`;
  const rows = await db.$queryRaw<{ id: number; subscribed: boolean }[]>`
    SELECT i.id, COALESCE(
      (SELECT s.subscribed FROM subscriptions s
        WHERE s.subject_type = 'Issue' AND s.subject_id = i.id AND s.user_id = ${actor.id}),
      i.author_id = ${actor.id} OR COALESCE(i.assignee_id = ${actor.id}, false)
        OR COALESCE(i.description ~* ${mention}, false)
        OR EXISTS (SELECT 1 FROM notes n WHERE n.subject_type = 'Issue' AND n.subject_id = i.id AND NOT n.system
          AND (n.author_id = ${actor.id} OR n.body ~* ${mention}))) AS subscribed
    FROM issues i WHERE i.id = ANY(${[...ids]}::int[])`;
  const byId = new Map(rows.map((row) => [row.id, row.subscribed]));
  return ids.map((id) => byId.get(id) ?? false);
}
