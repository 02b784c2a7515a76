import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias } from '#src/platform/records/alias.ts';
import type { Columns, ModelName } from '#src/platform/records/model.ts';

const { sql } = Prisma;

/** A file of the archive: columns of the records of a kind that are the user's. Columns are named one by one, so that no secret is among them. */
export interface Part {
  file: string;
  model: ModelName;
  columns: readonly string[];
  rows(userId: number): { alias: Alias<ModelName>; where: Prisma.Sql };
}

function part<M extends ModelName>(
  file: string,
  model: M,
  columns: readonly (keyof Columns[M] & string)[],
  where: (row: Alias<M>, userId: number) => Prisma.Sql,
): Part {
  const row = alias(model, 'x');
  return {
    ...{ file, model, columns },
    rows: (userId) => ({ alias: row as unknown as Alias<ModelName>, where: where(row, userId) }),
  };
}

const TIMES = ['createdAt', 'updatedAt'] as const;

/** All files with records. Places are told by their IDs: the user may no longer see what they are called now. */
export const PARTS: readonly Part[] = [
  part(
    'profile',
    'User',
    [
      ...(['id', 'username', 'name', 'email', 'confirmedAt', 'state', 'admin', 'external', 'bio', 'location'] as const),
      ...(['skype', 'linkedin', 'twitter', 'discord', 'github', 'websiteUrl', 'organization', 'jobTitle'] as const),
      ...(['pronouns', 'publicEmail', 'commitEmail', 'privateProfile', 'timezone', 'preferredLanguage'] as const),
      ...(['theme', 'diffView', 'firstPage', 'viewDiffsFileByFile', 'showWhitespaceInDiffs'] as const),
      ...(['twoFactorEnabled', 'signInCount', 'currentSignInAt', 'currentSignInIp', 'lastSignInAt'] as const),
      ...(['lastSignInIp', 'lastActivityOn'] as const),
      ...TIMES,
    ],
    (row, id) => sql`${row.id} = ${id}`,
  ),
  part('emails', 'Email', ['email', 'confirmedAt', 'createdAt'], (row, id) => sql`${row.userId} = ${id}`),
  part('identities', 'Identity', ['provider', 'externUid'], (row, id) => sql`${row.userId} = ${id}`),
  part(
    'status',
    'UserStatus',
    ['emoji', 'message', 'availability', 'clearAt'],
    (row, id) => sql`${row.userId} = ${id}`,
  ),
  part(
    'ssh_keys',
    'SshKey',
    ['title', 'key', 'usageType', 'expiresAt', 'lastUsedAt', 'createdAt'],
    (row, id) => sql`${row.userId} = ${id}`,
  ),
  part(
    'gpg_keys',
    'GpgKey',
    ['key', 'fingerprint', 'emails', 'revoked', 'expiresAt', 'createdAt'],
    (row, id) => sql`${row.userId} = ${id}`,
  ),
  part('passkeys', 'Passkey', ['name', 'createdAt', 'lastUsedAt'], (row, id) => sql`${row.userId} = ${id}`),
  part(
    'access_tokens',
    'PersonalAccessToken',
    ['name', 'description', 'scopes', 'revoked', 'expiresAt', 'lastUsedAt', 'createdAt'],
    (row, id) => sql`${row.userId} = ${id} AND NOT ${row.impersonation}`,
  ),
  part(
    'sessions',
    'Session',
    ['address', 'userAgent', 'createdAt', 'lastSeenAt'],
    (row, id) => sql`${row.userId} = ${id} AND ${row.impersonatorId} IS NULL`,
  ),
  part(
    'memberships',
    'Member',
    ['projectId', 'namespaceId', 'accessLevel', 'expiresAt', 'createdAt'],
    (row, id) => sql`${row.userId} = ${id}`,
  ),
  part(
    'notification_settings',
    'NotificationSetting',
    ['projectId', 'namespaceId', 'level'],
    (row, id) => sql`${row.userId} = ${id}`,
  ),
  part('stars', 'ProjectStar', ['projectId', 'createdAt'], (row, id) => sql`${row.userId} = ${id}`),
  part('following', 'UserFollow', ['followedId', 'createdAt'], (row, id) => sql`${row.followerId} = ${id}`),
  part(
    'issues',
    'Issue',
    ['id', 'projectId', 'iid', 'title', 'description', 'state', 'confidential', 'dueDate', ...TIMES],
    (row, id) => sql`${row.authorId} = ${id} AND ${row.deletedAt} IS NULL`,
  ),
  part(
    'merge_requests',
    'MergeRequest',
    [
      ...(['id', 'targetProjectId', 'sourceProjectId', 'iid', 'title', 'description', 'state'] as const),
      ...(['sourceBranch', 'targetBranch', 'mergedAt', 'closedAt'] as const),
      ...TIMES,
    ],
    (row, id) => sql`${row.authorId} = ${id}`,
  ),
  part(
    'notes',
    'Note',
    ['id', 'subjectType', 'subjectId', 'body', 'system', ...TIMES],
    (row, id) => sql`${row.authorId} = ${id}`,
  ),
  part(
    'commit_comments',
    'CommitComment',
    ['id', 'projectId', 'sha', 'path', 'line', 'note', ...TIMES],
    (row, id) => sql`${row.authorId} = ${id}`,
  ),
  part(
    'snippets',
    'Snippet',
    ['id', 'projectId', 'title', 'description', 'fileName', 'content', 'visibility', ...TIMES],
    (row, id) => sql`${row.authorId} = ${id}`,
  ),
  part(
    'snippet_files',
    'SnippetFile',
    ['snippetId', 'position', 'name', 'content'],
    (row, id) => sql`${row.snippetId} IN (SELECT s.id FROM snippets s WHERE s.author_id = ${id})`,
  ),
  part(
    'releases',
    'Release',
    ['projectId', 'tag', 'name', 'description', 'releasedAt', ...TIMES],
    (row, id) => sql`${row.authorId} = ${id}`,
  ),
  part(
    'reactions',
    'AwardEmoji',
    ['subjectType', 'subjectId', 'name', 'createdAt'],
    (row, id) => sql`${row.userId} = ${id}`,
  ),
  part(
    'time_spent',
    'Timelog',
    ['issueId', 'mergeRequestId', 'seconds', 'summary', 'createdAt'],
    (row, id) => sql`${row.userId} = ${id}`,
  ),
  part('todos', 'Todo', ['projectId', 'action', 'state', ...TIMES], (row, id) => sql`${row.userId} = ${id}`),
  part(
    'events',
    'Event',
    ['projectId', 'action', 'targetType', 'targetId', 'createdAt'],
    (row, id) => sql`${row.authorId} = ${id}`,
  ),
  part(
    'audit_events',
    'AuditEvent',
    ['action', 'targetType', 'attribute', 'ipAddress', 'createdAt'],
    (row, id) => sql`${row.authorId} = ${id} AND ${row.impersonatorId} IS NULL`,
  ),
];
