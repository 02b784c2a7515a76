import type { Seer } from '#src/access/permissions/visibility.ts';
import { type Check, CHECKS as is } from '#src/domain/project_archives/checks.ts';
import { visible } from '#src/domain/snippets/visible.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import type { Columns, ModelName } from '#src/platform/records/model.ts';

const { sql } = Prisma;

/**
 * What becomes of a record whose user the archive does not list, and of one that gives rights to a user without an account here: that user
 * is the importer, or nobody, or there is no record. Other users without an account are placeholders.
 */
export type Unknown = 'importer' | 'nobody' | 'dropped';

/** Records of a kind, as they are in an archive: each is a line of `tree/<name>.ndjson`, an object with the columns in the database. */
export interface Kind {
  name: string;
  model: ModelName;
  /** The columns that stay as they are, each with what its values have to be. */
  columns: Readonly<Record<string, Check>>;
  /** Columns with the ID of another record of the archive, by the kind of that. */
  refs: Readonly<Record<string, string>>;
  users: Readonly<Record<string, Unknown>>;
  /** Whether what it belongs to, `subjectType` and `subjectId`, is a record of one of several kinds. */
  ofSubject: boolean;
  /** The column with a text that names the author, where the importer takes the author’s place. */
  signed: string | null;
  /** The column with the ID of the project, where there is one. */
  project: string | null;
  /** Columns that an archive has, but that are not stored. */
  hints: readonly string[];
  /** The condition for the records of a project that a master of it, or an administrator, may read. */
  rows(projectId: number, reader: Seer): { alias: Alias<ModelName>; where: Prisma.Sql };
}

interface Rest<M extends ModelName> {
  columns?: { readonly [C in keyof Columns[M]]?: Check };
  refs?: { readonly [C in keyof Columns[M]]?: string };
  users?: { readonly [C in keyof Columns[M]]?: Unknown };
  ofSubject?: true;
  signed?: keyof Columns[M] & string;
  project?: keyof Columns[M] & string;
  hints?: readonly (keyof Columns[M] & string)[];
  where(row: Alias<M>, projectId: number, reader: Seer): Prisma.Sql;
}

/** A kind of records of a project, or of a group and the groups in it: `where` gets the ID of that. */
export function kind<M extends ModelName>(name: string, model: M, rest: Rest<M>): Kind {
  return {
    name,
    model,
    columns: (rest.columns ?? {}) as Kind['columns'],
    refs: (rest.refs ?? {}) as Kind['refs'],
    users: (rest.users ?? {}) as Kind['users'],
    ofSubject: rest.ofSubject ?? false,
    signed: rest.signed ?? null,
    project: rest.project ?? null,
    hints: rest.hints ?? [],
    rows(projectId, reader) {
      const row = alias(model, 'r');
      return { alias: row as unknown as Alias<ModelName>, where: rest.where(row, projectId, reader) };
    },
  };
}

const issuesOf = (projectId: number) =>
  sql`(SELECT id FROM issues WHERE project_id = ${projectId} AND deleted_at IS NULL)`;
const mergeRequestsOf = (projectId: number) =>
  sql`(SELECT id FROM merge_requests WHERE target_project_id = ${projectId})`;
const snippet = alias('Snippet', 's');
/** Snippets are the one thing of a project that masters may not read all of. */
const snippetsOf = (projectId: number, reader: Seer) =>
  sql`(SELECT ${snippet.id} FROM ${table(snippet)} WHERE ${snippet.projectId} = ${projectId} AND ${visible(reader, true, snippet)})`;
const rulesOf = (projectId: number) =>
  sql`(SELECT id FROM approval_rules WHERE project_id = ${projectId} AND rule_type <> 'code_owner')`;
const releasesOf = (projectId: number) => sql`(SELECT id FROM releases WHERE project_id = ${projectId})`;

/** What belongs to an issue or a merge request of the project. */
function ofEither(row: { issueId: Prisma.Sql; mergeRequestId: Prisma.Sql }, projectId: number): Prisma.Sql {
  return sql`(${row.issueId} IN ${issuesOf(projectId)} OR ${row.mergeRequestId} IN ${mergeRequestsOf(projectId)})`;
}

/** Of notes: those of the project, but none that tells of a record elsewhere, which not everybody may know of. */
function noteOf(
  row: Pick<Alias<'Note'>, 'subjectType' | 'subjectId' | 'sourceProjectId'>,
  projectId: number,
  reader: Seer,
): Prisma.Sql {
  return sql`((${row.subjectType} = 'Issue' AND ${row.subjectId} IN ${issuesOf(projectId)})
      OR (${row.subjectType} = 'MergeRequest' AND ${row.subjectId} IN ${mergeRequestsOf(projectId)})
      OR (${row.subjectType} = 'Snippet' AND ${row.subjectId} IN ${snippetsOf(projectId, reader)}))
    AND (${row.sourceProjectId} IS NULL OR ${row.sourceProjectId} = ${projectId})`;
}

const notesOf = (projectId: number, reader: Seer) =>
  sql`(SELECT n.id FROM notes n WHERE ${noteOf(alias('Note', 'n'), projectId, reader)})`;

/** What push rules of projects and groups ask. */
export const PUSH_RULE = {
  commitMessageRegex: is.pushPattern,
  commitMessageNegativeRegex: is.pushPattern,
  branchNameRegex: is.pushPattern,
  authorEmailRegex: is.pushPattern,
  fileNameRegex: is.pushPattern,
  maxFileSize: is.fileMegabytes,
  denyDeleteTag: is.boolean,
  memberCheck: is.boolean,
  preventSecrets: is.boolean,
  commitCommitterCheck: is.boolean,
  commitCommitterNameCheck: is.boolean,
  rejectUnsignedCommits: is.boolean,
  rejectNonDcoCommits: is.boolean,
} as const;

const times = { createdAt: is.time, updatedAt: is.time };
const EITHER = { issueId: 'issues', mergeRequestId: 'merge_requests' } as const;

/** All kinds, in the order in which they are imported: what refers to others comes behind them. */
export const KINDS: readonly Kind[] = [
  // Those of groups become the project's own.
  kind('labels', 'Label', {
    columns: {
      title: is.name,
      color: is.color,
      description: is.text,
      priority: is.number,
      archived: is.boolean,
      ...times,
    },
    hints: ['groupId'],
    project: 'projectId',
    where: (row, id) => sql`(${row.projectId} = ${id} OR ${row.groupId} IS NOT NULL AND ${row.id} IN (
      SELECT label_id FROM issue_labels WHERE issue_id IN ${issuesOf(id)}
      UNION SELECT label_id FROM merge_request_labels WHERE merge_request_id IN ${mergeRequestsOf(id)}
      UNION SELECT label_id FROM label_priorities WHERE project_id = ${id}
      UNION SELECT label_id FROM board_lists WHERE project_id = ${id}
      UNION SELECT label_id FROM label_events WHERE issue_id IN ${issuesOf(id)} OR merge_request_id IN ${mergeRequestsOf(id)}))`,
  }),
  kind('label_priorities', 'LabelPriority', {
    columns: { priority: is.number },
    refs: { labelId: 'labels' },
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('milestones', 'Milestone', {
    columns: {
      iid: is.iid,
      title: is.name,
      description: is.text,
      state: is.enum,
      startDate: is.date,
      dueDate: is.date,
      ...times,
    },
    hints: ['groupId'],
    project: 'projectId',
    where: (row, id) => sql`(${row.projectId} = ${id} OR ${row.groupId} IS NOT NULL AND ${row.id} IN (
      SELECT milestone_id FROM issues WHERE project_id = ${id} AND deleted_at IS NULL
      UNION SELECT milestone_id FROM merge_requests WHERE target_project_id = ${id}
      UNION SELECT milestone_id FROM release_milestones WHERE release_id IN ${releasesOf(id)}
      UNION SELECT milestone_id FROM milestone_events
        WHERE issue_id IN ${issuesOf(id)} OR merge_request_id IN ${mergeRequestsOf(id)}))`,
  }),
  kind('issues', 'Issue', {
    columns: {
      iid: is.iid,
      title: is.title,
      description: is.text,
      state: is.enum,
      type: is.enum,
      severity: is.enum,
      confidential: is.boolean,
      dueDate: is.date,
      timeEstimate: is.seconds,
      discussionLocked: is.boolean,
      relativePosition: is.number,
      lastEditedAt: is.time,
      ...times,
    },
    refs: { milestoneId: 'milestones' },
    users: { authorId: 'importer', updatedById: 'nobody', lastEditedById: 'nobody' },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id} AND ${row.deletedAt} IS NULL`,
  }),
  kind('issue_assignees', 'IssueAssignee', {
    columns: { position: is.seconds },
    refs: { issueId: 'issues' },
    users: { userId: 'dropped' },
    where: (row, id) => sql`${row.issueId} IN ${issuesOf(id)}`,
  }),
  kind('issue_labels', 'IssueLabel', {
    refs: { issueId: 'issues', labelId: 'labels' },
    where: (row, id) => sql`${row.issueId} IN ${issuesOf(id)}`,
  }),
  kind('issue_parents', 'IssueParent', {
    columns: { createdAt: is.time },
    refs: { issueId: 'issues', parentId: 'issues' },
    where: (row, id) => sql`${row.issueId} IN ${issuesOf(id)} AND ${row.parentId} IN ${issuesOf(id)}`,
  }),
  kind('issue_links', 'IssueLink', {
    columns: { type: is.enum, ...times },
    refs: { sourceId: 'issues', targetId: 'issues' },
    where: (row, id) => sql`${row.sourceId} IN ${issuesOf(id)} AND ${row.targetId} IN ${issuesOf(id)}`,
  }),
  kind('merge_requests', 'MergeRequest', {
    columns: {
      iid: is.iid,
      title: is.title,
      description: is.text,
      state: is.enum,
      sourceBranch: is.branch,
      targetBranch: is.branch,
      sha: is.sha,
      mergeCommitSha: is.sha,
      squash: is.boolean,
      squashCommitSha: is.sha,
      finishedAt: is.time,
      closedAt: is.time,
      mergedAt: is.time,
      discussionLocked: is.boolean,
      allowCollaboration: is.boolean,
      shouldRemoveSourceBranch: is.boolean,
      forceRemoveSourceBranch: is.boolean,
      timeEstimate: is.seconds,
      lastEditedAt: is.time,
      ...times,
    },
    refs: { milestoneId: 'milestones', sourceProjectId: 'project' },
    users: {
      authorId: 'importer',
      mergeUserId: 'nobody',
      closedById: 'nobody',
      updatedById: 'nobody',
      lastEditedById: 'nobody',
    },
    project: 'targetProjectId',
    where: (row, id) => sql`${row.targetProjectId} = ${id}`,
  }),
  kind('merge_request_versions', 'MergeRequestVersion', {
    columns: {
      headCommitSha: is.sha,
      baseCommitSha: is.sha,
      startCommitSha: is.sha,
      realSize: is.count,
      patchIdSha: is.hex,
      state: is.word,
      createdAt: is.time,
      commitsStored: is.boolean,
    },
    refs: { mergeRequestId: 'merge_requests' },
    where: (row, id) => sql`${row.mergeRequestId} IN ${mergeRequestsOf(id)}`,
  }),
  kind('merge_request_commits', 'MergeRequestCommit', {
    columns: { sha: is.sha },
    refs: { mergeRequestId: 'merge_requests' },
    where: (row, id) => sql`${row.mergeRequestId} IN ${mergeRequestsOf(id)}`,
  }),
  kind('merge_request_assignees', 'MergeRequestAssignee', {
    columns: { position: is.seconds },
    refs: { mergeRequestId: 'merge_requests' },
    users: { userId: 'dropped' },
    where: (row, id) => sql`${row.mergeRequestId} IN ${mergeRequestsOf(id)}`,
  }),
  kind('merge_request_reviewers', 'MergeRequestReviewer', {
    columns: { state: is.enum, createdAt: is.time },
    refs: { mergeRequestId: 'merge_requests' },
    users: { userId: 'dropped' },
    where: (row, id) => sql`${row.mergeRequestId} IN ${mergeRequestsOf(id)}`,
  }),
  kind('merge_request_approvals', 'MergeRequestApproval', {
    columns: { createdAt: is.time },
    refs: { mergeRequestId: 'merge_requests' },
    users: { userId: 'dropped' },
    where: (row, id) => sql`${row.mergeRequestId} IN ${mergeRequestsOf(id)}`,
  }),
  kind('merge_request_labels', 'MergeRequestLabel', {
    refs: { mergeRequestId: 'merge_requests', labelId: 'labels' },
    where: (row, id) => sql`${row.mergeRequestId} IN ${mergeRequestsOf(id)}`,
  }),
  kind('timelogs', 'Timelog', {
    columns: { seconds: is.number, summary: is.text, createdAt: is.time },
    refs: EITHER,
    users: { userId: 'importer' },
    where: ofEither,
  }),
  kind('snippets', 'Snippet', {
    columns: {
      title: is.name,
      description: is.text,
      fileName: is.name,
      content: is.text,
      visibility: is.enum,
      ...times,
    },
    users: { authorId: 'importer' },
    project: 'projectId',
    where: (row, id, reader) => sql`${row.id} IN ${snippetsOf(id, reader)}`,
  }),
  kind('snippet_files', 'SnippetFile', {
    columns: { position: is.seconds, name: is.name, content: is.text },
    refs: { snippetId: 'snippets' },
    where: (row, id, reader) => sql`${row.snippetId} IN ${snippetsOf(id, reader)}`,
  }),
  kind('notes', 'Note', {
    columns: {
      body: is.text,
      system: is.boolean,
      tellsEvent: is.boolean,
      sourceType: is.source,
      sourceId: is.number,
      mention: is.title,
      startsThread: is.boolean,
      lastEditedAt: is.time,
      ...times,
    },
    refs: { discussionId: 'threads' },
    users: { authorId: 'importer' },
    ofSubject: true,
    signed: 'body',
    where: noteOf,
  }),
  kind('discussions', 'Discussion', {
    columns: {
      resolvedAt: is.time,
      originalPosition: is.position,
      position: is.position,
      diffLines: is.diffLines,
      commitSha: is.sha,
    },
    refs: { id: 'threads', mergeRequestId: 'merge_requests', noteId: 'notes', versionId: 'merge_request_versions' },
    users: { resolvedById: 'nobody' },
    where: (row, id, reader) =>
      sql`${row.mergeRequestId} IN ${mergeRequestsOf(id)} AND ${row.noteId} IN ${notesOf(id, reader)}`,
  }),
  kind('suggestions', 'Suggestion', {
    columns: {
      linesAbove: is.seconds,
      linesBelow: is.seconds,
      fromContent: is.text,
      toContent: is.text,
      commitSha: is.sha,
      outdated: is.boolean,
    },
    refs: { noteId: 'notes' },
    where: (row, id, reader) => sql`${row.noteId} IN ${notesOf(id, reader)}`,
  }),
  kind('award_emoji', 'AwardEmoji', {
    columns: { name: is.emoji, ...times },
    users: { userId: 'dropped' },
    ofSubject: true,
    where: (row, id, reader) => sql`((${row.subjectType} = 'Issue' AND ${row.subjectId} IN ${issuesOf(id)})
      OR (${row.subjectType} = 'MergeRequest' AND ${row.subjectId} IN ${mergeRequestsOf(id)})
      OR (${row.subjectType} = 'Snippet' AND ${row.subjectId} IN ${snippetsOf(id, reader)})
      OR (${row.subjectType} = 'Note' AND ${row.subjectId} IN ${notesOf(id, reader)}))`,
  }),
  kind('commit_comments', 'CommitComment', {
    columns: {
      sha: is.sha,
      note: is.text,
      path: is.path,
      line: is.number,
      lineType: is.word,
      position: is.position,
      startsThread: is.boolean,
      ...times,
    },
    refs: { discussionId: 'commit_threads' },
    users: { authorId: 'importer' },
    signed: 'note',
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('label_events', 'LabelEvent', {
    columns: { action: is.enum, createdAt: is.time },
    refs: { ...EITHER, labelId: 'labels' },
    users: { userId: 'importer' },
    where: ofEither,
  }),
  kind('milestone_events', 'MilestoneEvent', {
    columns: { action: is.enum, state: is.enum, createdAt: is.time },
    refs: { ...EITHER, milestoneId: 'milestones' },
    users: { userId: 'importer' },
    where: ofEither,
  }),
  kind('state_events', 'StateEvent', {
    columns: { state: is.enum, sourceCommit: is.sha, createdAt: is.time },
    refs: EITHER,
    users: { userId: 'importer' },
    where: ofEither,
  }),
  kind('releases', 'Release', {
    columns: { tag: is.branch, name: is.name, description: is.text, releasedAt: is.time, ...times },
    users: { authorId: 'importer' },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('release_links', 'ReleaseLink', {
    columns: { name: is.name, url: is.releaseUrl, directAssetPath: is.assetPath, type: is.enum, ...times },
    refs: { releaseId: 'releases' },
    where: (row, id) => sql`${row.releaseId} IN ${releasesOf(id)}`,
  }),
  kind('release_milestones', 'ReleaseMilestone', {
    refs: { releaseId: 'releases', milestoneId: 'milestones' },
    where: (row, id) => sql`${row.releaseId} IN ${releasesOf(id)}`,
  }),
  kind('protected_branches', 'ProtectedBranch', {
    columns: {
      name: is.branch,
      allowForcePush: is.boolean,
      codeOwnerApprovalRequired: is.boolean,
      createdAt: is.time,
    },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  // Deploy keys do not come along, and neither does what they may do.
  kind('protected_branch_levels', 'ProtectedBranchLevel', {
    columns: { action: is.enum, accessLevel: is.protectionLevel },
    refs: { protectedBranchId: 'protected_branches' },
    where: (row, id) => sql`${row.deployKeyId} IS NULL
      AND ${row.protectedBranchId} IN (SELECT id FROM protected_branches WHERE project_id = ${id})`,
  }),
  kind('protected_tags', 'ProtectedTag', {
    columns: { name: is.branch, createdAt: is.time },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('protected_tag_levels', 'ProtectedTagLevel', {
    columns: { accessLevel: is.protectionLevel },
    refs: { protectedTagId: 'protected_tags' },
    where: (row, id) => sql`${row.deployKeyId} IS NULL
      AND ${row.protectedTagId} IN (SELECT id FROM protected_tags WHERE project_id = ${id})`,
  }),
  // Those of code owners are made anew from the file. Groups do not come along.
  kind('approval_rules', 'ApprovalRule', {
    columns: {
      ruleType: is.ruleType,
      name: is.name,
      approvalsRequired: is.approvals,
      appliesToAllProtectedBranches: is.boolean,
      ...times,
    },
    refs: { mergeRequestId: 'merge_requests', sourceRuleId: 'approval_rules' },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id} AND ${row.ruleType} <> 'code_owner'`,
  }),
  kind('approval_rule_branches', 'ApprovalRuleBranch', {
    refs: { ruleId: 'approval_rules', protectedBranchId: 'protected_branches' },
    where: (row, id) => sql`${row.ruleId} IN ${rulesOf(id)}`,
  }),
  kind('approval_rule_users', 'ApprovalRuleUser', {
    refs: { ruleId: 'approval_rules' },
    users: { userId: 'dropped' },
    where: (row, id) => sql`${row.ruleId} IN ${rulesOf(id)}`,
  }),
  kind('push_rules', 'PushRule', {
    columns: { ...PUSH_RULE, ...times },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('container_tag_rules', 'ContainerTagProtectionRule', {
    columns: {
      tagNamePattern: is.name,
      minimumAccessLevelForPush: is.enum,
      minimumAccessLevelForDelete: is.enum,
      ...times,
    },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('container_policies', 'ContainerExpirationPolicy', {
    columns: {
      enabled: is.boolean,
      cadence: is.name,
      keepN: is.number,
      olderThan: is.name,
      nameRegex: is.title,
      nameRegexKeep: is.title,
    },
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('site_settings', 'PagesSettings', {
    columns: { uniqueDomainEnabled: is.boolean, httpsOnly: is.boolean },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  // Whoever has the domain proves that anew.
  kind('site_domains', 'PagesDomain', {
    columns: { domain: is.name, autoSslEnabled: is.boolean },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  // They have secrets: they are named alone.
  kind('integrations', 'Integration', {
    columns: { slug: is.name },
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('badges', 'Badge', {
    columns: { name: is.name, linkUrl: is.badgeUrl, imageUrl: is.badgeUrl, createdAt: is.time },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('boards', 'Board', {
    columns: { name: is.name, hideBacklogList: is.boolean, hideClosedList: is.boolean },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('board_lists', 'BoardList', {
    columns: { rank: is.number },
    refs: { boardId: 'boards', labelId: 'labels' },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('feature_flag_user_lists', 'FeatureFlagUserList', {
    columns: { iid: is.iid, name: is.name, userXids: is.userIds, ...times },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('feature_flags', 'FeatureFlag', {
    columns: { iid: is.iid, name: is.flagName, description: is.title, active: is.boolean, ...times },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('feature_flag_strategies', 'FeatureFlagStrategy', {
    columns: { name: is.strategy, parameters: is.strategyParameters },
    refs: { featureFlagId: 'feature_flags', userListId: 'feature_flag_user_lists' },
    where: (row, id) => sql`${row.featureFlagId} IN (SELECT id FROM feature_flags WHERE project_id = ${id})`,
  }),
  kind('feature_flag_scopes', 'FeatureFlagScope', {
    columns: { environmentScope: is.environmentScope },
    refs: { strategyId: 'feature_flag_strategies' },
    where: (row, id) => sql`${row.strategyId} IN (SELECT s.id FROM feature_flag_strategies s
      JOIN feature_flags f ON f.id = s.feature_flag_id WHERE f.project_id = ${id})`,
  }),
  kind('uploads', 'Upload', {
    columns: { secret: is.secret, fileName: is.fileName, createdAt: is.time },
    users: { userId: 'nobody' },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id}`,
  }),
  kind('members', 'Member', {
    columns: { accessLevel: is.memberLevel, expiresAt: is.date, createdAt: is.time },
    users: { userId: 'dropped' },
    project: 'projectId',
    where: (row, id) => sql`${row.projectId} = ${id} AND NOT EXISTS (
      SELECT 1 FROM users u WHERE u.id = ${row.userId} AND (u.bot OR u.ghost))`,
  }),
];

/** The kinds of what notes and awards are on, by the type that is stored. */
export const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ['Issue', 'issues'],
  ['MergeRequest', 'merge_requests'],
  ['Snippet', 'snippets'],
  ['Note', 'notes'],
]);

/** The columns that an archive has of a kind, by Prisma's names. */
export function archivedColumns(
  { model, columns, refs, users, ofSubject, hints }: Kind,
  key: readonly string[],
): string[] {
  const own = key.length === 1 && model !== 'Discussion' ? key : [];
  const subject = ofSubject ? ['subjectType', 'subjectId'] : [];
  return [
    ...new Set([...own, ...Object.keys(refs), ...Object.keys(users), ...subject, ...Object.keys(columns), ...hints]),
  ];
}
