import { eventAction, labelId, milestoneId } from '#src/domain/gitlab_archives/relations/labels.ts';
import type { At } from '#src/domain/gitlab_archives/relations/output.ts';
import type { Translation } from '#src/domain/gitlab_archives/relations/relation.ts';
import { type Given, integer, objects, text, time } from '#src/domain/gitlab_archives/relations/values.ts';

/** The column that says which issue or merge request something belongs to. */
export type Owner = { issueId: number } | { mergeRequestId: number };

/** The relations of issues and merge requests that are translated, or are a part of something that is. */
export const OF_TRACKED = [
  ...['notes', 'award_emoji', 'label_links', 'labels', 'milestone', 'timelogs', 'events'],
  ...['resource_label_events', 'resource_milestone_events', 'resource_state_events'],
] as const;

/** Translates the time that was spent, and the events of labels, milestones and states. */
export async function takeHistory(translation: Translation, record: Given, owner: Owner, at: At): Promise<void> {
  const { out } = translation;
  for (const log of objects(record.timelogs)) {
    const createdAt = time(log.spent_at) ?? time(log.created_at);
    const userId = out.user(log.user_id);
    const row = { id: out.id('timelogs'), ...owner, userId, seconds: integer(log.time_spent) };
    const here = { ...at, relation: `${at.relation}.timelogs` };
    await out.add('timelogs', { ...row, summary: text(log.summary), createdAt }, here);
  }
  for (const event of objects(record.resource_label_events)) {
    const row = { id: out.id('label_events'), ...owner, userId: out.user(event.user_id), action: eventAction(event) };
    const label = await labelId(translation, event.label, at);
    const here = { ...at, relation: `${at.relation}.resource_label_events` };
    await out.add('label_events', { ...row, labelId: label, createdAt: time(event.created_at) }, here);
  }
  for (const event of objects(record.resource_milestone_events)) {
    const row = { id: out.id('milestone_events'), ...owner, userId: out.user(event.user_id) };
    const milestone = await milestoneId(translation, event.milestone, at);
    const rest = { action: eventAction(event), state: stateOf(event.state) ?? 'opened' };
    const here = { ...at, relation: `${at.relation}.resource_milestone_events` };
    await out.add(
      'milestone_events',
      { ...row, ...rest, milestoneId: milestone, createdAt: time(event.created_at) },
      here,
    );
  }
  for (const event of objects(record.resource_state_events)) {
    const row = { id: out.id('state_events'), ...owner, userId: out.user(event.user_id), state: event.state };
    const here = { ...at, relation: `${at.relation}.resource_state_events` };
    const rest = { sourceCommit: text(event.source_commit), createdAt: time(event.created_at) };
    await out.add('state_events', { ...row, ...rest }, here);
  }
}

/** Whether events tell what happened; archives of earlier versions have none. */
export function hasEvents(record: Given): boolean {
  const lists = [record.resource_label_events, record.resource_milestone_events, record.resource_state_events];
  return lists.some((list) => objects(list).length > 0);
}

/** Adds the event of a closing that is told by a time alone. */
export async function addClosing(
  { out }: Translation,
  owner: Owner,
  { by, when }: { by: unknown; when: unknown },
  at: At,
): Promise<void> {
  const createdAt = time(when);
  if (createdAt === null) return;
  const row = { id: out.id('state_events'), ...owner, userId: out.user(by), state: 'closed', createdAt };
  await out.add('state_events', row, at);
}

/** The state of an issue or a merge request; what is being merged is open. Null for what is none. */
export function stateOf(state: unknown): 'opened' | 'closed' | 'merged' | null {
  if (state === 'closed' || state === 'merged') return state;
  return state === 'opened' || state === 'reopened' || state === 'locked' ? 'opened' : null;
}

/** Translates who is asked to do something, each user once. */
export async function takeUsers(
  { out }: Translation,
  kind: string,
  owner: Owner,
  given: readonly Given[],
  row: (one: Given, position: number) => Record<string, unknown>,
  at: At,
): Promise<void> {
  const seen = new Set<number>();
  for (const one of given) {
    const userId = out.user(one.user_id);
    if (userId === null || seen.has(userId)) continue;
    await out.add(kind, { ...owner, userId, ...row(one, seen.size) }, at);
    seen.add(userId);
  }
}
