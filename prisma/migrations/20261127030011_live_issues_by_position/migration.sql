-- The order of live issues that were arranged by hand, the others last.
CREATE INDEX CONCURRENTLY "issues_live_relative_position" ON "issues" ("project_id", "relative_position", "id") WHERE "deleted_at" IS NULL;
