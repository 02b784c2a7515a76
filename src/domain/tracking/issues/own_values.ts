import {
  type Followed,
  followed,
  labelTitles,
  projectPath,
  type TrailValues,
  trailValues,
} from '#src/domain/tracking/issues/trail.ts';
import { type TimeValues, timeValues } from '#src/domain/tracking/time_tracking/own_values.ts';
import { alias } from '#src/platform/records/alias.ts';
import { ownValues } from '#src/platform/records/own_values.ts';

declare module '#src/platform/records/own_values.ts' {
  interface OwnValues {
    Issue: TrailValues & TimeValues & Followed;
  }
}

const issueLabel = alias('IssueLabel', 'il');

ownValues('Issue', {
  ...trailValues('Issue'),
  ...timeValues('Issue'),
  projectFullPath: (issue, tools) => projectPath(issue.projectId, tools),
  labelTitles: (issue) => labelTitles(issueLabel, issueLabel.issueId, issue.id),
  isSubscribed: (issue, tools) => followed('Issue', issue, tools),
});
