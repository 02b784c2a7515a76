-- Clients look for the merge request of a branch.
CREATE INDEX CONCURRENTLY "merge_requests_target_project_id_source_branch_idx" ON "merge_requests" ("target_project_id", "source_branch");
