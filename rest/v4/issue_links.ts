import { mutation } from '#rest/engine/mutation.ts';
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
    ...mutation('CreateIssueLink', 'createIssueLink.issueLink', '...IssueLinkRecord'),
    required: ['target_project_id', 'target_issue_iid'],
    names: { target_project: 'target_project_id', target_iid: 'target_issue_iid' },
    alsoRefuses: [409],
  },
  {
    method: 'DELETE',
    path: `${path}/:issue_link_id`,
    ...mutation('DeleteIssueLink', 'deleteIssueLink.issueLink', '...IssueLinkRecord'),
    hidden: ['other_issue_id'],
  },
];
