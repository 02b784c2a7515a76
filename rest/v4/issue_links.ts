import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const path = '/projects/:id/issues/:issue_iid/links';

export const issueLinks: Route[] = [
  {
    method: 'GET',
    path,
    operation: operations.IssueLinksDocument,
    result: 'project.issue.links',
    spread: 'issue',
  },
  {
    method: 'GET',
    path: `${path}/:issue_link_id`,
    operation: operations.IssueLinkDocument,
    result: 'project.issue.link',
  },
  {
    method: 'POST',
    path,
    operation: operations.CreateIssueLinkDocument,
    required: ['target_project_id', 'target_issue_iid'],
    names: { target_project: 'target_project_id', target_iid: 'target_issue_iid' },
    result: 'createIssueLink.issueLink',
    alsoRefuses: [409],
  },
  {
    method: 'DELETE',
    path: `${path}/:issue_link_id`,
    operation: operations.DeleteIssueLinkDocument,
    result: 'deleteIssueLink.issueLink',
  },
];
