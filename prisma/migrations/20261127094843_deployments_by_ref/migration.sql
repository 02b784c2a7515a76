CREATE INDEX CONCURRENTLY "deployments_project_id_ref_id_idx" ON "deployments" ("project_id", "ref", "id");
