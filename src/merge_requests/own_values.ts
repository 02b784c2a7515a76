import { labelTitles, projectPath, type TrailValues, trailValues } from '#src/issues/trail.ts';
import { alias } from '#src/platform/records/alias.ts';
import { ownValues } from '#src/platform/records/own_values.ts';
import { type TimeValues, timeValues } from '#src/time_tracking/own_values.ts';

declare module '#src/platform/records/own_values.ts' {
  interface OwnValues {
    MergeRequest: TrailValues & TimeValues;
  }
}

const mergeRequestLabel = alias('MergeRequestLabel', 'ml');

ownValues('MergeRequest', {
  ...trailValues('MergeRequest'),
  ...timeValues('MergeRequest'),
  projectFullPath: (mergeRequest, tools) => projectPath(mergeRequest.targetProjectId, tools),
  labelTitles: (mergeRequest) => labelTitles(mergeRequestLabel, mergeRequestLabel.mergeRequestId, mergeRequest.id),
});
