import { batches, columns, type Records, times } from '#src/domain/gitlab_archives/export/records.ts';
import { trackedParts } from '#src/domain/gitlab_archives/export/tracked.ts';

/** How many issues are written at a time, each with all that belongs to it. */
const BATCH_SIZE = 50;

const COLUMNS = [
  ...['iid', 'title', 'description', 'state', 'authorId', 'updatedById', 'confidential', 'dueDate', 'timeEstimate'],
  ...['relativePosition', 'lastEditedAt', 'lastEditedById', 'discussionLocked'],
];

/** The issues of a project, as GitLab has them. */
export async function* issues(records: Records): AsyncGenerator<object> {
  for await (const rows of batches(records.all('issues'), BATCH_SIZE)) {
    const assignees = await records.of(
      'issue_assignees',
      'issueId',
      rows.map(({ id }) => id as number),
    );
    const tracked = await trackedParts(records, 'Issue', rows);
    for (const row of rows) {
      const { parts, closing } = tracked.get(row.id as number) ?? {};
      const closed = row.state === 'closed' ? closing : undefined;
      yield {
        ...{ ...columns(row, COLUMNS), project_id: records.source.project.id, ...times(row) },
        ...{ closed_at: closed?.createdAt ?? null, closed_by_id: closed?.userId ?? null },
        ...{ issue_type: row.type, work_item_type: { base_type: row.type } },
        issue_assignees: (assignees.get(row.id as number) ?? []).map(({ userId }) => ({ user_id: userId })),
        ...parts,
      };
    }
  }
}
