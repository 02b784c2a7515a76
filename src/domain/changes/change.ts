import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Source } from '#src/domain/tracking/activity/mentions.ts';

/** The issue or merge request that was changed, as it is now. */
export interface Subject {
  type: 'Issue' | 'MergeRequest';
  id: number;
  iid: number;
  title: string;
  /** The project that it is in; the target project of a merge request. */
  project: Pick<ProjectRow, 'id' | 'fullPath'>;
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
  project: Pick<ProjectRow, 'id' | 'fullPath'>;
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
