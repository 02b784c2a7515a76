-- Deleting a user clears who closed them.
CREATE INDEX CONCURRENTLY "merge_requests_closed_by_id_idx" ON "merge_requests" ("closed_by_id");
