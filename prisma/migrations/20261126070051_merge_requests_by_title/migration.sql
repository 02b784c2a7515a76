-- Lists by title.
CREATE INDEX CONCURRENTLY "merge_requests_target_project_id_title_id_idx" ON "merge_requests" ("target_project_id", "title", "id");
