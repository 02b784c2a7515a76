-- Threads on commits are read with their answers.
CREATE INDEX CONCURRENTLY "commit_comments_discussion_id_idx" ON "commit_comments" ("discussion_id");
