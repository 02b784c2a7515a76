import { labelRecord, webhookLeftOut } from '#src/domain/remote_imports/base/records.ts';
import type { Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { type Given, idIn, isGiven, listOf, textIn, titleIn } from '#src/domain/remote_imports/base/values.ts';
import { GITEA_PACKAGE_PHASES } from '#src/domain/remote_imports/gitea/packages.ts';
import { giteaList, giteaSubjects } from '#src/domain/remote_imports/gitea/pages.ts';
import { pullRecords } from '#src/domain/remote_imports/gitea/pulls.ts';
import {
  collaboratorRecords,
  commentRecords,
  eventRecords,
  issueRecords,
  milestoneRecord,
  protectionRecord,
  releaseRecords,
} from '#src/domain/remote_imports/gitea/records.ts';
import { lineCommentsRecords, reviewRecords } from '#src/domain/remote_imports/gitea/reviews.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** What Gitea has of a repository, in the order in which it is fetched: what refers to others comes behind them. */
export const GITEA_PHASES: readonly Phase[] = [
  giteaList({
    name: 'labels',
    part: null,
    path: '/labels',
    what: 'labels',
    forbidden: 'The token may not read labels.',
    records: (given) => [labelRecord(given)],
  }),
  giteaList({
    name: 'milestones',
    part: null,
    path: '/milestones?state=all',
    what: 'milestones',
    forbidden: 'The token may not read milestones.',
    records: (given, context) => [milestoneRecord(given, context)],
  }),
  giteaList({
    name: 'issues',
    part: 'issues',
    path: '/issues?state=all&type=issues&sort=oldest',
    what: 'issues',
    forbidden: 'The source has no issues, or the token may not read them.',
    // Servers of before 1.13 give pull requests as well, which come by themselves.
    records: (given, context) => (isGiven(given.pull_request) ? [] : issueRecords(given, context)),
  }),
  giteaList({
    name: 'merge_requests',
    part: 'merge_requests',
    path: '/pulls?state=all&sort=oldest',
    what: 'pull requests',
    forbidden: 'The source has no pull requests, or the token may not read them.',
    records: (given, context) => pullRecords(given, context),
  }),
  giteaList({
    name: 'comments',
    part: null,
    path: '/issues/comments',
    what: 'comments',
    forbidden: 'The token may not read comments.',
    records: (given, context) => commentRecords(given, context),
  }),
  giteaSubjects({
    name: 'reviews',
    part: 'merge_requests',
    kinds: ['merge_requests'],
    path: (number) => `/pulls/${number}/reviews`,
    what: 'reviews',
    absent: 'The source has no reviews, or the token may not read them.',
    records: review,
  }),
  giteaSubjects({
    name: 'events',
    part: null,
    kinds: ['issues', 'merge_requests'],
    path: (number) => `/issues/${number}/timeline`,
    what: 'events',
    absent: 'The source does not tell who closed, reopened and labelled what: it is older than 1.17.',
    records: (given, number) => eventRecords(given, number),
  }),
  giteaList({
    name: 'releases',
    part: 'releases',
    path: '/releases',
    what: 'releases',
    forbidden: 'The source has no releases, or the token may not read them.',
    records: (given, context) => (given.draft === true ? [] : releaseRecords(given, context)),
  }),
  giteaList({
    name: 'protected_branches',
    part: 'protected_branches',
    path: '/branch_protections',
    what: 'protected branches',
    forbidden: 'The token may not read protected branches.',
    isWhole: true,
    records: (given) => [protectionRecord(given)],
  }),
  giteaList({
    name: 'members',
    part: 'members',
    path: '/collaborators',
    what: 'collaborators',
    forbidden: 'The token may not read collaborators.',
    records: collaborator,
  }),
  ...GITEA_PACKAGE_PHASES,
  giteaList({
    name: 'webhooks',
    part: null,
    path: '/hooks',
    what: 'webhooks',
    // Who may not administer the repository does not see them.
    forbidden: '',
    records: () => [],
    leftOut: webhookLeftOut,
  }),
];

/** A review with its comments on lines. */
async function review(given: Given, number: number, context: PhaseContext): Promise<StagedRecord[]> {
  const records = reviewRecords(given, number, context);
  if (given.comments_count === 0 || records.length === 0) return records;
  const at = new URL(`${context.project.api}/pulls/${number}/reviews/${idIn(given, 'id')}/comments`);
  const { body } = await context.client.json(at);
  const comments = body === null ? [] : listOf(body, 'comments');
  return [...records, ...lineCommentsRecords(comments, number, context)];
}

/** A collaborator. What they may do is for administrators to read: without that they report. */
async function collaborator(given: Given, context: PhaseContext): Promise<StagedRecord[]> {
  const login = titleIn(given, 'login');
  const at = new URL(`${context.project.api}/collaborators/${encodeURIComponent(login)}/permission`);
  const answer = await context.client.json(at).catch((error) => {
    if (error instanceof RemoteRefused && error.status !== null) return null;
    throw error;
  });
  return collaboratorRecords(given, isGiven(answer?.body) ? textIn(answer.body, 'permission', 20) : 'read');
}
