import type { Commit } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import type { RefChange } from '#src/git/refs/update_many.ts';

/** What a command did, as `recordChange` passes it on to all that follow it. */
export type DomainChange =
  | SubjectChanged
  | NoteWritten
  | NoteDeleted
  | CommitCommented
  | MilestoneChanged
  | ProjectChanged
  | BranchesMoved
  | RefsPushed
  | PipelineChanged
  | MergeRequestBlocked
  | NamespaceDeleted
  | ForkDetached
  | ForkHidden;

/** Somebody changed an issue or merge request, by one command. */
export interface SubjectChanged {
  type: 'subjectChanged';
  actor: { id: number };
  subject: Subject;
  changes: readonly Change[];
}

/** Somebody wrote a note, or changed the text of one. */
export interface NoteWritten {
  type: 'noteWritten';
  author: { id: number };
  /** What the note is on; snippets have no `iid`. */
  noteable: { type: NoteableType; id: number; iid: number | null; title: string; project: ProjectName };
  noteId: number;
  /** What the note says, before and after; `from` is null for a new one. */
  text: { from: string | null; to: string };
}

/** Somebody deleted a note. */
export interface NoteDeleted {
  type: 'noteDeleted';
  noteable: { type: NoteableType; id: number };
  noteId: number;
}

/** Somebody commented on a commit. */
export interface CommitCommented {
  type: 'commitCommented';
  author: { id: number };
  project: { id: number };
  commentId: number;
  /** Title of the commit. */
  title: string;
}

export interface MilestoneChanged {
  type: 'milestoneChanged';
  actor: { id: number };
  project: { id: number };
  milestone: { id: number; title: string };
  action: 'opened' | 'closed';
}

/** A project was made, or somebody joined or left it. */
export interface ProjectChanged {
  type: 'projectChanged';
  project: { id: number };
  user: { id: number };
  action: 'created' | 'imported' | 'joined' | 'left';
}

/** Branches that open merge requests are about have moved. */
export interface BranchesMoved {
  type: 'branchesMoved';
  project: { id: number };
  user: { id: number };
  branches: readonly string[];
}

/** One push to a repository, in the transaction that holds its lock. */
export interface RefsPushed {
  type: 'refsPushed';
  project: { id: number; defaultBranch: string | null };
  pusher: { id: number };
  changes: readonly RefChange[];
  reader: RepositoryReader;
  /** What the changes brought, as far as it is known: of each the latest commits, and how many there are. */
  described: ReadonlyMap<RefChange, { commits: readonly Commit[]; total: number }>;
  /** Whether a crash had left it unrecorded: its commits may be old. */
  isRecovered: boolean;
}

/** The status of a pipeline was written, or it failed from the start. */
export interface PipelineChanged {
  type: 'pipelineChanged';
  pipeline: { id: number; projectId: number };
  status: string;
  /** Whether the pipeline has come to an end with this change. */
  hasEnded: boolean;
  /** Whether its commit is the head of an open merge request. */
  isAwaited: boolean;
}

/** An open merge request can no longer be merged. */
export interface MergeRequestBlocked {
  type: 'mergeRequestBlocked';
  mergeRequest: { id: number };
}

/** A group or personal namespace was deleted, with all that is in it. */
export interface NamespaceDeleted {
  type: 'namespaceDeleted';
  namespace: { id: number };
  actor: { id: number };
}

/** A project is no fork any more. */
export interface ForkDetached {
  type: 'forkDetached';
  fork: { id: number };
  actor: { id: number };
}

/** A project, which may be a fork, is seen by fewer people than before. */
export interface ForkHidden {
  type: 'forkHidden';
  fork: { id: number };
  actor: { id: number };
}

/** What notes can be on. */
export type NoteableType = 'Issue' | 'MergeRequest' | 'Snippet';

/** A project as texts name it. */
export interface ProjectName {
  id: number;
  fullPath: string;
}

/** What a text is of, or what closed an issue. */
export type Source = { project: ProjectName } & (
  | { type: 'Issue' | 'MergeRequest'; id: number; iid: number }
  | { type: 'Commit'; sha: string }
);

/** The issue or merge request that was changed, as it is now. */
export interface Subject {
  type: 'Issue' | 'MergeRequest';
  id: number;
  iid: number;
  title: string;
  /** The project that it is in; the target project of a merge request. */
  project: ProjectName;
}

/** One thing that a command changed. IDs are those of labels, milestones and users; null stands for none. */
export type Change =
  | { kind: 'opened'; description: string | null; assigneeId: number | null }
  | { kind: 'closed'; via?: Source }
  | { kind: 'reopened' }
  | { kind: 'deleted' }
  | { kind: 'title'; from: string; to: string }
  | { kind: 'description'; from: string | null; to: string | null }
  | { kind: 'labels'; added: readonly number[]; removed: readonly number[] }
  | { kind: 'milestone'; from: number | null; to: number | null }
  | { kind: 'assignee'; from: number | null; to: number | null }
  | { kind: 'dueDate'; from: string | null; to: string | null }
  | { kind: 'confidential'; to: boolean }
  | { kind: 'timeEstimate'; seconds: number }
  | { kind: 'timeSpent'; seconds: number }
  | { kind: 'timeReset'; seconds: number }
  | { kind: 'merged' }
  /** It is to be merged when the pipeline of that commit succeeds, or not any more. */
  | { kind: 'mergeWhenPipelineSucceeds'; sha: string }
  | { kind: 'mergeCanceled' }
  | { kind: 'targetBranch'; from: string; to: string }
  /** The source branch of a merge request has moved, and brought so many commits: the latest of them, the newest first. */
  | { kind: 'commits'; latest: readonly AddedCommit[]; total: number }
  | { kind: 'sourceBranchDeleted'; branch: string }
  /** The last thread that was not resolved has been. */
  | { kind: 'discussionsResolved' }
  /** An issue of the project was opened to follow up on these threads. */
  | { kind: 'discussionsContinued'; discussionIds: readonly number[]; issueIid: number }
  | { kind: 'movedTo'; to: Elsewhere }
  | { kind: 'movedFrom'; from: Elsewhere };

/** An issue of another project. */
export interface Elsewhere {
  id: number;
  iid: number;
  project: ProjectName;
}

/** A commit as notes name it. */
export interface AddedCommit {
  sha: string;
  title: string;
}

export type ChangeKind = Change['kind'];

/** What differs between two values, as a list of no or one change. */
export function difference<K extends 'title' | 'description' | 'milestone' | 'assignee' | 'dueDate' | 'targetBranch'>(
  kind: K,
  from: Extract<Change, { kind: K }>['from'],
  to: Extract<Change, { kind: K }>['to'] | undefined,
): Change[] {
  return to === undefined || to === from ? [] : [{ kind, from, to } as Change];
}
