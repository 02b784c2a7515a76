import { issueVisible } from '#src/access/permissions/visibility.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { computedFields, type Sum, type Tools } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;

const [issue, issueLabel] = [alias('Issue', 'i'), alias('IssueLabel', 'il')];
const [mergeRequest, mergeRequestLabel] = [alias('MergeRequest', 'mr'), alias('MergeRequestLabel', 'ml')];
const subscription = alias('Subscription', 's');

const OPEN_MERGE_REQUESTS: Sum = {
  select: sql`count(*) AS opened`,
  from: sql`${table(mergeRequestLabel)} JOIN ${table(mergeRequest)} ON ${mergeRequest.id} = ${mergeRequestLabel.mergeRequestId}`,
  where: sql`${mergeRequest.state} = 'opened'`,
  by: mergeRequestLabel.labelId,
  of: 'id',
};

computedFields('Label', {
  openIssuesCount: (_label, tools) => sql`COALESCE(${issues(tools)}.opened, 0)`,
  closedIssuesCount: (_label, tools) => sql`COALESCE(${issues(tools)}.closed, 0)`,
  openMergeRequestsCount: (_label, { summed }) =>
    sql`COALESCE(${summed('merge_requests', OPEN_MERGE_REQUESTS)}.opened, 0)`,
  isSubscribed: (label, { params }) => sql`COALESCE((SELECT ${subscription.subscribed} FROM ${table(subscription)}
    WHERE ${subscription.subjectType} = 'Label' AND ${subscription.subjectId} = ${label.id}
      AND ${subscription.userId} = ${params(({ actor }) => sql`${actor?.id ?? 0}`)}), false)`,
});

const ofState = (state: string) => sql`count(*) FILTER (WHERE ${issue.state} = ${Prisma.raw(`'${state}'`)})`;

/** The number of issues with a label, by state. */
function issues({ params, hasParam, summed }: Tools): Prisma.Sql {
  const visible = params(({ actor, confidential }) => issueVisible(issue, actor, confidential));
  // PostgreSQL reads the issues of a project faster together than individually by label.
  const within = hasParam('labelsOf') ? params(({ labelsOf }) => sql`${issue.projectId} = ${labelsOf}`) : sql`TRUE`;
  return summed('issues', {
    select: sql`${ofState('opened')} AS opened, ${ofState('closed')} AS closed`,
    from: sql`${table(issueLabel)} JOIN ${table(issue)} ON ${issue.id} = ${issueLabel.issueId}`,
    where: sql`${within} AND ${issue.deletedAt} IS NULL AND ${visible}`,
    by: issueLabel.labelId,
    of: 'id',
  });
}
