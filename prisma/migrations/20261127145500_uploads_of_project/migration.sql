CREATE INDEX CONCURRENTLY "uploads_project_id_id_idx" ON "uploads" ("project_id", "id");
