import { isSubscribedSql, labelTitles, projectPath, sharedSubjectColumns } from '#src/domain/tracking/issues/trail.ts';
import { assigneesOf } from '#src/domain/tracking/subjects/assignees.ts';
import { timeValues } from '#src/domain/tracking/subjects/time_values.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import { computedFields, relationsToUsers, type Tools } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const [issueLabel, event, mention] = [alias('IssueLabel', 'il'), alias('StateEvent', 'ce'), alias('Note', 'mn')];
const part = alias('IssueParent', 'pp');

computedFields('Issue', {
  ...sharedSubjectColumns('Issue'),
  ...timeValues('Issue'),
  projectFullPath: (issue, tools) => projectPath(issue.projectId, tools),
  labelTitles: (issue) => labelTitles(issueLabel, issueLabel.issueId, issue.id),
  assigneeIds: (issue) => assigneesOf('Issue', issue.id),
  isSubscribed: (issue, tools) => isSubscribedSql('Issue', issue, tools),
  closedAt: (issue, tools) => sql`${closing(issue, tools)}.created_at`,
  closedById: (issue, tools) => sql`${closing(issue, tools)}.user_id`,
  parentId: ({ id }) => sql`(SELECT ${part.parentId} FROM ${table(part)} WHERE ${part.issueId} = ${id})`,
  isMentionedByMergeRequest: mentionedByMergeRequest,
});
relationsToUsers('Issue', { closedBy: 'closedById', updatedBy: 'updatedById', lastEditedBy: 'lastEditedById' });

function mentionedByMergeRequest({ id }: Alias<'Issue'>): Prisma.Sql {
  return sql`EXISTS (SELECT FROM ${table(mention)} WHERE ${mention.subjectType} = 'Issue' AND ${mention.subjectId} = ${id}
    AND ${mention.mention} IS NOT NULL AND ${mention.sourceType} = 'MergeRequest')`;
}

/** The event of the last time that a closed issue was closed. */
function closing({ id, state }: Alias<'Issue'>, { lateral }: Tools): Prisma.Sql {
  return lateral(
    'closing',
    () => sql`SELECT ce.* FROM ${table(event)} WHERE ${event.issueId} = ${id} AND ${state} = 'closed' AND ${event.state} = 'closed'
      ORDER BY ${event.id} DESC LIMIT 1`,
  );
}
