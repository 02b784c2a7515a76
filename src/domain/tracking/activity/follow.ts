import type { Change, Subject } from '#src/domain/changes/change.ts';
import type { Follower } from '#src/domain/changes/record.ts';
import { requestReferences } from '#src/domain/tracking/activity/pushed_commits.ts';
import { writeSystemNotes } from '#src/domain/tracking/activity/system_notes.ts';
import { writeNoteTodos, writeReviewTodos, writeTodos } from '#src/domain/tracking/activity/todos.ts';
import { leaveOtherTrees } from '#src/domain/tracking/issues/hierarchy.ts';
import { carryLabels } from '#src/domain/tracking/labels/carry.ts';
import { closeOfFork } from '#src/domain/tracking/merge_requests/close_of_fork.ts';
import { requestRefresh, requestRefreshOfForks } from '#src/domain/tracking/merge_requests/request_refresh.ts';
import { carryMilestones } from '#src/domain/tracking/milestones/carry.ts';
import { recordMentions } from '#src/domain/tracking/references/mentions.ts';
import { unassignUser } from '#src/domain/tracking/subjects/unassign_user.ts';
import { addConflictTodo, updatePipelineTodos } from '#src/domain/tracking/todos/merge_requests.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Sent when a pipeline of the head of open merge requests has succeeded, or a merge request has begun to wait for one. */
    'merge_requests.pipeline': { pipelineId?: number; mergeRequestId?: number; projectId?: number };
  }
}

/** Writes system notes, todos and mentions, and enqueues updates of merge requests and references. */
export const tracking: Follower = {
  async subjectChanged(tx, _context, { actor, subject, changes }) {
    await writeSystemNotes(tx, actor, subject, changes);
    await writeTodos(tx, actor, subject, changes);
    // The mentions of a moved issue were recorded before.
    if (changes.some(({ kind }) => kind === 'movedFrom')) return;
    for (const text of textsOf(subject, changes)) await recordMentions(tx, actor, subject, text);
  },
  async noteWritten(tx, _context, { author, noteable: { type, id, iid, title, project }, noteId, text, isInternal }) {
    if (type === 'Snippet' || iid === null) return;
    const subject = { type, id, iid, title, project };
    await writeNoteTodos(tx, author, subject, { id: noteId, ...text });
    if (!isInternal) await recordMentions(tx, author, subject, text.to);
  },
  async reviewPublished(tx, _context, { author, mergeRequest, noteIds }) {
    if (noteIds.length > 0) await writeReviewTodos(tx, author, mergeRequest);
  },
  async projectMoved(tx, _context, { project, from }) {
    await carryLabels(tx, project.id, from);
    await carryMilestones(tx, project.id, from);
    await leaveOtherTrees(tx, project.id);
  },
  async userUnassigned(tx, _context, change) {
    await unassignUser(tx, change);
  },
  branchesMoved: requestRefresh,
  namespaceDeleted: requestRefreshOfForks,
  async forkDetached(tx, context, { fork, actor }) {
    await closeOfFork(tx, context, actor, { id: fork.id, whose: 'all' });
  },
  async forkHidden(tx, context, { fork, actor }) {
    await closeOfFork(tx, context, actor, { id: fork.id, whose: 'targets seen by more' });
  },
  async refsPushed(tx, context, push) {
    if (!push.isRecovered) await requestReferences(tx, context, push);
  },
  async pipelineChanged(tx, { jobs }, { pipeline: { id: pipelineId }, status, hasEnded, isAwaited }) {
    await updatePipelineTodos(tx, pipelineId, status);
    if (hasEnded && isAwaited && status === 'success')
      await jobs?.enqueue(tx, 'merge_requests.pipeline', { pipelineId });
  },
  async mergeRequestBlocked(tx, _context, { mergeRequest }) {
    await addConflictTodo(tx, mergeRequest.id);
  },
};

/** The new texts of the changes. */
function textsOf({ title }: Subject, changes: readonly Change[]): (string | null)[] {
  return changes.flatMap((change) => {
    if (change.kind === 'opened') return [title, change.description];
    return change.kind === 'title' || change.kind === 'description' ? [change.to] : [];
  });
}
