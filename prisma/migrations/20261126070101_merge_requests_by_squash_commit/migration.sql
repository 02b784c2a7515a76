-- The merge request that made a commit of its commits.
CREATE INDEX CONCURRENTLY "merge_requests_squash_commit_sha_idx" ON "merge_requests" ("squash_commit_sha");
