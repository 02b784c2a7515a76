import type { Commit } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { RefChange } from '#src/git/refs/update_many.ts';

/** What a command changed, as `recordChange` passes it to all followers. */
export type DomainChange =
  | SubjectChanged
  | NoteWritten
  | ReviewPublished
  | NoteDeleted
  | CommitCommented
  | CommitCommentDeleted
  | MilestoneChanged
  | ProjectChanged
  | UserUnassigned
  | BranchesMoved
  | RefsPushed
  | ReleaseChanged
  | FeatureFlagSwitched
  | WikiPageChanged
  | PipelineChanged
  | SiteBuilt
  | MergeRequestBlocked
  | ProjectMoved
  | NamespaceDeleted
  | ForkDetached
  | ForkHidden;

/** A user changed an issue or merge request, by one command. */
export interface SubjectChanged {
  type: 'subjectChanged';
  actor: { id: number };
  subject: Subject;
  changes: readonly Change[];
}

/** A user wrote a note, or edited one. */
export interface NoteWritten {
  type: 'noteWritten';
  author: { id: number };
  /** What the note is on; snippets have no `iid`. */
  noteable: { type: NoteableType; id: number; iid: number | null; title: string; project: ProjectName };
  noteId: number;
  /** The text of the note before and after; `from` is null for a new one. */
  text: { from: string | null; to: string };
  /** Whether only some of those who see the record see the note: what others could learn it from is not written. */
  isInternal: boolean;
  /** Whether it is published with others, of which `reviewPublished` tells at once. */
  inReview?: boolean;
}

/** A user published the draft notes on a merge request, which were recorded as notes one by one. */
export interface ReviewPublished {
  type: 'reviewPublished';
  author: { id: number };
  mergeRequest: Subject;
  /** The notes that all of those who see the merge request see. */
  noteIds: readonly number[];
}

/** A user deleted a note. */
export interface NoteDeleted {
  type: 'noteDeleted';
  noteable: { type: NoteableType; id: number };
  noteId: number;
}

/** A user commented on a commit, or edited a comment. */
export interface CommitCommented {
  type: 'commitCommented';
  author: { id: number };
  project: { id: number };
  commentId: number;
  /** Title of the commit. */
  title: string;
  isNew: boolean;
}

/** A user deleted a comment on a commit. */
export interface CommitCommentDeleted {
  type: 'commitCommentDeleted';
  commentId: number;
}

export interface MilestoneChanged {
  type: 'milestoneChanged';
  actor: { id: number };
  /** Null for the milestone of a group. */
  project: { id: number } | null;
  milestone: { id: number; title: string };
  /** It is there still while `destroyed` is recorded. */
  action: 'opened' | 'closed' | 'destroyed';
}

/** A project was created, or a user joined or left it. */
export interface ProjectChanged {
  type: 'projectChanged';
  project: { id: number };
  user: { id: number };
  action: 'created' | 'imported' | 'joined' | 'left';
}

/** A user is no longer a member of a project, or of a group and all that is in it, and does no more work there. */
export interface UserUnassigned {
  type: 'userUnassigned';
  place: { projectId: number } | { groupId: number };
  user: { id: number };
}

/** Branches of open merge requests have moved. */
export interface BranchesMoved {
  type: 'branchesMoved';
  project: { id: number };
  user: { id: number };
  branches: readonly string[];
}

/** One push to a repository, in the transaction that holds its lock. */
export interface RefsPushed {
  type: 'refsPushed';
  project: { id: number; defaultBranch: string | null; ciConfigPath: string | null };
  pusher: { id: number };
  changes: readonly RefChange[];
  reader: RepositoryReader;
  /** The commits of each change, where known: the latest ones, and how many there are. */
  described: ReadonlyMap<RefChange, { commits: readonly Commit[]; total: number }>;
  /** Whether it was left unrecorded by a crash: its commits may be old. */
  isRecovered: boolean;
  /** Whether it starts no pipelines. */
  skipCi?: boolean;
  /** What the client asks of its pipelines. */
  ci?: PipelineOptions | undefined;
}

/** What the client of a push asks of its pipelines. */
export interface PipelineOptions {
  /** Whether they are skipped. */
  isSkipped: boolean;
  /** Variables for their jobs: JSON, encrypted, in Base64; null without any. */
  variablesEncrypted: string | null;
}

/** A release was created, changed or deleted. It is there still while `delete` is recorded. */
export interface ReleaseChanged {
  type: 'releaseChanged';
  project: { id: number };
  release: { id: number };
  action: 'create' | 'update' | 'delete';
}

/** A job has succeeded whose artifacts are to be published as a site. */
export interface SiteBuilt {
  type: 'siteBuilt';
  job: { id: number };
}

/** A feature flag was turned on or off. */
export interface FeatureFlagSwitched {
  type: 'featureFlagSwitched';
  actor: { id: number };
  project: { id: number };
  flag: { id: number };
}

/** A page of the wiki of a project, or of a group, was created, changed or deleted by a command. */
export interface WikiPageChanged {
  type: 'wikiPageChanged';
  actor: { id: number };
  project: { id: number } | null;
  group: { id: number } | null;
  page: {
    slug: string;
    title: string;
    /** Its text, also of a page that was deleted. */
    content: string;
    format: string;
    /** As it was given; empty for the usual one. */
    message: string;
    action: 'create' | 'update' | 'delete';
    /** Full hash of the commit in the wiki. */
    commit: string;
  };
}

/** The status of a pipeline was written, or it failed from the start. */
export interface PipelineChanged {
  type: 'pipelineChanged';
  pipeline: { id: number; projectId: number };
  status: string;
  /** Whether the pipeline has ended with this change. */
  hasEnded: boolean;
  /** Whether its commit is the head of an open merge request. */
  isAwaited: boolean;
}

/** An open merge request can no longer be merged. */
export interface MergeRequestBlocked {
  type: 'mergeRequestBlocked';
  mergeRequest: { id: number };
}

/** A project was moved to another group. */
export interface ProjectMoved {
  type: 'projectMoved';
  project: { id: number };
  /** IDs of the namespaces that it was in, from the topmost down. */
  from: readonly number[];
}

/** A group or personal namespace was deleted, with everything in it. */
export interface NamespaceDeleted {
  type: 'namespaceDeleted';
  namespace: { id: number };
  actor: { id: number };
}

/** A project was detached from its fork source. */
export interface ForkDetached {
  type: 'forkDetached';
  fork: { id: number };
  actor: { id: number };
}

/** The visibility of a project, possibly a fork, was narrowed. */
export interface ForkHidden {
  type: 'forkHidden';
  fork: { id: number };
  actor: { id: number };
}

/** The types that can have notes. */
export type NoteableType = 'Issue' | 'MergeRequest' | 'Snippet';

/** A project as texts refer to it. */
export interface ProjectName {
  id: number;
  fullPath: string;
}

/** The record that a text belongs to, or that closed an issue. */
export type Source = { project: ProjectName } & (
  | { type: 'Issue' | 'MergeRequest'; id: number; iid: number }
  | { type: 'Commit'; sha: string }
);

/** The changed issue or merge request in its current state. */
export interface Subject {
  type: 'Issue' | 'MergeRequest';
  id: number;
  iid: number;
  title: string;
  /** The project of the record; the target project of a merge request. */
  project: ProjectName;
}

/** One change by a command. IDs are those of labels, milestones and users; null means none. */
export type Change =
  | { kind: 'opened'; description: string | null; assigneeIds: readonly number[]; reviewerIds?: readonly number[] }
  | { kind: 'closed'; via?: Source }
  | { kind: 'reopened' }
  | { kind: 'deleted' }
  | { kind: 'title'; from: string; to: string }
  | { kind: 'description'; from: string | null; to: string | null }
  | { kind: 'labels'; added: readonly number[]; removed: readonly number[] }
  | { kind: 'milestone'; from: number | null; to: number | null }
  /** All of them before and after, in their order. */
  | { kind: 'assignees'; from: readonly number[]; to: readonly number[] }
  | { kind: 'reviewers'; from: readonly number[]; to: readonly number[] }
  /**
   * A merge request was approved by the actor, or the actor took that back. Whether all approvals that its rules ask for are there with
   * it, or were before.
   */
  | { kind: 'approved'; isWhole: boolean }
  | { kind: 'unapproved'; wasWhole: boolean }
  /** The actor asked for changes of a merge request in a review. */
  | { kind: 'changesRequested' }
  /** A reviewer was asked for another review. */
  | { kind: 'reviewRequestedAgain'; userId: number }
  /** All approvals of a merge request were taken back. */
  | { kind: 'approvalsReset'; wasWhole: boolean }
  | { kind: 'dueDate'; from: string | null; to: string | null }
  | { kind: 'confidential'; to: boolean }
  /** Whether only members comment; null until it was decided once. */
  | { kind: 'discussionLocked'; from: boolean | null; to: boolean | null }
  | { kind: 'squash'; from: boolean; to: boolean }
  /** What was known of whether a merge request can be merged is no longer true. */
  | { kind: 'mergeStatus'; from: string; to: string }
  /** Recorded with the changes that it tells of; see recordSubjectChanges. */
  | { kind: 'lastChange'; from: LastChange; to: LastChange }
  | { kind: 'timeEstimate'; seconds: number }
  | { kind: 'timeSpent'; seconds: number }
  | { kind: 'timeReset'; seconds: number }
  | { kind: 'merged' }
  /** Merging when the pipeline of that commit succeeds was enabled or disabled. */
  | { kind: 'mergeWhenPipelineSucceeds'; sha: string }
  | { kind: 'mergeCanceled' }
  | { kind: 'targetBranch'; from: string; to: string }
  /** The source branch of a merge request has moved by so many commits: the latest of them, newest first. */
  | { kind: 'commits'; latest: readonly AddedCommit[]; total: number }
  /** Suggestions of notes were applied, as one commit. */
  | { kind: 'suggestionsApplied'; count: number; files: number; sha: string }
  | { kind: 'sourceBranchDeleted'; branch: string }
  /** The last unresolved thread was resolved. */
  | { kind: 'discussionsResolved' }
  /** An issue of the project was opened to continue these threads. */
  | { kind: 'discussionsContinued'; discussionIds: readonly number[]; issueIid: number }
  /** The issue was linked to another one, or the link was removed. */
  | { kind: 'linked' | 'unlinked'; other: Elsewhere; how?: 'blocks' | 'is_blocked_by' | undefined }
  /** The issue became a part of another one, or another one a part of it, or no longer is. */
  | { kind: 'parentAdded' | 'parentRemoved' | 'childAdded' | 'childRemoved'; other: Elsewhere }
  /** The type of an issue, and the severity of an incident. */
  | { kind: 'issueType'; from: string; to: string }
  | { kind: 'severity'; from: string; to: string }
  | { kind: 'movedTo'; to: Elsewhere }
  | { kind: 'movedFrom'; from: Elsewhere };

/** Who last changed an issue or merge request, and who last edited its title or description; null where that is not known. */
export interface LastChange {
  updatedById: number | null;
  lastEditedById: number | null;
  /** As PostgreSQL writes times in JSON. */
  lastEditedAt: string | null;
}

/** Another issue, maybe of another project. */
export interface Elsewhere {
  id: number;
  iid: number;
  project: ProjectName;
}

/** A commit as notes refer to it. */
export interface AddedCommit {
  sha: string;
  title: string;
}

export type ChangeKind = Change['kind'];

/** The kinds of changes that are told by a value before and after. */
type ComparedKind =
  | 'title'
  | 'description'
  | 'milestone'
  | 'dueDate'
  | 'targetBranch'
  | 'discussionLocked'
  | 'issueType'
  | 'severity'
  | 'squash'
  | 'mergeStatus';

/** The difference between two values, as a list of zero or one change. */
export function difference<K extends ComparedKind>(
  kind: K,
  from: Extract<Change, { kind: K }>['from'],
  to: Extract<Change, { kind: K }>['to'] | undefined,
): Change[] {
  return to === undefined || to === from ? [] : [{ kind, from, to } as Change];
}
