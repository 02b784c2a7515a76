import type { Page, Phase, PhaseContext } from '#src/domain/remote_imports/base/source.ts';
import { approvalRuleRecords, groupsLeftOut } from '#src/domain/remote_imports/gitlab/approval_rules.ts';
import { awardPhase } from '#src/domain/remote_imports/gitlab/awards.ts';
import { badgeRecords, boardRecords } from '#src/domain/remote_imports/gitlab/boards.ts';
import { commitCommentPhase } from '#src/domain/remote_imports/gitlab/commit_comments.ts';
import { leftBehindPhase } from '#src/domain/remote_imports/gitlab/left_behind.ts';
import {
  discussionRecords,
  labelEventRecords,
  milestoneEventRecords,
  type NoteSubject,
  noteRecords,
  stateEventRecords,
} from '#src/domain/remote_imports/gitlab/notes.ts';
import {
  ABSENT_STATUSES,
  type GitlabList,
  gitlabList,
  gitlabSubjects,
  type SubjectList,
} from '#src/domain/remote_imports/gitlab/pages.ts';
import { GITLAB_PROFILES } from '#src/domain/remote_imports/gitlab/profiles.ts';
import {
  approvalRecords,
  issueLinkRecords,
  issueRecords,
  labelRecord,
  memberRecords,
  mergeRequestRecords,
  milestoneRecord,
  reviewerRecords,
  versionRecords,
} from '#src/domain/remote_imports/gitlab/records.ts';
import {
  branchRecords,
  levelsLeftOut,
  protectedBranchRecords,
  protectedTagRecords,
  releaseRecords,
  tagRecords,
} from '#src/domain/remote_imports/gitlab/releases.ts';
import { snippetRecords } from '#src/domain/remote_imports/gitlab/snippets.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

const OLDEST_FIRST = 'order_by=created_at&sort=asc';

/** The notes of an issue, a merge request or a snippet, in threads where the server tells of these. */
function noteLists(type: NoteSubject['type']): SubjectList[] {
  return [
    {
      name: 'discussions',
      path: '/discussions',
      what: 'discussions',
      absent: 'The source does not tell which comments are threads: it is older than 10.6.',
      records: (given, id, context) => discussionRecords(given, { type, id }, context),
    },
    {
      name: 'notes',
      path: `/notes?${OLDEST_FIRST}`,
      what: 'notes',
      absent: 'The source has no comments, or the token may not read them.',
      isInstead: true,
      records: (given, id, context) => noteRecords(given, { type, id }, context),
    },
  ];
}

/** What happened to an issue or a merge request. */
function eventLists(type: 'Issue' | 'MergeRequest'): SubjectList[] {
  const of = type === 'Issue' ? 'issues' : 'merge requests';
  const absent = (what: string, since: string) =>
    `The source does not tell ${what} of ${of}: it is older than ${since}. Where notes tell of it, these come along.`;
  return [
    {
      name: 'label_events',
      path: '/resource_label_events',
      what: 'events',
      absent: absent('when labels were set', '11.3'),
      records: (given, id) => labelEventRecords(given, { type, id }),
    },
    {
      name: 'state_events',
      path: '/resource_state_events',
      what: 'events',
      absent: absent('changes of the state', '13.2'),
      records: (given, id) => stateEventRecords(given, { type, id }),
    },
    {
      name: 'milestone_events',
      path: '/resource_milestone_events',
      what: 'events',
      absent: absent('when milestones were set', '13.1'),
      records: (given, id, context) => milestoneEventRecords(given, { type, id }, context),
    },
  ];
}

/** What GitLab has of a project, in the order in which it is fetched: what refers to others comes behind them. */
export const GITLAB_PHASES: readonly Phase[] = [
  gitlabList({
    name: 'labels',
    part: null,
    path: '/labels',
    what: 'labels',
    forbidden: 'The token may not read labels.',
    records: (given) => [labelRecord(given)],
  }),
  gitlabList({
    name: 'milestones',
    part: null,
    path: '/milestones',
    what: 'milestones',
    forbidden: 'The token may not read milestones.',
    records: (given, context) => {
      const files: Parameters<typeof milestoneRecord>[2] = [];
      return [milestoneRecord(given, context, files), ...files];
    },
  }),
  gitlabList({
    name: 'issues',
    part: 'issues',
    path: `/issues?scope=all&with_labels_details=true&${OLDEST_FIRST}`,
    what: 'issues',
    forbidden: 'The source has no issues, or the token may not read them.',
    isByTime: true,
    records: issueRecords,
  }),
  gitlabList({
    name: 'merge_requests',
    part: 'merge_requests',
    path: `/merge_requests?state=all&scope=all&with_labels_details=true&${OLDEST_FIRST}`,
    what: 'merge requests',
    forbidden: 'The source has no merge requests, or the token may not read them.',
    isByTime: true,
    records: mergeRequestRecords,
  }),
  gitlabSubjects({ name: 'issue_notes', part: 'issues', of: 'issues', lists: noteLists('Issue') }),
  gitlabSubjects({
    name: 'merge_request_notes',
    part: 'merge_requests',
    of: 'merge_requests',
    lists: [
      {
        name: 'versions',
        path: '/versions',
        what: 'versions',
        absent: 'The source does not tell the versions of merge requests, or the token may not read them.',
        records: versionRecords,
      },
      ...noteLists('MergeRequest'),
    ],
  }),
  gitlabSubjects({
    name: 'reviews',
    part: 'merge_requests',
    of: 'merge_requests',
    lists: [
      {
        name: 'reviewers',
        path: '/reviewers',
        what: 'reviewers',
        absent: 'The source does not tell what reviewers decided: it is older than 14.9.',
        records: reviewerRecords,
      },
      {
        name: 'approvals',
        path: '/approvals',
        what: 'approvals',
        absent: 'The source has no approvals, or the token may not read them.',
        isOne: true,
        records: approvalRecords,
      },
    ],
  }),
  gitlabSubjects({ name: 'issue_events', part: 'issues', of: 'issues', lists: eventLists('Issue') }),
  gitlabSubjects({
    name: 'merge_request_events',
    part: 'merge_requests',
    of: 'merge_requests',
    lists: eventLists('MergeRequest'),
  }),
  gitlabSubjects({
    name: 'issue_links',
    part: 'issues',
    of: 'issues',
    lists: [
      {
        name: 'issue_links',
        path: '/links',
        what: 'linked issues',
        absent: 'The source has no links of issues, or the token may not read them.',
        records: issueLinkRecords,
      },
    ],
  }),
  gitlabList({
    name: 'snippets',
    part: null,
    path: '/snippets',
    what: 'snippets',
    forbidden: 'The source has no snippets, or the token may not read them.',
    records: snippetRecords,
  }),
  gitlabSubjects({ name: 'snippet_notes', part: null, of: 'snippets', lists: noteLists('Snippet') }),
  commitCommentPhase,
  awardPhase,
  orElse(
    gitlabList({
      name: 'releases',
      part: 'releases',
      path: `/releases?${OLDEST_FIRST}`,
      what: 'releases',
      records: releaseRecords,
    }),
    {
      name: 'releases',
      part: 'releases',
      path: '/repository/tags',
      what: 'tags',
      forbidden: 'The source has no releases, or the token may not read them.',
      records: tagRecords,
    },
  ),
  orElse(
    gitlabList({
      name: 'protected_branches',
      part: 'protected_branches',
      path: '/protected_branches',
      what: 'protected branches',
      records: protectedBranchRecords,
      remark: levelsLeftOut,
    }),
    {
      name: 'protected_branches',
      part: 'protected_branches',
      path: '/repository/branches',
      what: 'branches',
      forbidden: 'The token may not read protected branches.',
      records: branchRecords,
    },
  ),
  gitlabList({
    name: 'protected_tags',
    part: 'protected_branches',
    path: '/protected_tags',
    what: 'protected tags',
    forbidden: 'The source has no protected tags, or the token may not read them.',
    records: protectedTagRecords,
    remark: levelsLeftOut,
  }),
  gitlabList({
    name: 'approval_rules',
    part: 'merge_requests',
    path: '/approval_rules',
    what: 'approval rules',
    forbidden: 'The source has no approval rules, or the token may not read them.',
    records: approvalRuleRecords,
    remark: groupsLeftOut,
  }),
  gitlabList({
    name: 'members',
    part: 'members',
    path: '/members',
    what: 'members',
    forbidden: 'The token may not read members.',
    records: memberRecords,
  }),
  gitlabList({
    name: 'boards',
    part: 'issues',
    path: '/boards',
    what: 'boards',
    forbidden: 'The source has no boards, or the token may not read them.',
    records: boardRecords,
  }),
  gitlabList({
    name: 'badges',
    part: null,
    path: '/badges',
    what: 'badges',
    forbidden: 'The source has no badges: it is older than 10.6.',
    records: badgeRecords,
  }),
  leftBehindPhase,
  GITLAB_PROFILES,
];

/** A list that older servers have in another place: where its first page is not there, the other one is read. */
function orElse(list: Phase, older: GitlabList): Phase {
  const other = gitlabList(older);
  return {
    ...list,
    async page(context: PhaseContext, cursor: string | null): Promise<Page> {
      if (cursor?.startsWith(OLDER)) return marked(await other.page(context, cursor.slice(OLDER.length)));
      try {
        return await list.page(context, cursor);
      } catch (error) {
        const isAbsent = error instanceof RemoteRefused && ABSENT_STATUSES.includes(error.status);
        if (!isAbsent || cursor !== null) throw error;
        return marked(await other.page(context, null));
      }
    },
  };
}

const OLDER = 'older ';

function marked(page: Page): Page {
  return { ...page, next: page.next === null ? null : `${OLDER}${page.next}` };
}
