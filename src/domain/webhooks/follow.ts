import type { Follower } from '#src/domain/changes/record.ts';
import { recordCommentEvent, recordNoteEvent } from '#src/domain/webhooks/record_note.ts';
import { recordSubjectEvent } from '#src/domain/webhooks/record_subject.ts';

/** Records the events of webhooks that commands cause. Those of pushes, jobs, pipelines and the server are recorded by triggers of the database. */
export const webhooks: Follower = {
  subjectChanged: recordSubjectEvent,
  noteWritten: recordNoteEvent,
  commitCommented: recordCommentEvent,
};
