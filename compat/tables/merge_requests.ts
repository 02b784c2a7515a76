import { from, gid, name, names, object, of, same, through, type } from '#compat/engine/entries.ts';
import { connection, listed, listing, nodes } from '#compat/engine/pages.ts';
import type { Row } from '#compat/engine/table.ts';
import { subject } from '#compat/tables/issues.ts';
import { person } from '#compat/tables/users.ts';
import { lowerCase, text, time } from '#compat/tables/values.ts';

/** Whether it can be merged, as far as the branches say, by the status of the core graph. */
const MERGE_STATUS: Readonly<Record<string, string>> = {
  can_be_merged: 'CAN_BE_MERGED',
  cannot_be_merged: 'CANNOT_BE_MERGED',
  cannot_be_merged_recheck: 'CANNOT_BE_MERGED_RECHECK',
  checking: 'CHECKING',
};

/** Sizes of a diff by files. */
interface Changed {
  _files: { nodes: { newPath: string; additions: number; deletions: number }[]; totalCount: number } | null;
}

const CHANGED = '_files: fileDiffs(first: 100) { totalCount nodes { newPath additions deletions } }';

const sum = (files: Changed['_files'], key: 'additions' | 'deletions') =>
  files?.nodes.reduce((all, file) => all + file[key], 0) ?? 0;

type('MergeRequest', 'MergeRequest', {
  ...subject,
  ...names(
    'approvalsRequired',
    'defaultMergeCommitMessage',
    'defaultSquashCommitMessage',
    'draft',
    'forceRemoveSourceBranch',
    'rebaseInProgress',
    'resolvableDiscussionsCount',
    'resolvedDiscussionsCount',
    'shouldRemoveSourceBranch',
    'sourceBranch',
    'squash',
    'squashOnMerge',
    'squashReadOnly',
    'targetBranch',
    'titleHtml',
    'upvotes',
    'userNotesCount',
  ),
  id: gid('MergeRequest'),
  iid: text('iid'),
  state: lowerCase('state'),
  mergedAt: time('mergedAt'),
  autoMergeEnabled: name('mergeWhenPipelineSucceeds'),
  approved: of<number>('approvalsLeft', (left) => left === 0),
  conflicts: name('hasConflicts'),
  mergeable: of('detailedMergeStatus', (status) => status === 'MERGEABLE'),
  mergeStatusEnum: of<string>('mergeStatus', (status) => MERGE_STATUS[status] ?? 'UNCHECKED'),
  shouldBeRebased: of('detailedMergeStatus', (status) => status === 'NEED_REBASE'),
  targetProjectId: from<{ project: Row }>('project { databaseId }', ({ project }) => project.databaseId),
  reference: from<{ references: Row }>('references { full short }', ({ references }, { full }) =>
    full ? references.full : references.short,
  ),
  author: object('author', 'MergeRequestAuthor'),
  milestone: object('milestone', 'Milestone'),
  project: object('project', 'Project'),
  targetProject: object('project', 'Project'),
  sourceProject: object('sourceProject', 'Project'),
  headPipeline: object('headPipeline', 'Pipeline'),
  diffRefs: object('diffRefs', 'DiffRefs'),
  diffStats: nodes('fileDiffs', 'DiffStats'),
  diffStatsSummary: same('DiffStatsSummary'),
  userPermissions: same('MergeRequestPermissions'),
  approvedBy: listed('approvals.user', 'UserCore'),
  assignees: listed('assignees', 'MergeRequestAssignee'),
  reviewers: listing(
    {
      select: (site, inside) => [
        site.call('reviews', REVIEWS, [site.call('nodes', null, inside)]),
        site.call('approvals', null, [site.call('user', null, [site.call('databaseId')])]),
      ],
      items: (row, site) => {
        const approvals = row.approvals as { user: Row }[];
        const approvers = approvals.map(({ user }) => user.databaseId);
        const reviews = row[site.keyOf('reviews', REVIEWS)] as { nodes: (Row & { user: Row })[] } | null;
        return (
          reviews?.nodes.map((review) => ({ ...review, isApproval: approvers.includes(review.user?.databaseId) })) ??
          null
        );
      },
    },
    'MergeRequestReviewer',
  ),
  labels: connection('labels', 'Label'),
  pipelines: connection('pipelines', 'Pipeline'),
  discussions: connection('discussions', 'Discussion'),
  commits: connection('commits', 'Commit'),
  commitCount: from<{ _commits: Row | null }>(
    '_commits: commits(first: 0) { totalCount }',
    ({ _commits }) => _commits?.totalCount,
  ),
});

const REVIEWS = { first: () => 100 };

type('MergeRequestReviewer', 'MergeRequestReviewer', {
  ...through('user', 'User', { ...person, publicEmail: name('publicEmail') }),
  mergeRequestInteraction: same('UserMergeRequestInteraction'),
});

/** What a reviewer has done, with the approvals of the merge request, which the list notes. */
type('UserMergeRequestInteraction', 'MergeRequestReviewer', {
  approved: from<Row>('state user { databaseId }', ({ isApproval }) => isApproval === true),
  reviewState: name('state'),
  reviewed: of<string>('state', (state) => !['UNREVIEWED', 'REVIEW_STARTED', 'UNAPPROVED'].includes(state)),
});

type('MergeRequestPermissions', 'MergeRequest', {
  canApprove: name('viewerCanApprove'),
  canMerge: from<{ viewerPermissions: Row }>(
    'viewerPermissions { canMerge }',
    ({ viewerPermissions }) => viewerPermissions.canMerge,
  ),
  createNote: name('viewerCanComment'),
  updateMergeRequest: name('viewerCanUpdate'),
});

type('DiffRefs', 'DiffRefs', names('baseSha', 'headSha', 'startSha'));
type('DiffStats', 'FileDiff', { ...names('additions', 'deletions'), path: name('newPath') });
type('DiffStatsSummary', 'MergeRequest', {
  additions: from<Changed>(CHANGED, ({ _files }) => sum(_files, 'additions')),
  deletions: from<Changed>(CHANGED, ({ _files }) => sum(_files, 'deletions')),
  changes: from<Changed>(CHANGED, ({ _files }) => sum(_files, 'additions') + sum(_files, 'deletions')),
  fileCount: from<Changed>(CHANGED, ({ _files }) => _files?.totalCount ?? 0),
});
