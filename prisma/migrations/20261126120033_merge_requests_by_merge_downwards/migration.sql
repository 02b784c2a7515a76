-- From the latest merge down: what is not merged is last.
CREATE INDEX CONCURRENTLY "merge_requests_merged_desc" ON "merge_requests" ("target_project_id", "merged_at" DESC NULLS LAST, "id" DESC);
