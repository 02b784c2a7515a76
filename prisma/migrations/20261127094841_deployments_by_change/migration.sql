CREATE INDEX CONCURRENTLY "deployments_project_id_updated_at_id_idx" ON "deployments" ("project_id", "updated_at", "id");
