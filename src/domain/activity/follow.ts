import { forgetEvents, recordEvent } from '#src/domain/activity/record_event.ts';
import type { ChangeKind } from '#src/domain/changes/change.ts';
import type { Follower } from '#src/domain/changes/record.ts';

/** The feed's words (behaviour.md 7, Event) for the changes of issues and merge requests that it shows. */
const ACTIONS: Partial<Record<ChangeKind, string>> = {
  opened: 'opened',
  closed: 'closed',
  reopened: 'opened',
  merged: 'accepted',
  deleted: 'destroyed',
  approved: 'approved',
};

/** Writes the events shown in the feeds of projects and users. Those of pushes are written with the push. */
export const feed: Follower = {
  async subjectChanged(tx, _context, { actor, subject: { type, id, title, project }, changes }) {
    for (const { kind } of changes) {
      // Deleted issues are only marked as deleted, so their events stay.
      if (kind === 'deleted' && type === 'MergeRequest') await forgetEvents(tx, { type, id });
      const action = ACTIONS[kind];
      const target = { type, id, title };
      if (action) await recordEvent(tx, { projectId: project.id, authorId: actor.id, action, target });
    }
  },
  async noteWritten(
    tx,
    _context,
    { author, noteable: { type, id: subjectId, title, project }, noteId, text, isInternal },
  ) {
    if (type === 'Snippet' || text.from !== null || isInternal) return;
    const target = { type: `${type}Note` as const, id: noteId, title, subjectId };
    await recordEvent(tx, { projectId: project.id, authorId: author.id, action: 'commented on', target });
  },
  async noteDeleted(tx, _context, { noteable: { type }, noteId }) {
    if (type !== 'Snippet') await forgetEvents(tx, { type: `${type}Note`, id: noteId });
  },
  async commitCommented(tx, _context, { author, project, commentId, title, isNew }) {
    if (!isNew) return;
    const target = { type: 'Note', id: commentId, title } as const;
    await recordEvent(tx, { projectId: project.id, authorId: author.id, action: 'commented on', target });
  },
  async commitCommentDeleted(tx, _context, { commentId: id }) {
    await forgetEvents(tx, { type: 'Note', id });
  },
  async milestoneChanged(tx, _context, { actor, project, milestone, action }) {
    // Feeds are those of projects.
    if (!project) return;
    const target = { type: 'Milestone', ...milestone } as const;
    await recordEvent(tx, { projectId: project.id, authorId: actor.id, action, target });
  },
  async projectChanged(tx, _context, { project, user, action }) {
    await recordEvent(tx, { projectId: project.id, authorId: user.id, action });
  },
};
