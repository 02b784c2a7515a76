import { within } from '#src/access/permissions/places.ts';
import { issueVisible } from '#src/access/permissions/visibility.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { computedFields, type Tools } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;

const [issue, issueLabel] = [alias('Issue', 'i'), alias('IssueLabel', 'il')];
const [mergeRequest, mergeRequestLabel] = [alias('MergeRequest', 'mr'), alias('MergeRequestLabel', 'ml')];
const [subscription, priority] = [alias('Subscription', 's'), alias('LabelPriority', 'lp')];

computedFields('Label', {
  openIssuesCount: (_label, tools) => sql`COALESCE(${issues(tools)}.opened, 0)`,
  closedIssuesCount: (_label, tools) => sql`COALESCE(${issues(tools)}.closed, 0)`,
  openMergeRequestsCount: (_label, tools) => sql`COALESCE(${openMergeRequests(tools)}.opened, 0)`,
  isSubscribed: (label, { params }) => sql`COALESCE((SELECT ${subscription.subscribed} FROM ${table(subscription)}
    WHERE ${subscription.subjectType} = 'Label' AND ${subscription.subjectId} = ${label.id}
      AND ${subscription.userId} = ${params(({ actor }) => sql`${actor?.id ?? 0}`)}), false)`,
  priorityThere: (label, { params, hasParam }) =>
    hasParam('labelsOf')
      ? sql`CASE WHEN ${label.groupId} IS NULL THEN ${label.priority} ELSE (SELECT ${priority.priority} FROM ${table(priority)}
          WHERE ${priority.labelId} = ${label.id} AND ${priority.projectId} = ${params(({ labelsOf }) => sql`${labelsOf}`)}) END`
      : label.priority,
});

const ofState = (state: string) => sql`count(*) FILTER (WHERE ${issue.state} = ${Prisma.raw(`'${state}'`)})`;

/** The number of issues with a label, by state: those of one project, or of all `places`. */
function issues({ params, hasParam, summed }: Tools): Prisma.Sql {
  const seen = hasParam('labelsOf')
    ? // PostgreSQL reads the issues of a project faster together than individually by label.
      params(
        ({ actor, confidential, labelsOf, labelsCount }) =>
          sql`${labelsCount.issues} AND ${issue.projectId} = ${labelsOf} AND ${issueVisible(issue, actor, confidential)}`,
      )
    : params(
        ({ actor }) =>
          sql`${within(issue.projectId, 'issues')} AND ${issueVisible(issue, actor, within(issue.projectId, 'confidential'))}`,
      );
  return summed('issues', {
    select: sql`${ofState('opened')} AS opened, ${ofState('closed')} AS closed`,
    from: sql`${table(issueLabel)} JOIN ${table(issue)} ON ${issue.id} = ${issueLabel.issueId}`,
    where: sql`${issue.deletedAt} IS NULL AND ${seen}`,
    by: issueLabel.labelId,
    of: 'id',
  });
}

function openMergeRequests({ params, hasParam, summed }: Tools): Prisma.Sql {
  const { targetProjectId, state } = mergeRequest;
  const seen = hasParam('labelsOf')
    ? params(({ labelsOf, labelsCount }) => sql`${labelsCount.mergeRequests} AND ${targetProjectId} = ${labelsOf}`)
    : within(targetProjectId, 'merge_requests');
  return summed('merge_requests', {
    select: sql`count(*) AS opened`,
    from: sql`${table(mergeRequestLabel)} JOIN ${table(mergeRequest)} ON ${mergeRequest.id} = ${mergeRequestLabel.mergeRequestId}`,
    where: sql`${state} = 'opened' AND ${seen}`,
    by: mergeRequestLabel.labelId,
    of: 'id',
  });
}
