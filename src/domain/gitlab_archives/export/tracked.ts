import { awardOf, notesOn } from '#src/domain/gitlab_archives/export/notes.ts';
import { columns, type Records, type Row, times } from '#src/domain/gitlab_archives/export/records.ts';

/** A label of the project, as GitLab has it; null for one that is not there. */
export function label(records: Records, id: unknown): object | null {
  const row = records.labels.get(id as number);
  if (!row) return null;
  const { priority } = row;
  const projectId = records.source.project.id;
  return {
    ...columns(row, ['title', 'color', 'description']),
    ...{ project_id: projectId, group_id: null, template: false, type: 'ProjectLabel', ...times(row) },
    priorities: priority == null ? [] : [{ project_id: projectId, priority, ...times(row) }],
  };
}

/** A milestone of the project, as GitLab has it; null for none. */
export function milestone(records: Records, id: unknown): object | null {
  const row = records.milestones.get(id as number);
  if (!row) return null;
  const project = { project_id: records.source.project.id, group_id: null };
  return {
    ...columns(row, ['iid', 'title', 'description', 'state', 'startDate', 'dueDate']),
    ...project,
    ...times(row),
  };
}

/** What issues and merge requests have alike, for some of them at once, by their IDs. */
export async function trackedParts(
  records: Records,
  type: 'Issue' | 'MergeRequest',
  rows: readonly Row[],
): Promise<Map<number, { parts: object; closing: Row | undefined }>> {
  const ids = rows.map(({ id }) => id as number);
  const [column, links] = type === 'Issue' ? ['issueId', 'issue_labels'] : ['mergeRequestId', 'merge_request_labels'];
  const labels = await records.of(links, column, ids);
  const timelogs = await records.of('timelogs', column, ids);
  const labelEvents = await records.of('label_events', column, ids);
  const milestoneEvents = await records.of('milestone_events', column, ids);
  const stateEvents = await records.of('state_events', column, ids);
  const awards = await records.on('award_emoji', type, ids);
  const notes = await notesOn(records, type, ids);
  return new Map(
    rows.map((row) => {
      const id = row.id as number;
      const states = stateEvents.get(id) ?? [];
      const parts = {
        events: [],
        timelogs: (timelogs.get(id) ?? []).map((log) => timelog(records, log)),
        notes: notes.get(id) ?? [],
        label_links: (labels.get(id) ?? []).map(({ labelId }) => ({
          ...{ target_type: type, created_at: row.createdAt, updated_at: row.createdAt },
          label: label(records, labelId),
        })),
        milestone: milestone(records, row.milestoneId),
        resource_label_events: (labelEvents.get(id) ?? []).map((event) => ({
          ...columns(event, ['action', 'userId', 'createdAt']),
          label: label(records, event.labelId),
        })),
        resource_milestone_events: (milestoneEvents.get(id) ?? []).map((event) => ({
          ...columns(event, ['action', 'userId', 'state', 'createdAt']),
          milestone: milestone(records, event.milestoneId),
        })),
        resource_state_events: states.map((event) => columns(event, ['userId', 'state', 'sourceCommit', 'createdAt'])),
        award_emoji: (awards.get(id) ?? []).map((award) => awardOf(award, type)),
      };
      return [id, { parts, closing: states.findLast(({ state }) => state === 'closed') }];
    }),
  );
}

function timelog(records: Records, log: Row): object {
  const { seconds, userId, summary, createdAt } = log;
  const spent = { time_spent: seconds, user_id: userId, summary, spent_at: createdAt };
  return { ...spent, project_id: records.source.project.id, created_at: createdAt, updated_at: createdAt };
}
