import {
  commitRecord,
  type Payload,
  pageIn,
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
  UserFacts,
} from '#src/domain/webhooks/payload/facts.ts';
import { issueRecord } from '#src/domain/webhooks/payload/issue.ts';
import { mergeRequestRecord } from '#src/domain/webhooks/payload/merge_request.ts';

interface Common {
  user: UserFacts | null;
  project: ProjectFacts;
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
  const attributes = 'comment' in facts ? commentRecord(facts.comment, project) : noteRecord(facts.note, project);
  return {
    object_kind: 'note',
    user: userRecord(user, around),
    project_id: project.id,
    project: projectRecord(project, around),
    object_attributes: { ...attributes, url: pageIn(project, around, `${on.path}#note_${attributes.id}`) },
    repository: repositoryRecord(project, around),
    ...on.record,
  };
}

/** The record of the note, under its name, and the path of its page in the project. */
async function whatItIsOn(facts: NoteFacts, around: Surroundings): Promise<{ path: string; record: Payload }> {
  const { project } = facts;
  if ('comment' in facts) {
    const { sha } = facts.comment;
    return { path: `commit/${sha}`, record: { commit: await commitRecord(sha, project, around) } };
  }
  if ('issue' in facts) {
    return { path: `issues/${facts.issue.iid}`, record: { issue: issueRecord(facts.issue, project, around) } };
  }
  if ('mergeRequest' in facts) {
    const sides = { source: facts.source, target: project };
    const record = { merge_request: await mergeRequestRecord(facts.mergeRequest, sides, around) };
    return { path: `merge_requests/${facts.mergeRequest.iid}`, record };
  }
  const { id, title, file_name, author_id, project_id, created_at, updated_at } = facts.snippet;
  const times = { created_at: time(created_at), updated_at: time(updated_at) };
  const snippet = { id, title, file_name, author_id, project_id, type: 'ProjectSnippet', ...times };
  return { path: `snippets/${id}`, record: { snippet } };
}

function noteRecord(note: NoteColumns, project: ProjectFacts) {
  return {
    id: note.id,
    note: note.body,
    noteable_type: note.subject_type,
    noteable_id: note.subject_id,
    author_id: note.author_id,
    project_id: project.id,
    commit_id: null as string | null,
    line_code: null,
    attachment: null,
    system: note.system,
    created_at: time(note.created_at),
    updated_at: time(note.updated_at),
  };
}

function commentRecord(comment: CommentColumns, project: ProjectFacts) {
  const { path, line, line_type } = comment;
  return {
    id: comment.id,
    note: comment.note,
    noteable_type: 'Commit',
    noteable_id: null,
    author_id: comment.author_id,
    project_id: project.id,
    commit_id: comment.sha,
    line_code: null,
    attachment: null,
    system: false,
    path,
    line,
    line_type,
    created_at: time(comment.created_at),
    updated_at: time(comment.created_at),
  };
}
