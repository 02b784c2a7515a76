import { followed, labelTitles, projectPath, trailValues } from '#src/domain/tracking/issues/trail.ts';
import { assigneesOf } from '#src/domain/tracking/subjects/assignees.ts';
import { timeValues } from '#src/domain/tracking/time_tracking/computed_fields.ts';
import { alias } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const issueLabel = alias('IssueLabel', 'il');

computedFields('Issue', {
  ...trailValues('Issue'),
  ...timeValues('Issue'),
  projectFullPath: (issue, tools) => projectPath(issue.projectId, tools),
  labelTitles: (issue) => labelTitles(issueLabel, issueLabel.issueId, issue.id),
  assigneeIds: (issue) => assigneesOf('Issue', issue.id),
  isSubscribed: (issue, tools) => followed('Issue', issue, tools),
});
