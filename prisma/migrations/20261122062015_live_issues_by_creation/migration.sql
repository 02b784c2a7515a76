-- The order of lists over live issues, which is told by the index alone.
CREATE INDEX CONCURRENTLY "issues_live_created" ON "issues" ("project_id", "created_at", "id") WHERE "deleted_at" IS NULL;
