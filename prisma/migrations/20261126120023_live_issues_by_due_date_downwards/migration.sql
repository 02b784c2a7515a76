-- The same from the latest down: those without a due date are last again.
CREATE INDEX CONCURRENTLY "issues_live_due_date_desc" ON "issues" ("project_id", "due_date" DESC NULLS LAST, "id" DESC) WHERE "deleted_at" IS NULL;
