import { following, listPhase, stagedNumbers, translated } from '#src/domain/remote_imports/base/pages.ts';
import { labelRecord, webhookLeftOut } from '#src/domain/remote_imports/base/records.ts';
import type { Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { type Given, isGiven, listOf, titleIn } from '#src/domain/remote_imports/base/values.ts';
import { GITHUB_PROFILES } from '#src/domain/remote_imports/github/profiles.ts';
import {
  collaboratorRecords,
  commentRecords,
  commitCommentRecords,
  eventRecords,
  issueRecords,
  lineCommentRecords,
  milestoneRecord,
  pullRecords,
  releaseRecords,
  reviewRecords,
} from '#src/domain/remote_imports/github/records.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

const ORDER = 'sort=created&direction=asc&per_page=100';
/** How many records of a page are pull requests, each of which has two repositories in it. */
const PULLS = 'sort=created&direction=asc&per_page=40';

/** What GitHub has of a repository, in the order in which it is fetched: what refers to others comes behind them. */
export const GITHUB_PHASES: readonly Phase[] = [
  listPhase({
    name: 'labels',
    part: null,
    path: '/labels?per_page=100',
    what: 'labels',
    records: (given) => [labelRecord(given)],
  }),
  listPhase({
    name: 'milestones',
    part: null,
    path: '/milestones?state=all&per_page=100',
    what: 'milestones',
    records: (given) => [milestoneRecord(given)],
  }),
  listPhase({
    name: 'issues',
    part: 'issues',
    path: `/issues?state=all&${ORDER}`,
    what: 'issues',
    forbidden: 'The source has no issues, or the token may not read them.',
    // Pull requests are among them, and come by themselves.
    records: (given) => (isGiven(given.pull_request) ? [] : issueRecords(given)),
  }),
  listPhase({
    name: 'merge_requests',
    part: 'merge_requests',
    path: `/pulls?state=all&${PULLS}`,
    what: 'pull requests',
    records: (given) => pullRecords(given),
  }),
  listPhase({
    name: 'comments',
    part: null,
    path: `/issues/comments?${ORDER}`,
    what: 'comments',
    forbidden: 'The token may not read comments.',
    records: (given) => commentRecords(given),
  }),
  listPhase({
    name: 'line_comments',
    part: 'merge_requests',
    path: `/pulls/comments?${ORDER}`,
    what: 'comments',
    records: (given) => lineCommentRecords(given),
  }),
  { name: 'reviews', part: 'merge_requests', page: reviewsPage },
  listPhase({
    name: 'commit_comments',
    part: 'merge_requests',
    path: '/comments?per_page=100',
    what: 'comments',
    forbidden: 'The token may not read comments on commits.',
    records: (given) => commitCommentRecords(given),
  }),
  listPhase({
    name: 'events',
    part: null,
    path: '/issues/events?per_page=100',
    what: 'events',
    forbidden: 'The token may not read events of issues.',
    records: (given) => eventRecords(given),
  }),
  listPhase({
    name: 'releases',
    part: 'releases',
    path: '/releases?per_page=50',
    what: 'releases',
    records: (given) => (given.draft === true ? [] : releaseRecords(given)),
  }),
  listPhase({
    name: 'protected_branches',
    part: 'protected_branches',
    path: '/branches?protected=true&per_page=30',
    what: 'branches',
    forbidden: 'The token may not read protected branches.',
    records: protectedBranch,
  }),
  listPhase({
    name: 'members',
    part: 'members',
    path: '/collaborators?affiliation=direct&per_page=100',
    what: 'collaborators',
    forbidden: 'The token may not read collaborators.',
    records: (given) => collaboratorRecords(given),
  }),
  listPhase({
    name: 'webhooks',
    part: null,
    path: '/hooks?per_page=100',
    what: 'webhooks',
    // Who may not administer the repository does not see them.
    forbidden: '',
    records: () => [],
    leftOut: webhookLeftOut,
  }),
  GITHUB_PROFILES,
];

/** The reviews of one pull request after the other; the cursor is the number of the last one, or the address of its next page. */
async function reviewsPage(context: PhaseContext, cursor: string | null): ReturnType<Phase['page']> {
  const numbers = await stagedNumbers(context, ['merge_requests']);
  const [, last = '0', address = ''] = /^(\d+)(?: (.*))?$/.exec(cursor ?? '0') ?? [];
  const number = address === '' ? numbers.find((one) => one > Number(last)) : Number(last);
  if (number === undefined) return { records: [], next: null, seen: 0, total: numbers.length };
  const url = address === '' ? `${context.project.api}/pulls/${number}/reviews?per_page=100` : address;
  const { body, next } = await context.client.json(new URL(url));
  const page = await translated(
    { name: 'reviews', records: (given) => reviewRecords(given, number) },
    context,
    listOf(body, 'reviews'),
  );
  const more = following(next, context);
  const isLast = more === null && number === numbers.at(-1);
  const after = more === null ? String(number) : `${number} ${more}`;
  return { ...page, seen: more === null ? 1 : 0, total: numbers.length, next: isLast ? null : after };
}

/** A protected branch. What it allows is for administrators to read: without that masters merge and push. */
async function protectedBranch(given: Given, context: PhaseContext): Promise<StagedRecord[]> {
  const name = titleIn(given, 'name');
  const at = new URL(`${context.project.api}/branches/${encodeURIComponent(name)}/protection`);
  const answer = await context.client.json(at).catch((error) => {
    if (error instanceof RemoteRefused && error.status !== null) return null;
    throw error;
  });
  const rules = isGiven(answer?.body) ? answer.body : {};
  const force = isGiven(rules.allow_force_pushes) && rules.allow_force_pushes.enabled === true;
  const reviews = isGiven(rules.required_pull_request_reviews) ? rules.required_pull_request_reviews : null;
  const owners = reviews?.require_code_owner_reviews === true;
  const record = { name, allow_force_push: force, code_owner_approval_required: owners, push_level: reviews ? 0 : 40 };
  return [{ kind: 'branch_protections', record: { ...record, merge_level: 40 } }];
}
