-- The versions whose commits a job has yet to store.
CREATE INDEX CONCURRENTLY "merge_request_versions_without_commits" ON "merge_request_versions" ("id") WHERE NOT "commits_stored";
