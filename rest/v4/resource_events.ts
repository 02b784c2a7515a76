import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** @param path of the issue or merge request; @param field of the project that finds it */
function eventsOn(
  path: string,
  field: string,
  kinds: Record<string, Record<'list' | 'read', Route['operation']>>,
): Route[] {
  return Object.entries(kinds).flatMap(([kind, { list, read }]): Route[] => {
    const events = `/projects/:id/${path}/resource_${kind}_events`;
    return [
      { method: 'GET', path: events, operation: list, result: `project.${field}.${kind}Events` },
      {
        method: 'GET',
        path: `${events}/:resource_${kind}_event_id`,
        operation: read,
        result: `project.${field}.${kind}Event`,
      },
    ];
  });
}

export const resourceEvents: Route[] = [
  ...eventsOn('issues/:issue_iid', 'issue', {
    label: { list: operations.IssueLabelEventsDocument, read: operations.IssueLabelEventDocument },
    milestone: { list: operations.IssueMilestoneEventsDocument, read: operations.IssueMilestoneEventDocument },
    state: { list: operations.IssueStateEventsDocument, read: operations.IssueStateEventDocument },
  }),
  ...eventsOn('merge_requests/:merge_request_iid', 'mergeRequest', {
    label: { list: operations.MergeRequestLabelEventsDocument, read: operations.MergeRequestLabelEventDocument },
    milestone: {
      list: operations.MergeRequestMilestoneEventsDocument,
      read: operations.MergeRequestMilestoneEventDocument,
    },
    state: { list: operations.MergeRequestStateEventsDocument, read: operations.MergeRequestStateEventDocument },
  }),
];
