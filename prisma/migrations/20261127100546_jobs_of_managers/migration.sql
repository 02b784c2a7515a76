CREATE INDEX CONCURRENTLY "jobs_manager_id_idx" ON "jobs" ("manager_id");
