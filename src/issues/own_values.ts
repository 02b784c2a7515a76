import type { Actor } from '#src/access/actor.ts';
import { labelTitles, projectPath, type TrailValues, trailValues } from '#src/issues/trail.ts';
import { Prisma } from '#src/platform/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import { ownValues } from '#src/platform/records/own_values.ts';
import { type TimeValues, timeValues } from '#src/time_tracking/own_values.ts';

declare module '#src/platform/records/own_values.ts' {
  interface OwnValues {
    Issue: TrailValues &
      TimeValues & {
        /**
         * Whether the actor follows it: by explicit choice, else as a participant, that is author, assignee, author of a note or
         * mentioned (behaviour.md 8).
         */
        isSubscribed: boolean;
      };
  }
}

const { sql } = Prisma;
const [issueLabel, note, subscription] = [alias('IssueLabel', 'il'), alias('Note', 'nt'), alias('Subscription', 's')];

ownValues('Issue', {
  ...trailValues('Issue'),
  ...timeValues('Issue'),
  projectFullPath: (issue, tools) => projectPath(issue.projectId, tools),
  labelTitles: (issue) => labelTitles(issueLabel, issueLabel.issueId, issue.id),
  isSubscribed: (issue, { given }) => given(({ actor }) => (actor ? follows(actor, issue) : sql`FALSE`)),
});

function follows({ id, username }: Pick<Actor, 'id' | 'username'>, issue: Alias<'Issue'>): Prisma.Sql {
  const mention = `@${username.replaceAll('.', '\\.')}(?![A-Za-z0-9_-])`;
  return sql`COALESCE((SELECT ${subscription.subscribed} FROM ${table(subscription)} WHERE ${subscription.subjectType} = 'Issue'
      AND ${subscription.subjectId} = ${issue.id} AND ${subscription.userId} = ${id}),
    ${issue.authorId} = ${id} OR COALESCE(${issue.assigneeId} = ${id}, false)
      OR COALESCE(${issue.description} ~* ${mention}, false)
      OR EXISTS (SELECT 1 FROM ${table(note)} WHERE ${note.subjectType} = 'Issue' AND ${note.subjectId} = ${issue.id}
        AND NOT ${note.system} AND (${note.authorId} = ${id} OR ${note.body} ~* ${mention})))`;
}
