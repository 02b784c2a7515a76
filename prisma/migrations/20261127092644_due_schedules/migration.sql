CREATE INDEX CONCURRENTLY "pipeline_schedules_due" ON "pipeline_schedules" ("next_run_at") WHERE "active";
