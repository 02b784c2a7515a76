import { suggestionJson } from '#src/domain/tracking/suggestions/find.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import { computedFields, type Tools } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const [issue, mergeRequest, snippet] = [alias('Issue', 'ni'), alias('MergeRequest', 'nm'), alias('Snippet', 'ns')];
const [discussion, comment, answer] = [alias('Discussion', 'nd'), alias('CommitComment', 'nc'), alias('Note', 'na')];

const OF_THREAD = {
  isOpen: sql`nd.is_open`,
  sourceProjectId: sql`nd.source_project_id`,
  sourceBranch: sql`nd.source_branch`,
};

computedFields('Note', {
  projectId: (note, tools) => sql`CASE ${note.subjectType}
    WHEN 'Issue' THEN (SELECT ${issue.projectId} FROM ${table(issue)} WHERE ${issue.id} = ${note.subjectId})
    WHEN 'MergeRequest' THEN (SELECT ${mergeRequest.targetProjectId} FROM ${table(mergeRequest)} WHERE ${mergeRequest.id} = ${note.subjectId})
    WHEN 'Snippet' THEN (SELECT ${snippet.projectId} FROM ${table(snippet)} WHERE ${snippet.id} = ${note.subjectId})
    ELSE ${commentOf(note, tools)}.project_id END`,
  noteableIid: (note) => sql`CASE ${note.subjectType}
    WHEN 'Issue' THEN (SELECT ${issue.iid} FROM ${table(issue)} WHERE ${issue.id} = ${note.subjectId})
    WHEN 'MergeRequest' THEN (SELECT ${mergeRequest.iid} FROM ${table(mergeRequest)} WHERE ${mergeRequest.id} = ${note.subjectId}) END`,
  commitSha: (note, tools) => sql`COALESCE(${commentOf(note, tools)}.sha, ${threadOf(note, tools)}.commit_sha)`,
  isInThread: (
    note,
  ) => sql`(${note.startsThread} OR ${note.discussionId} IS NOT NULL OR (${note.subjectType} <> 'Commit'
    AND EXISTS (SELECT 1 FROM ${table(answer)} WHERE ${answer.discussionId} = ${note.id})))`,
  placeBeforeThread: (note) => sql`CASE ${note.subjectType} WHEN 'Commit' THEN (
      SELECT json_build_object('created_at', c.created_at, 'id', c.id - 1) FROM commit_comments c
      WHERE c.id = COALESCE(${note.discussionId}, ${note.id}) OR c.discussion_id = ${note.discussionId} ORDER BY c.id LIMIT 1)
    ELSE (SELECT ${placeBefore(answer)} FROM ${table(answer)}
      WHERE ${answer.id} = COALESCE(${note.discussionId}, ${note.id}) OR ${answer.discussionId} = ${note.discussionId}
      ORDER BY ${answer.id} LIMIT 1) END`,
  placeInThread: (note) => placeBefore(note),
  thread: (note, tools) => {
    const [thread, said] = [threadOf(note, tools), commentOf(note, tools)];
    const place = sql`${said}.place`;
    return sql`CASE WHEN ${thread}.id IS NOT NULL THEN json_build_object('isResolvable', TRUE, 'resolvedAt', ${thread}.resolved_at,
        'resolvedById', ${thread}.resolved_by_id, 'position', ${thread}.position, 'originalPosition', ${thread}.original_position,
        'projectId', ${thread}.project_id, 'authorId', ${thread}.author_id)
      WHEN ${place} IS NOT NULL THEN json_build_object('isResolvable', FALSE, 'resolvedAt', NULL, 'resolvedById', NULL,
        'position', ${place}, 'originalPosition', ${place}, 'projectId', ${said}.project_id, 'authorId', ${said}.author_id) END`;
  },
  suggestionFacts: (note, tools) => {
    const nd = threadOf(note, tools);
    return sql`CASE WHEN ${nd}.original_position IS NOT NULL AND NOT ${note.system} THEN (
      SELECT COALESCE(json_agg(${suggestionJson(OF_THREAD)} ORDER BY su.id), '[]') FROM suggestions su
        CROSS JOIN (SELECT ${nd}.position, ${nd}.original_position, ${nd}.is_open, ${nd}.source_project_id, ${nd}.source_branch) nd WHERE su.note_id = ${note.id}) END`;
  },
  diffLines: (note, tools) => sql`${threadOf(note, tools)}.diff_lines`,
});

/** The place in lists by time behind which a note comes first: no note is between it and one with a number less. */
function placeBefore({ createdAt, id }: Alias<'Note'>): Prisma.Sql {
  return sql`json_build_object('created_at', ${createdAt}, 'id', ${id} - 1)`;
}

/** The thread of a note on a merge request, if it can be resolved. */
function threadOf(note: Alias<'Note'>, { lateral }: Tools): Prisma.Sql {
  return lateral(
    'thread',
    () => sql`SELECT nd.*, ${mergeRequest.targetProjectId} AS project_id, ${mergeRequest.authorId} AS author_id,
        ${mergeRequest.sourceProjectId} AS source_project_id, ${mergeRequest.sourceBranch} AS source_branch,
        ${mergeRequest.state} = 'opened' AS is_open
      FROM ${table(discussion)} JOIN ${table(mergeRequest)} ON ${mergeRequest.id} = ${discussion.mergeRequestId}
      WHERE ${note.subjectType} = 'MergeRequest' AND ${discussion.id} = COALESCE(${note.discussionId}, ${note.id})`,
  );
}

/** The comment on a commit that stands as a note, with its line; comments of earlier versions do not know the parent. */
function commentOf(note: Alias<'Note'>, { lateral }: Tools): Prisma.Sql {
  const { path, line, lineType, sha } = comment;
  const lineOf = (side: string) => sql`CASE WHEN ${lineType} = ${side} THEN ${line} END`;
  return lateral(
    'comment',
    () => sql`SELECT nc.*, CASE WHEN ${path} IS NOT NULL THEN COALESCE(${comment.position}, jsonb_build_object('positionType', 'text',
        'baseSha', NULL, 'startSha', ${sha}, 'headSha', ${sha}, 'oldPath', ${path}, 'newPath', ${path},
        'oldLine', ${lineOf('old')}, 'newLine', ${lineOf('new')})) END AS place
      FROM ${table(comment)} WHERE ${note.subjectType} = 'Commit' AND ${comment.id} = ${note.id}`,
  );
}
