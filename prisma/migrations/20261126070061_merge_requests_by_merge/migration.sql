-- Lists by the time of the merge.
CREATE INDEX CONCURRENTLY "merge_requests_target_project_id_merged_at_id_idx" ON "merge_requests" ("target_project_id", "merged_at", "id");
