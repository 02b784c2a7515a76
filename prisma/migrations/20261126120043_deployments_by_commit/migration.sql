-- The deployments of the merge commits of merge requests.
CREATE INDEX CONCURRENTLY "deployments_project_id_sha_idx" ON "deployments" ("project_id", "sha");
