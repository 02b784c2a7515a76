-- The merge request that made a commit.
CREATE INDEX CONCURRENTLY "merge_requests_merge_commit_sha_idx" ON "merge_requests" ("merge_commit_sha");
