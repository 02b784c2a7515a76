-- The merge requests of the caller, last changed first.
CREATE INDEX CONCURRENTLY "merge_requests_author_id_updated_at_id_idx" ON "merge_requests" ("author_id", "updated_at", "id");
