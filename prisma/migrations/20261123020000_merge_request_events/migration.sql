-- Events about merge requests, which those are told of who may read merge requests.
ALTER TYPE "event_kind" ADD VALUE 'merge_request';

-- What was commented on by the note that an event is about: the issue of an `IssueNote`, the merge request of a `MergeRequestNote`.
ALTER TABLE "events" ADD COLUMN "subject_id" INTEGER;
