-- Threads on issues and snippets that were begun as such and threads on commits.
ALTER TABLE "notes" ADD COLUMN "starts_thread" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "discussions" ADD COLUMN "commit_sha" TEXT;

ALTER TABLE "commit_comments" ADD COLUMN "discussion_id" INTEGER,
ADD COLUMN "position" JSONB,
ADD COLUMN "starts_thread" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "updated_at" TIMESTAMPTZ(3);
