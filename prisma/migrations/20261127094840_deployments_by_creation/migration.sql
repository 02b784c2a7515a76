CREATE INDEX CONCURRENTLY "deployments_project_id_created_at_id_idx" ON "deployments" ("project_id", "created_at", "id");
