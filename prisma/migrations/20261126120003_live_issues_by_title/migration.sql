-- The order of live issues by title.
CREATE INDEX CONCURRENTLY "issues_live_title" ON "issues" ("project_id", "title", "id") WHERE "deleted_at" IS NULL;
