CREATE INDEX CONCURRENTLY "jobs_of_resource_group" ON "jobs" ("project_id", "resource_group", "pipeline_id", "id") WHERE "resource_group" IS NOT NULL;
