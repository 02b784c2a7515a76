-- Servers of the version before let no more people push, or fewer comment, than they did.
ALTER TABLE "merge_requests" ADD COLUMN "allow_collaboration" BOOLEAN;

ALTER TABLE "issues" ADD COLUMN "discussion_locked" BOOLEAN;
