import { issueVisible } from '#src/access/visibility.ts';
import { Prisma } from '#src/platform/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { ownValues } from '#src/platform/records/own_values.ts';

declare module '#src/platform/records/own_values.ts' {
  interface OwnValues {
    Label: {
      /** Of the issues that the actor sees. */
      openIssuesCount: number;
      closedIssuesCount: number;
      openMergeRequestsCount: number;
      /** Whether the actor follows it. */
      isSubscribed: boolean;
    };
  }

  interface Given {
    /** Whether the actor sees all confidential issues of the project. */
    confidential: boolean | Prisma.Sql;
  }
}

const { sql } = Prisma;

const [issue, issueLabel] = [alias('Issue', 'i'), alias('IssueLabel', 'il')];
const [mergeRequest, mergeRequestLabel] = [alias('MergeRequest', 'mr'), alias('MergeRequestLabel', 'ml')];
const subscription = alias('Subscription', 's');

ownValues('Label', {
  openIssuesCount: (label, tools) => sql`${issues(label, tools)}.opened`,
  closedIssuesCount: (label, tools) => sql`${issues(label, tools)}.closed`,
  openMergeRequestsCount: (label) => sql`(SELECT count(*) FROM ${table(mergeRequestLabel)}
    JOIN ${table(mergeRequest)} ON ${mergeRequest.id} = ${mergeRequestLabel.mergeRequestId}
    WHERE ${mergeRequestLabel.labelId} = ${label.id} AND ${mergeRequest.state} = 'opened')`,
  isSubscribed: (label, { given }) => sql`COALESCE((SELECT ${subscription.subscribed} FROM ${table(subscription)}
    WHERE ${subscription.subjectType} = 'Label' AND ${subscription.subjectId} = ${label.id}
      AND ${subscription.userId} = ${given(({ actor }) => sql`${actor?.id ?? 0}`)}), false)`,
});

type OfLabel = Parameters<Parameters<typeof ownValues<'Label'>>[1]['openIssuesCount']>;

/** The counts of the issues of a label, by state. */
function issues(label: OfLabel[0], { given, lateral }: OfLabel[1]): Prisma.Sql {
  const visible = given(({ actor, confidential }) => issueVisible(issue, actor, confidential));
  const ofState = (state: string) => sql`count(*) FILTER (WHERE ${issue.state} = ${Prisma.raw(`'${state}'`)})`;
  return lateral(
    'issues',
    () => sql`SELECT ${ofState('opened')} AS opened, ${ofState('closed')} AS closed
      FROM ${table(issueLabel)} JOIN ${table(issue)} ON ${issue.id} = ${issueLabel.issueId}
      WHERE ${issueLabel.labelId} = ${label.id} AND ${issue.projectId} = ${label.projectId} AND ${issue.deletedAt} IS NULL
        AND ${visible}`,
  );
}
