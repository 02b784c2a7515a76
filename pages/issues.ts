import { form, page, type Row } from '#pages/engine/row.ts';
import { commentForm, THREADS } from '#pages/notes.ts';
import {
  IssueListPageDocument,
  IssuePageDocument,
  NewIssuePageDocument,
  SendNewIssueDocument,
} from '#src/generated/page_operations.ts';

const newIssue = page({
  path: '/:project/-/issues/new',
  operation: NewIssuePageDocument,
  view: 'issues/new',
  found: ({ project }) => project,
  title: (project) => `New issue · ${project.fullPath}`,
  show: (project) => ({ project, tab: 'issues' }),
  signIn: true,
});

const issue = page({
  path: '/:project/-/issues/:iid',
  operation: IssuePageDocument,
  view: 'issues/show',
  found: ({ project }) => project?.issue && { project, issue: project.issue },
  title: ({ project, issue }) => `${issue.title} (#${issue.iid}) · ${project.fullPath}`,
  show: ({ project, issue }) => ({ project, issue, tab: 'issues' }),
  pageSize: THREADS,
});

export const issues: Row[] = [
  page({
    path: '/:project/-/issues',
    operation: IssueListPageDocument,
    view: 'issues/list',
    found: ({ project }) => project,
    title: (project) => `Issues · ${project.fullPath}`,
    show: (project, { given }) => ({ project, tab: 'issues', issues: project.issues, state: given.state ?? 'opened' }),
  }),
  newIssue,
  form({
    path: '/:project/-/issues',
    operation: SendNewIssueDocument,
    goTo: ({ createIssue }) => `/${createIssue?.issue.project.fullPath}/-/issues/${createIssue?.issue.iid}`,
    again: newIssue,
  }),
  issue,
  commentForm('/:project/-/issues/:iid', issue),
];
