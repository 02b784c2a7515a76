CREATE INDEX CONCURRENTLY "deployments_project_id_finished_at_id_idx" ON "deployments" ("project_id", "finished_at", "id");
