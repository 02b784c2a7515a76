CREATE INDEX CONCURRENTLY "pipelines_schedule_id_id_idx" ON "pipelines" ("schedule_id", "id");
