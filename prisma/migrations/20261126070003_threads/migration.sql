-- Threads on issues and snippets that were begun as such, threads on commits, and drafts of notes.
ALTER TABLE "notes" ADD COLUMN "starts_thread" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "discussions" ADD COLUMN "commit_sha" TEXT;

ALTER TABLE "commit_comments" ADD COLUMN "discussion_id" INTEGER,
ADD COLUMN "position" JSONB,
ADD COLUMN "starts_thread" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "updated_at" TIMESTAMPTZ(3);

CREATE TABLE "draft_notes" (
    "id" SERIAL NOT NULL,
    "merge_request_id" INTEGER NOT NULL,
    "author_id" INTEGER NOT NULL,
    "body" TEXT NOT NULL,
    "discussion_id" INTEGER,
    "resolve_discussion" BOOLEAN NOT NULL DEFAULT false,
    "commit_sha" TEXT,
    "position" JSONB,
    "version_id" INTEGER,
    "diff_lines" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "draft_notes_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "draft_notes_merge_request_id_author_id_id_idx" ON "draft_notes"("merge_request_id", "author_id", "id");

CREATE INDEX "draft_notes_author_id_idx" ON "draft_notes"("author_id");

ALTER TABLE "draft_notes" ADD CONSTRAINT "draft_notes_merge_request_id_fkey" FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "draft_notes" ADD CONSTRAINT "draft_notes_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
