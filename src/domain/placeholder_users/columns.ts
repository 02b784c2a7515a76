import { GUEST, REPORTER } from '#src/access/permissions/abilities.ts';
import { projectAccessLevel } from '#src/access/permissions/visibility.ts';
import { KINDS } from '#src/domain/project_archives/kinds.ts';
import { OF_RIGHTS } from '#src/domain/project_archives/tree.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias } from '#src/platform/records/alias.ts';
import type { ModelName } from '#src/platform/records/model.ts';

const { sql } = Prisma;

/** A column with users whom an import may set. */
export interface UserColumn {
  model: ModelName;
  /** Prisma's name of the column. */
  column: string;
}

/** The columns that follow from others: the first of the assignees. */
const DERIVED: readonly UserColumn[] = [
  { model: 'Issue', column: 'assigneeId' },
  { model: 'MergeRequest', column: 'assigneeId' },
];

/**
 * Every column in which a placeholder may be named: those that imports set, without those that give rights. Lists of assignees come
 * before the columns that name the first of them, as triggers expect it.
 */
export const USER_COLUMNS: readonly UserColumn[] = [
  ...KINDS.filter(({ name }) => !OF_RIGHTS.has(name)).flatMap(({ model, users }) =>
    Object.keys(users).map((column) => ({ model, column })),
  ),
  ...DERIVED,
  // Packages come from other servers besides archives.
  { model: 'Package', column: 'creatorId' },
];

/** The columns by which records of a user are the same as those of another: each user has one of them alone. */
export const OWN_ONCE: Readonly<Partial<Record<ModelName, readonly string[]>>> = {
  IssueAssignee: ['issueId'],
  MergeRequestAssignee: ['mergeRequestId'],
  MergeRequestReviewer: ['mergeRequestId'],
  MergeRequestApproval: ['mergeRequestId'],
  AwardEmoji: ['subjectType', 'subjectId', 'name'],
};

const [user, project, namespace] = [alias('User', 'tu'), alias('Project', 'tp'), alias('Namespace', 'tn')] as const;

/** Whether an account has a level in the project with an ID. */
function hasLevel(accountId: number, projectId: Prisma.Sql, least: number): Prisma.Sql {
  return sql`EXISTS (SELECT 1 FROM users tu, projects tp JOIN namespaces tn ON ${namespace.id} = ${project.namespaceId}
    WHERE ${user.id} = ${accountId} AND ${project.id} = ${projectId}
      AND (${user.admin} OR ${projectAccessLevel({ id: user.id }, project, namespace)} >= ${least}))`;
}

const projectOfIssue = (id: Prisma.Sql) => sql`(SELECT ti.project_id FROM issues ti WHERE ti.id = ${id})`;

/**
 * Whether an account may become the user of a record, whose alias is given, because that lets it see nothing new: authors and assignees
 * see confidential issues, authors their private snippets and internal notes.
 */
export function mayTake({ model, column }: UserColumn, row: Alias<ModelName>, accountId: number): Prisma.Sql {
  const open = CONDITIONS[`${model}.${column}`];
  return open ? open(row as never, accountId) : sql`TRUE`;
}

const ofIssue = (issue: Alias<'Issue'>, accountId: number) =>
  sql`(NOT ${issue.confidential} OR ${hasLevel(accountId, issue.projectId, REPORTER)})`;

const CONDITIONS: Readonly<Record<string, (row: never, accountId: number) => Prisma.Sql>> = {
  'Issue.authorId': (row: Alias<'Issue'>, accountId) => ofIssue(row, accountId),
  'Issue.assigneeId': (row: Alias<'Issue'>, accountId) => ofIssue(row, accountId),
  'IssueAssignee.userId': (row: Alias<'IssueAssignee'>, accountId) =>
    sql`(NOT (SELECT ti.confidential FROM issues ti WHERE ti.id = ${row.issueId})
      OR ${hasLevel(accountId, projectOfIssue(row.issueId), REPORTER)})`,
  'Snippet.authorId': (row: Alias<'Snippet'>, accountId) =>
    sql`(${row.visibility} = 'public' OR ${hasLevel(accountId, row.projectId, GUEST)})`,
  'Note.authorId': (row: Alias<'Note'>, accountId) => {
    const ofMergeRequest = sql`(SELECT tm.target_project_id FROM merge_requests tm WHERE tm.id = ${row.subjectId})`;
    const place = sql`CASE ${row.subjectType} WHEN 'Issue' THEN ${projectOfIssue(row.subjectId)}
      WHEN 'MergeRequest' THEN ${ofMergeRequest} END`;
    return sql`(${row.sourceType} IS DISTINCT FROM 'Internal' OR ${hasLevel(accountId, place, REPORTER)})`;
  },
};
