import type { Follower } from '#src/domain/changes/record.ts';
import { recordFeatureFlagEvent } from '#src/domain/webhooks/record_feature_flag.ts';
import { recordCommentEvent, recordNoteEvent } from '#src/domain/webhooks/record_note.ts';
import { recordReleaseEvent } from '#src/domain/webhooks/record_release.ts';
import { recordSubjectEvent } from '#src/domain/webhooks/record_subject.ts';
import { recordWikiPageEvent } from '#src/domain/webhooks/record_wiki_page.ts';

/** Records webhook events caused by commands. Database triggers record those of pushes, jobs, pipelines and the server. */
export const webhooks: Follower = {
  subjectChanged: recordSubjectEvent,
  noteWritten: recordNoteEvent,
  commitCommented: recordCommentEvent,
  releaseChanged: recordReleaseEvent,
  wikiPageChanged: recordWikiPageEvent,
  featureFlagSwitched: recordFeatureFlagEvent,
};
