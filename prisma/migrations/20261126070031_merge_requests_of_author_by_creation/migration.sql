-- The merge requests of the caller, newest first.
CREATE INDEX CONCURRENTLY "merge_requests_author_id_created_at_id_idx" ON "merge_requests" ("author_id", "created_at", "id");
