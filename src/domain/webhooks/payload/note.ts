import { pagePath } from '#src/domain/namespaces/address.ts';
import { threadKey } from '#src/domain/tracking/discussions/key.ts';
import { type DiffPosition, lineCode, type RangeEnd } from '#src/domain/tracking/discussions/position.ts';
import { INTERNAL } from '#src/domain/tracking/subjects/seen_sources.ts';
import {
  commitRecord,
  type Payload,
  projectRecord,
  repositoryRecord,
  type Surroundings,
  time,
  userRecord,
} from '#src/domain/webhooks/payload/common.ts';
import type {
  CommentColumns,
  IssueColumns,
  MergeRequestColumns,
  NoteColumns,
  ProjectFacts,
  SnippetColumns,
  ThreadColumns,
  UserFacts,
} from '#src/domain/webhooks/payload/facts.ts';
import { issueRecord } from '#src/domain/webhooks/payload/issue.ts';
import { mergeRequestRecord } from '#src/domain/webhooks/payload/merge_request.ts';

/** What happened to a note, for hooks. */
export type NoteAction = 'create' | 'update';

interface Common {
  user: UserFacts | null;
  project: ProjectFacts;
  /** Missing in events of earlier versions, which told of new notes alone. */
  action?: NoteAction;
  thread?: ThreadColumns | null;
}

type NoteFacts = Common &
  (
    | { comment: CommentColumns }
    | { note: NoteColumns; issue: IssueColumns }
    | { note: NoteColumns; mergeRequest: MergeRequestColumns; source: ProjectFacts | null }
    | { note: NoteColumns; snippet: SnippetColumns }
  );

/** The payload for a note on an issue, merge request, snippet or commit. */
export async function notePayload(facts: NoteFacts, around: Surroundings): Promise<Payload> {
  const { user, project } = facts;
  const on = await whatItIsOn(facts, around);
  const attributes = 'comment' in facts ? commentRecord(facts.comment, project) : noteRecord(facts.note, facts);
  const action = facts.action ?? 'create';
  return {
    object_kind: 'note',
    user: userRecord(user, around),
    project_id: project.id,
    project: projectRecord(project, around),
    object_attributes: {
      ...attributes,
      action,
      url: around.baseUrl + pagePath(project.fullPath, ...on.page, attributes.id),
    },
    repository: repositoryRecord(project, around),
    ...on.record,
  };
}

interface On {
  record: Payload;
  page: ['commit' | 'issues' | 'merge_requests' | 'snippets', number | string];
}

/** The record of what the note is on, under its name, and what names its page in the project. */
async function whatItIsOn(facts: NoteFacts, around: Surroundings): Promise<On> {
  const { project } = facts;
  if ('comment' in facts) {
    const { sha } = facts.comment;
    return { page: ['commit', sha], record: { commit: await commitRecord(sha, project, around) } };
  }
  if ('issue' in facts) {
    const issue = { ...issueRecord(facts.issue, project, around), ...assigneeOf(facts.issue, around) };
    return { page: ['issues', facts.issue.iid], record: { issue } };
  }
  if ('mergeRequest' in facts) {
    const sides = { source: facts.source, target: project };
    const columns = await mergeRequestRecord(facts.mergeRequest, sides, around);
    const record = { merge_request: { ...columns, ...assigneeOf(facts.mergeRequest, around) } };
    return { page: ['merge_requests', facts.mergeRequest.iid], record };
  }
  const { id, title, file_name, author_id, project_id, created_at, updated_at } = facts.snippet;
  const times = { created_at: time(created_at), updated_at: time(updated_at) };
  const snippet = { id, title, file_name, author_id, project_id, type: 'ProjectSnippet', ...times };
  return { page: ['snippets', id], record: { snippet } };
}

/** The first assignee; nothing where there is none. */
function assigneeOf({ assignee }: Pick<IssueColumns, 'assignee'>, around: Surroundings): Payload {
  return assignee ? { assignee: userRecord(assignee, around) } : {};
}

function noteRecord(note: NoteColumns, { project, thread = null }: Common) {
  const isInThread = note.starts_thread === true || note.discussion_id !== null || thread !== null;
  return {
    id: note.id,
    note: note.body,
    description: note.body,
    noteable_type: note.subject_type,
    noteable_id: note.subject_id,
    author_id: note.author_id,
    project_id: project.id,
    commit_id: thread?.commit_sha ?? (null as string | null),
    attachment: null,
    system: note.system,
    internal: note.source_type === INTERNAL,
    discussion_id: threadKey('Discussion', note.discussion_id ?? note.id),
    ...place(thread?.position ?? null, thread?.original_position ?? null, isInThread),
    resolved_at: time(thread?.resolved_at ?? null),
    resolved_by_id: thread?.resolved_by_id ?? null,
    resolved_by_push: null,
    created_at: time(note.created_at),
    updated_at: time(note.updated_at),
  };
}

function commentRecord(comment: CommentColumns, project: ProjectFacts) {
  const { path, line, line_type, position = null, discussion_id = null, starts_thread = false } = comment;
  return {
    id: comment.id,
    note: comment.note,
    description: comment.note,
    noteable_type: 'Commit',
    noteable_id: null,
    author_id: comment.author_id,
    project_id: project.id,
    commit_id: comment.sha,
    attachment: null,
    system: false,
    internal: false,
    discussion_id: threadKey('CommitDiscussion', discussion_id ?? comment.id),
    ...place(position, position, starts_thread || discussion_id !== null),
    resolved_at: null,
    resolved_by_id: null,
    resolved_by_push: null,
    path,
    line,
    line_type,
    created_at: time(comment.created_at),
    updated_at: time(comment.updated_at ?? comment.created_at),
  };
}

/** The line or file that a note is on, as in the REST records. */
function place(position: DiffPosition | null, original: DiffPosition | null, isInThread: boolean) {
  const shown = position ?? original;
  return {
    type: shown ? 'DiffNote' : isInThread ? 'DiscussionNote' : null,
    position: positionRecord(shown),
    original_position: positionRecord(original),
    // Set by no client of today.
    ...{ change_position: null, st_diff: null },
    line_code: shown && lineCode(shown),
  };
}

function positionRecord(position: DiffPosition | null) {
  if (position === null) return null;
  const { baseSha, startSha, headSha, oldPath, newPath, oldLine, newLine, positionType, lineRange } = position;
  const { width = null, height = null, x = null, y = null } = position;
  const end = ({
    lineCode: line_code = null,
    type = null,
    oldLine: old_line = null,
    newLine: new_line = null,
  }: RangeEnd) => ({
    ...{ line_code, type, old_line, new_line },
  });
  return {
    ...{ base_sha: baseSha, start_sha: startSha, head_sha: headSha, old_path: oldPath, new_path: newPath },
    ...{ position_type: positionType ?? 'text', old_line: oldLine, new_line: newLine },
    line_range: lineRange ? { start: end(lineRange.start), end: end(lineRange.end) } : null,
    ...(positionType === 'image' && { width, height, x, y }),
  };
}
