-- The order of live issues by due date, those without one last.
CREATE INDEX CONCURRENTLY "issues_live_due_date" ON "issues" ("project_id", "due_date", "id") WHERE "deleted_at" IS NULL;
