import {
  type Followed,
  followed,
  labelTitles,
  projectPath,
  type TrailValues,
  trailValues,
} from '#src/domain/tracking/issues/trail.ts';
import { type TimeValues, timeValues } from '#src/domain/tracking/time_tracking/computed_fields.ts';
import { alias } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

declare module '#src/platform/records/computed_fields.ts' {
  interface ComputedFields {
    Issue: TrailValues & TimeValues & Followed;
  }
}

const issueLabel = alias('IssueLabel', 'il');

computedFields('Issue', {
  ...trailValues('Issue'),
  ...timeValues('Issue'),
  projectFullPath: (issue, tools) => projectPath(issue.projectId, tools),
  labelTitles: (issue) => labelTitles(issueLabel, issueLabel.issueId, issue.id),
  isSubscribed: (issue, tools) => followed('Issue', issue, tools),
});
